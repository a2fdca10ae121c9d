import HTTPTypes
import Hummingbird
import Node

/// Counts requests by their routes and by the status of their answers; it wraps the middleware that turns errors into
/// answers.
struct MetricsMiddleware: RouterMiddleware {
    typealias Context = LocalRequestContext

    let metrics: RequestMetrics

    @concurrent
    func handle(
        _ request: Request,
        context: LocalRequestContext,
        next: @concurrent (Request, LocalRequestContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        metrics.answered(
            method: request.method.rawValue,
            route: Self.route(of: context),
            status: response.status.code,
            since: start
        )
        return response
    }

    /// Returns the path as the route declares it; without a route, the router reports another text.
    private static func route(of context: LocalRequestContext) -> String {
        guard let path = context.endpointPath, path.hasPrefix("/") else { return RequestMetrics.noRoute }
        return path
    }
}
