package import Listening
package import Logging
import NIOCore
import NIOPosix
package import Node
import ServiceLifecycle
package import Session
import Synchronization
package import Wire

/// TCP with a secure channel on top: listens, dials, and hands authenticated messages to the node.
///
/// Everything about a connection happens on its event loop, in a `PeerHandler`. This class keeps account of the open
/// ones, so that every dial and every connection is ended exactly once, and so that a shutdown can say goodbye.
package final class PeerTransport: TransportPort, Service {
    /// The dials, attempts and connections that are open at present.
    struct Ledger {
        var port: UInt16?
        var isStopped = false
        /// Dials without an outcome.
        var dials: Set<DialID> = []
        /// Sockets that are not connected yet; each leaves when its attempt is over.
        var attempts: [ObjectIdentifier: any NIOCore.Channel] = [:]
        /// The end of each dial's attempt to connect, with any outcome.
        var attemptEnds: [DialID: EventLoopFuture<Void>] = [:]
        /// The end of the attempt that only shows whether a peer can be connected to; nil while there is none.
        var probeEnd: EventLoopFuture<Void>?
        /// Every socket of a connection, established or not.
        var channels: [ConnectionID: any NIOCore.Channel] = [:]
        /// Established connections.
        var connections: [ConnectionID: NetworkConnection] = [:]
    }

    let listen: [(host: String, port: UInt16)]
    /// Whether a port that is taken is replaced by one that the system chooses.
    let takesOtherPort: Bool
    let identity: ChannelIdentity
    let agreement: ChannelAgreement
    let sink: any TransportSink
    let limits: TransportLimits
    let metrics: SessionMetrics
    let logger: Logger
    let doors: DoorKeeper
    let shortage: DescriptorShortage
    let group: MultiThreadedEventLoopGroup
    let ledger = Mutex(Ledger())
    private let lastID = Atomic<UInt64>(0)

    /// A transport that listens as soon as it runs, and dials from now on.
    /// - Parameters:
    ///   - listen: Numeric addresses and ports; port 0 lets the system choose, no address at all only dials.
    ///   - takesOtherPort: Whether a port that is taken is replaced by one that the system chooses.
    ///   - identity: The device's key.
    ///   - agreement: The versions of the channel that it speaks.
    ///   - sink: Gets the events; gives secrets and payload.
    ///   - limits: Times and sizes.
    ///   - metrics: The metrics to count in.
    ///   - shortage: Is notified when no descriptor is free for a connection; `nil` = one of its own.
    ///   - logger: The log for facts that operators may want to know.
    package init(
        listen: [(host: String, port: UInt16)],
        takesOtherPort: Bool = false,
        identity: ChannelIdentity,
        agreement: ChannelAgreement,
        sink: any TransportSink,
        limits: TransportLimits = TransportLimits(),
        metrics: SessionMetrics = SessionMetrics(.peers),
        shortage: DescriptorShortage? = nil,
        logger: Logger
    ) {
        self.listen = listen
        self.takesOtherPort = takesOtherPort
        self.identity = identity
        self.agreement = agreement
        self.sink = sink
        self.limits = limits
        self.metrics = metrics
        self.logger = logger
        doors = DoorKeeper(limits.doors)
        self.shortage = shortage ?? DescriptorShortage(logger: logger)
        group = MultiThreadedEventLoopGroup(numberOfThreads: TransportLimits.eventLoopCount)
    }

    /// The port of the first address listened on; `nil` before and after.
    package var listeningPort: UInt16? { ledger.withLock { $0.port } }

    /// See `TransportPort`.
    package var newestVersion: ChannelVersion { agreement.newest }

    /// Listens until cancelled or shut down gracefully, then says goodbye to all peers.
    /// - Throws: ``TransportError`` when an address cannot be listened on.
    package func run() async throws {
        var listeners: [any NIOCore.Channel] = []
        do {
            for address in listen { listeners.append(try await bind(host: address.host, port: address.port)) }
        } catch {
            await stop(listeners)
            throw error
        }
        let port = listeners.first?.localAddress?.port.flatMap(UInt16.init(exactly:))
        ledger.withLock { $0.port = port }
        for listener in listeners {
            let (host, port) = (listener.localAddress?.ipAddress ?? "?", listener.localAddress?.port ?? 0)
            logger.info("listening", metadata: ["address": "\(host)", "port": "\(port)"])
        }
        // Cancellation is the other way to be asked to end, and leads to the same goodbye.
        try? await gracefulShutdown()
        await stop(listeners)
    }

    /// A name for a connection that no other one has.
    func nextID() -> ConnectionID {
        lastID.wrappingAdd(1, ordering: .relaxed).newValue
    }

    // MARK: The ledger

    /// Enters a connection's channel.
    /// - Returns: Whether it may go on; not after the end.
    func enter(_ channel: any NIOCore.Channel, id: ConnectionID) -> Bool {
        let isEntered = ledger.withLock { ledger in
            guard !ledger.isStopped else { return false }
            ledger.channels[id] = channel
            return true
        }
        guard isEntered else { return false }
        channel.closeFuture.whenComplete { _ in
            self.ledger.withLock { $0.channels[id] = nil }
        }
        return true
    }

    /// Forgets a dial, whose outcome is known.
    /// - Returns: Whether it was open, that is, whether its outcome may be reported.
    func forget(_ dial: DialID) -> Bool {
        ledger.withLock { $0.dials.remove(dial) != nil }
    }

    /// Returns the callbacks for a connection's state.
    func reports(id: ConnectionID, dial: DialID?) -> HandlerSettings.Reports {
        HandlerSettings.Reports(
            established: { connection in
                let isStopped = self.ledger.withLock { ledger in
                    ledger.connections[id] = connection
                    return ledger.isStopped
                }
                if let dial { _ = self.forget(dial) }
                self.sink.opened(connection)
                // Its handshake ended while the goodbyes were being said.
                if isStopped { connection.close(.goingAway) }
            },
            closed: { id, reason in
                self.ledger.withLock { $0.connections[id] = nil }
                self.sink.closed(id, reason: reason)
            },
            failed: { failure in
                guard let dial else {
                    self.logger.debug("incoming connection failed", metadata: ["reason": "\(failure)"])
                    return
                }
                if self.forget(dial) { self.sink.dialFailed(dial, failure) }
            }
        )
    }

    // MARK: Stopping

    private func stop(_ listeners: [any NIOCore.Channel]) async {
        for listener in listeners {
            // A listener that is closed already is as good.
            try? await listener.close().get()
        }
        let open = ledger.withLock { ledger in
            ledger.isStopped = true
            ledger.port = nil
            return (ledger.channels, ledger.connections)
        }
        let (attempts, attemptEnds) = ledger.withLock { ledger in
            (ledger.attempts.values, Array(ledger.attemptEnds.values) + [ledger.probeEnd].compactMap(\.self))
        }
        for channel in attempts { channel.close(promise: nil) }
        for (id, channel) in open.0 where open.1[id] == nil { channel.close(promise: nil) }
        for connection in open.1.values { connection.close(.goingAway) }
        // The event loops must not end with something under way; the look-up of a name cannot be cut short.
        for end in attemptEnds {
            // The outcome of an attempt is reported where it began.
            try? await end.get()
        }
        // Every connection closes itself within its time, so this ends.
        for channel in open.0.values {
            // The reason why a channel was closed does not matter here.
            try? await channel.closeFuture.get()
        }
        do {
            try await group.shutdownGracefully()
        } catch {
            logger.warning("the event loops did not end in order", metadata: ["reason": "\(Self.words(for: error))"])
        }
        let dials = ledger.withLock { ledger in
            defer { ledger.dials.removeAll() }
            return ledger.dials
        }
        for dial in dials { sink.dialFailed(dial, .unreachable(Self.stoppedWords)) }
    }

    /// Why a dial fails after the end.
    static let stoppedWords = "this device is shutting down"
}
