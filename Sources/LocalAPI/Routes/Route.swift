import HTTPTypes
import Hummingbird
import Node

/// One route, with the access that it demands of the caller.
///
/// A handler has no node except the one that it gets, which is narrowed to the scope of the request: it can neither
/// forget a check nor see more.
struct Route: Sendable {
    typealias Handler = @Sendable (Request, LocalRequestContext, RouteAccess) async throws -> Response

    var method: HTTPRequest.Method
    /// The path; names in braces stand for a segment.
    var path: String
    /// The access that it demands.
    var needs: RequiredAccess
    /// The parameters that its query may have; the router refuses any other.
    var query: [String]
    var handler: Handler

    init(
        _ method: HTTPRequest.Method,
        _ path: String,
        needs: RequiredAccess,
        query: [String] = [],
        _ handler: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.needs = needs
        self.query = query
        self.handler = handler
    }

    /// Answers a request, if its role may make it.
    /// - Throws: The error that the caller gets, or any error of the handler.
    func respond(to request: Request, _ context: LocalRequestContext, node: any NodeAPI) async throws -> Response {
        switch context.role.decide(needs) {
        case .failure(let refusal):
            throw refusal.told
        case .success(let grant):
            let access = RouteAccess(
                node: grant.scope.isEverything ? node : node.narrowed(to: grant.scope),
                isBare: grant.isBare,
                role: context.role,
                needs: needs
            )
            try request.checkQuery(allowing: query)
            return try await handler(request, context, access)
        }
    }
}
