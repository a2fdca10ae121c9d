import HTTPTypes
import Hummingbird
import KairanInterface
import Node
import ServiceLifecycle
import Wire

/// Takes content that is too large for a record, as it arrives: that of a message, or of an asset.
struct HandInRoute: Sendable {
    /// The use of the content.
    enum Purpose: Sendable {
        /// A message names it.
        case message
        /// A record names it by an asset.
        case asset
    }

    /// The maximum size of the content; the node has its own limit, but writes the bytes to disk up to it.
    static let byteCountMax = Limits.payloadByteCountMax - 1

    let payloads: any PayloadAPI
    let zone: String
    var purpose = Purpose.message
    /// The maximum time without data: a slower caller would hold a place, and space on the disk, for nothing.
    var patience = JSONBody.patience

    /// Passes the body on as it arrives; the node drops the stored bytes if the body ends early.
    func respond(to request: Request) async throws -> Response {
        let announced = request.headers[.contentLength].flatMap { UInt64($0) }
        if let announced, announced > Self.byteCountMax { throw purpose.tooLarge }
        let body = ArrivingBody(request.body, byteCount: announced)
        let payload = try await withThrowingTaskGroup(of: PayloadView?.self) { group in
            group.addTask { [payloads, zone, purpose] in
                do {
                    return try await payloads.handIn(body, zone: zone, announced: announced)
                } catch {
                    // The node has only learned of the cancellation.
                    if let failure = body.failure { throw failure }
                    throw purpose.told(error)
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
        switch purpose {
        case .message: return try .json(payload, status: .created)
        case .asset: return try .json(resource: payload.upload, status: .created)
        }
    }
}

extension HandInRoute.Purpose {
    /// The error for content that is too large.
    fileprivate var tooLarge: NodeError {
        let limit = Int(clamping: HandInRoute.byteCountMax)
        return switch self {
        case .message:
            NodeError(
                .messageTooLarge,
                "A message has at most \(limit) bytes of content.",
                fix: "Divide it into several.",
                facts: [.limit(limit)]
            )
        case .asset:
            NodeError(
                .assetTooLarge,
                "The content of an asset has at most \(limit) bytes.",
                fix: "Divide it into several assets.",
                facts: [.limit(limit)]
            )
        }
    }

    /// The error of the node, which does not know the use of the content.
    fileprivate func told(_ error: any Error) -> any Error {
        guard let error = error as? NodeError, error.code == .messageTooLarge else { return error }
        return tooLarge
    }
}
