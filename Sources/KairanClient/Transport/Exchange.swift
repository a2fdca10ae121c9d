import NIOCore
import Synchronization

/// A request on its way over a connection, as seen by those that may end it: its task, the reader of its answer, the
/// connection.
final class Exchange: Sendable {
    let request: SocketRequest
    /// Called on the connection's event loop when the connection can carry another exchange.
    let releaseConnection: @Sendable () -> Void
    /// Starts a concurrent upload of a body; returns whether a task carries it out.
    let startUpload: @Sendable (UploadJob) -> Bool
    private let isAbandonedFlag = Atomic(false)
    private let uploadEnd: AsyncStream<Void>
    private let endUpload: AsyncStream<Void>.Continuation

    init(
        _ request: SocketRequest,
        releaseConnection: @escaping @Sendable () -> Void,
        startUpload: @escaping @Sendable (UploadJob) -> Bool
    ) {
        self.request = request
        self.releaseConnection = releaseConnection
        self.startUpload = startUpload
        (uploadEnd, endUpload) = AsyncStream.makeStream(of: Void.self)
    }

    /// Whether the task was cancelled, perhaps before the connection received the request.
    var isAbandoned: Bool { isAbandonedFlag.load(ordering: .acquiring) }

    /// Notes that the task was cancelled.
    func abandon() {
        isAbandonedFlag.store(true, ordering: .releasing)
    }

    /// Stops the upload, because no more of the body is needed.
    func stopUpload() {
        endUpload.finish()
    }

    /// Returns when no more of the body is wanted, or the task is cancelled.
    func waitForUploadStop() async {
        for await _ in uploadEnd {}
    }
}

/// The sending of a body that comes in pieces: goes on while the answer is read, and ends with its exchange.
struct UploadJob: Sendable {
    let exchange: Exchange
    let channel: any Channel
    let handler: NIOLoopBound<ExchangeHandler>
    let length: Int?
    let send: @Sendable (inout BodyWriter) async throws -> Void

    /// Sends the body.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await upload() }
            group.addTask { await exchange.waitForUploadStop() }
            await group.next()
            group.cancelAll()
        }
    }

    private func upload() async {
        do {
            var writer = BodyWriter(channel, length: length) { [self] in
                channel.eventLoop.execute { handler.value.finishUpload(of: exchange) }
            }
            try await send(&writer)
            // Pieces that end because the upload was cancelled are not a whole body.
            try Task.checkCancellation()
            try writer.finish()
        } catch {
            channel.eventLoop.execute { handler.value.failUpload(of: exchange, error) }
        }
    }
}
