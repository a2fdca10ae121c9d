import HTTPTypes
import Hummingbird
import Node
import ServiceLifecycle
import Wire

/// Takes the content of a message that is too large for its record, as it arrives.
struct HandInRoute: Sendable {
    /// The maximum size of a message's content; the node has its own limit, but writes the bytes to disk up to it.
    static let byteCountMax = Limits.payloadByteCountMax - 1

    let payloads: any PayloadAPI
    let zone: String
    /// The maximum time without data: a slower caller would hold a place, and space on the disk, for nothing.
    var patience = JSONBody.patience

    /// Passes the body on as it arrives; the node drops the stored bytes if the body ends early.
    func respond(to request: Request) async throws -> Response {
        let announced = request.headers[.contentLength].flatMap { UInt64($0) }
        if let announced, announced > Self.byteCountMax { throw Self.tooLarge }
        let body = ArrivingBody(request.body, byteCount: announced)
        let payload = try await withThrowingTaskGroup(of: PayloadView?.self) { group in
            group.addTask { [payloads, zone] in
                do {
                    return try await payloads.handIn(body, zone: zone, announced: announced)
                } catch {
                    // The node has only learned of the cancellation.
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
        return try .json(payload, status: .created)
    }

    private static var tooLarge: NodeError {
        NodeError(
            .messageTooLarge,
            "A message has at most \(byteCountMax) bytes of content.",
            fix: "Divide it into several.",
            facts: [.limit(Int(clamping: byteCountMax))]
        )
    }
}
