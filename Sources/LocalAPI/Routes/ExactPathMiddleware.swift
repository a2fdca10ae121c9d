import Hummingbird

/// Refuses paths that the router would match although they are none: it drops empty segments.
struct ExactPathMiddleware: RouterMiddleware {
    typealias Context = LocalRequestContext

    @concurrent
    func handle(
        _ request: Request,
        context: LocalRequestContext,
        next: @concurrent (Request, LocalRequestContext) async throws -> Response
    ) async throws -> Response {
        guard RoutePaths.segments(of: request.uri.path) != nil else { throw HTTPError(.notFound) }
        return try await next(request, context)
    }
}
