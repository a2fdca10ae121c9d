import HTTPTypes
import Hummingbird

/// Refuses what looks like a request of a web page.
///
/// A browser does not speak over Unix sockets, but a proxy that somebody puts in front of this one would let every
/// page on the machine do so. A page cannot leave these headers out.
struct BrowserMiddleware: RouterMiddleware {
    typealias Context = LocalRequestContext

    private static let hosts: Set<String> = ["", "localhost", "kairan"]

    @concurrent
    func handle(
        _ request: Request,
        context: LocalRequestContext,
        next: @concurrent (Request, LocalRequestContext) async throws -> Response
    ) async throws -> Response {
        if let sign = Self.sign(of: request) {
            throw RequestError(
                .fromBrowser,
                "The request has \(sign), as if a web page had made it.",
                fix: "Use a program that does not send it, such as kairan or curl --unix-socket."
            )
        }
        return try await next(request, context)
    }

    /// What gives the request away; `nil` if nothing does.
    private static func sign(of request: Request) -> String? {
        for name in [HTTPField.Name.origin, .referer] where request.headers[name] != nil {
            return "the header \(name.canonicalName)"
        }
        let fetchMetadata = request.headers.first { $0.name.canonicalName.lowercased().hasPrefix("sec-fetch-") }
        if let fetchMetadata { return "the header \(fetchMetadata.name.canonicalName)" }
        let authority = request.head.authority ?? ""
        let host = authority.split(separator: ":", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        return hosts.contains(host.lowercased()) ? nil : "the host \(authority)"
    }
}
