import Hummingbird
import KairanInterface
import Node

/// Finishes messages: those that a program names, or all that wait up to a number.
struct FinishRoute: Sendable {
    let messages: any MessageAPI

    /// Does as the body says.
    func respond(to request: Request) async throws -> Response {
        let body = try await RequestObject(
            JSONBody.read(request, limit: RequestBodyLimit.small),
            allowing: ["messages", "through", "zone"]
        )
        guard body["through"] != nil else {
            guard body["zone"] == nil else {
                throw NodeError.invalid(body.place("zone"), "it is allowed beside \"through\" alone")
            }
            return try await finishNamed(by: body)
        }
        guard body["messages"] == nil else {
            throw NodeError.invalid(body.place("messages"), "it is not allowed beside \"through\"")
        }
        let number = UInt64(try body.number("through", in: 0...Int64.max, default: 0))
        let count = try await messages.finishMessages(through: number, zone: try body.text("zone"))
        return .json(["finished": .integer(Int64(count)), "refused": []])
    }

    private func finishNamed(by body: RequestObject) async throws -> Response {
        _ = try body.elements("messages", atMost: MessageBatch.finishedCountMax)
        let ids = try body.texts("messages")
        let refused = try await messages.finishMessages(ids)
        return .json([
            "finished": .integer(Int64(ids.count - refused.count)),
            "refused": .array(refused.map(\.json)),
        ])
    }
}

extension UnfinishedMessage {
    /// The message with the reason, for programs.
    fileprivate var json: JSONValue { ["message": .string(message), "problem": ProblemDocument(error).json] }
}
