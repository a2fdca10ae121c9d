import HTTPTypes
import Hummingbird

/// Refuses requests that look like those of a web page or a proxy.
///
/// A browser does not use Unix sockets, but a proxy in front of this one would let every page on the machine do so,
/// with the proxy's rights. A page cannot omit these headers.
struct BrowserMiddleware: RouterMiddleware {
    typealias Context = LocalRequestContext

    private static let hosts: Set<String> = ["", "localhost", "kairan"]

    /// Headers that only browsers send (Fetch §2.2.2, "forbidden request-headers", as far as they matter here), and
    /// those by which proxies identify their client (RFC 7239 and its forerunners).
    private static let names: Set<String> = [
        "origin", "referer", "cookie", "upgrade-insecure-requests", "forwarded", "x-forwarded-for", "x-forwarded-host",
        "x-forwarded-proto", "x-real-ip",
    ]
    private static let prefixes = ["sec-", "access-control-request-"]

    @concurrent
    func handle(
        _ request: Request,
        context: LocalRequestContext,
        next: @concurrent (Request, LocalRequestContext) async throws -> Response
    ) async throws -> Response {
        if let sign = Self.sign(of: request) {
            throw RequestError(
                .fromBrowser,
                "The request has \(sign), which suggests that a web page or a proxy made it.",
                fix: "Use a program that does not send it, such as kairan or curl --unix-socket."
            )
        }
        return try await next(request, context)
    }

    /// Returns the feature that reveals such a request; `nil` if there is none.
    private static func sign(of request: Request) -> String? {
        let telling = request.headers.first { field in
            let name = field.name.canonicalName.lowercased()
            return names.contains(name) || prefixes.contains { name.hasPrefix($0) }
        }
        if let telling { return "the header \(telling.name.canonicalName)" }
        // The framework takes the first such header out; further ones stay.
        var hosts = [request.head.authority ?? ""]
        for field in request.headers where field.name.canonicalName == "host" { hosts.append(field.value) }
        return hosts.first { !isOurs($0) }.map { "the host \($0)" }
    }

    /// Whether an authority is a name of ours, with or without a port (RFC 3986 §3.2).
    ///
    /// One with user information is not.
    private static func isOurs(_ authority: String) -> Bool {
        let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard hosts.contains((parts.first ?? "").lowercased()) else { return false }
        return parts.count < 2 || parts[1].utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
