import Hummingbird

@testable import LocalAPI

/// Answers as if all requests came from one caller, for tests without a socket.
struct AskedBy<Responder: HTTPResponder<LocalRequestContext>>: HTTPResponder {
    typealias Context = LocalRequestContext

    private let caller: Caller
    private let responder: Responder

    init(_ caller: Caller, _ responder: Responder) {
        self.caller = caller
        self.responder = responder
    }

    @concurrent
    func respond(to request: Request, context: LocalRequestContext) async throws -> Response {
        var context = context
        context.caller = caller
        return try await responder.respond(to: request, context: context)
    }
}
