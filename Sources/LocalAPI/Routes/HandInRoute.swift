import HTTPTypes
import Hummingbird
import Node
import ServiceLifecycle
import Wire

/// Takes what a message is to say that is too large for its record, as it comes.
struct HandInRoute: Sendable {
    /// The most bytes that a message says; the node bounds them itself, but has them written until then.
    static let byteCountMax = Limits.payloadByteCountMax - 1

    let node: any NodeAPI
    let zone: String
    /// The maximum time without data: a slower caller would hold a place, and space on the disk, for nothing.
    var patience = JSONBody.patience

    /// Hands the body on while it comes in; what was kept of it is dropped when it does not come to its end.
    func respond(to request: Request) async throws -> Response {
        let announced = request.headers[.contentLength].flatMap { UInt64($0) }
        if let announced, announced > Self.byteCountMax { throw Self.tooLarge }
        let body = ArrivingBody(request.body, byteCount: announced)
        let payload = try await withThrowingTaskGroup(of: PayloadView?.self) { group in
            group.addTask { [node, zone] in
                do {
                    return try await node.handIn(body, zone: zone)
                } catch {
                    // The node has only heard that it was given up.
                    throw body.failure ?? error
                }
            }
            group.addTask { [patience] in
                try await body.waitForStall(patience)
                throw RequestError.stalled(patience)
            }
            group.addTask {
                try await gracefulShutdown()
                throw NodeError(.notReady, "The daemon is stopping. Nothing was kept.", fix: "Try again when it runs.")
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        guard let payload else { throw CancellationError() }
        return .json(payload.json, status: .created)
    }

    private static var tooLarge: NodeError {
        NodeError(
            .messageTooLarge,
            "A message says at most \(byteCountMax) bytes.",
            fix: "Divide it into several.",
            facts: [.limit(Int(clamping: byteCountMax))]
        )
    }
}
