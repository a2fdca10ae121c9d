import HTTPTypes
import Hummingbird

/// Finds out in which role a request is made, and keeps each role to its rate.
struct AccessMiddleware: RouterMiddleware {
    typealias Context = LocalRequestContext

    let limiter: RequestLimiter

    @concurrent
    func handle(
        _ request: Request,
        context: LocalRequestContext,
        next: @concurrent (Request, LocalRequestContext) async throws -> Response
    ) async throws -> Response {
        let role: Role
        switch context.caller.role(authorization: request.headers[.authorization]) {
        case .success(let found): role = found
        case .failure(let refusal): throw refusal.told
        }
        if let wait = limiter.wait(for: role) { throw RequestError.tooMany(waitNanoseconds: wait) }
        var context = context
        context.role = role
        return try await next(request, context)
    }
}
