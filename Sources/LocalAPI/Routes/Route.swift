import HTTPTypes

/// One route.
struct Route: Sendable {
    var method: HTTPRequest.Method
    /// The path; names in braces stand for a segment.
    var path: String
    var handler: LocalRouter.Handler

    init(_ method: HTTPRequest.Method, _ path: String, _ handler: @escaping LocalRouter.Handler) {
        self.method = method
        self.path = path
        self.handler = handler
    }
}
