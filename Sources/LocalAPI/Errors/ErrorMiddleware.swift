import HTTPTypes
import Hummingbird
import Listening
import Logging
import Node

/// Turns every error into a problem document, including those of the router.
struct ErrorMiddleware: RouterMiddleware {
    typealias Context = LocalRequestContext

    /// All routes, to tell a wrong method from a wrong path.
    let routes: RoutePaths

    @concurrent
    func handle(
        _ request: Request,
        context: LocalRequestContext,
        next: @concurrent (Request, LocalRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound {
            return ProblemDocument(unknownRoute(request)).response
        } catch let error {
            if let document = ProblemDocument(known: error) { return document.response }
            // A caller that went away reads no answer; whatever is returned is dropped with the connection.
            if error is CancellationError { return ProblemDocument.internalError.response }
            context.logger.error(
                "request failed",
                metadata: ["error": "\(LibraryError.words(for: error))", "path": "\(request.uri.path)"]
            )
            return ProblemDocument.internalError.response
        }
    }

    private func unknownRoute(_ request: Request) -> RequestError {
        guard RoutePaths.segments(of: request.uri.path) != nil else {
            return RequestError(
                .pathUnknown,
                "There is nothing at \(request.uri.path): "
                    + "a path has no empty segment, no dot segment and no slash at its end.",
                fix:
                    "Percent-encode each name. A record whose name is made of dots is read with POST /v1/zones/{zone}/fetch "
                    + "and deleted with POST /v1/zones/{zone}/batch, which take names in the body."
            )
        }
        let methods = routes.methods(path: request.uri.path)
        guard !methods.isEmpty else {
            return RequestError(
                .pathUnknown,
                "There is nothing at \(request.uri.path).",
                fix: "GET /v1/openapi.yaml describes all paths."
            )
        }
        return RequestError(
            .methodNotAllowed,
            "\(request.uri.path) does not have the method \(request.method.rawValue).",
            fix: "Use one of: \(methods.joined(separator: ", ")).",
            facts: [.allow(methods)]
        )
    }
}
