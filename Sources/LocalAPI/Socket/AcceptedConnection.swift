import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// A client's connection, from its acceptance to the task that serves it.
///
/// A listener that closes discards connections that it has accepted and nothing has received yet, and a task that is
/// cancelled discards those that wait for it. swift-nio ends the process where the writer of an asynchronous channel is
/// discarded before it was finished (`NIOAsyncWriter`). So the writer lives until the channel is closed, which finishes
/// it, and a connection that is discarded closes its channel.
final class AcceptedConnection: Sendable {
    /// The rights of the client.
    let caller: Caller
    /// The process at the other end; `nil` if the kernel does not name it.
    let peer: PeerCredentials?

    private let http: HTTP1Channel
    private let value: HTTP1Channel.Value
    private let logger: Logger
    private let isServed = Atomic<Bool>(false)

    /// A connection that nothing serves yet.
    /// - Parameters:
    ///   - value: The channel of the connection, as `http` has set it up.
    ///   - http: Answers its requests.
    ///   - caller: The rights of the client.
    ///   - peer: The process at the other end.
    ///   - logger: The logger for failures.
    init(_ value: HTTP1Channel.Value, http: HTTP1Channel, caller: Caller, peer: PeerCredentials?, logger: Logger) {
        self.value = value
        self.http = http
        self.caller = caller
        self.peer = peer
        self.logger = logger
        value.channel.closeFuture.whenComplete { _ in withExtendedLifetime(value) {} }
    }

    deinit {
        if !isServed.load(ordering: .relaxed) { channel.close(promise: nil) }
    }

    /// The channel of the connection.
    var channel: any Channel { value.channel }
    /// The user of the client.
    var user: UInt32? { peer?.user }
    /// Names the client in the log.
    var metadata: Logger.Metadata { ["uid": "\(user?.description ?? "unknown")"] }

    /// Answers requests until the connection is closed.
    func serve() async {
        isServed.store(true, ordering: .relaxed)
        await http.handle(value: value, logger: logger)
    }
}
