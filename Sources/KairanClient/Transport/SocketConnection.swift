import NIOCore
import NIOHTTP1
import NIOPosix

/// A connection to the daemon, which carries one exchange after the other.
final class SocketConnection: Sendable {
    /// The time that an attempt to connect may take.
    static let connectTimeout = TimeAmount.seconds(5)

    let channel: any Channel
    private let handler: NIOLoopBound<ExchangeHandler>

    private init(_ channel: any Channel, _ handler: NIOLoopBound<ExchangeHandler>) {
        self.channel = channel
        self.handler = handler
    }

    /// Connects.
    /// - Parameter path: Where the daemon listens.
    /// - Returns: The connection.
    /// - Throws: ``TransportFailure/unsent(reason:)``.
    static func open(_ path: String) async throws(TransportFailure) -> SocketConnection {
        guard !path.isEmpty else { throw .unsent(reason: "the path is empty") }
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(connectTimeout)
            // The reader of the answer decides when to read more, and one reading is one piece.
            .channelOption(.autoRead, value: false)
            .channelOption(.maxMessagesPerRead, value: 1)
        do {
            return try await bootstrap.connect(unixDomainSocketPath: path) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = ExchangeHandler()
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(handler)
                    return SocketConnection(channel, NIOLoopBound(handler, eventLoop: channel.eventLoop))
                }
            }
        } catch {
            throw TransportFailure(connecting: error)
        }
    }

    /// Sends a request and waits for the head of its answer.
    ///
    /// A task that is cancelled closes the connection.
    /// - Parameter exchange: The exchange; one at a time.
    /// - Returns: The answer, whose body is still to come.
    /// - Throws: ``TransportFailure``, `CancellationError`, the errors of the request's body.
    func carry(_ exchange: Exchange) async throws -> SocketAnswer {
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { waiting in
                    channel.eventLoop.execute { [handler] in handler.value.begin(exchange, waiting) }
                }
            } onCancel: {
                exchange.abandon()
                channel.eventLoop.execute { [handler] in handler.value.abandon(exchange) }
            }
        } catch {
            // The failure may be one that follows from the cancellation.
            throw Task.isCancelled ? CancellationError() : error
        }
    }
}
