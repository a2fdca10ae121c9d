import Glibc
import Listening
import NIOCore
import NIOPosix
package import Node
package import Session
import Synchronization
package import Wire

// Connections that we make.
extension PeerTransport {
    /// Connects and shakes hands; the sink learns of the channel, or of the failure, once and within ten seconds.
    package func dial(_ address: PeerAddress, id dial: DialID, secret: ChannelSecret, version: ChannelVersion) {
        let ended = ledger.withLock { ledger -> EventLoopPromise<Void>? in
            guard !ledger.isStopped else { return nil }
            ledger.dials.insert(dial)
            let ended = group.next().makePromise(of: Void.self)
            ledger.attemptEnds[dial] = ended.futureResult
            return ended
        }
        guard let ended else {
            sink.dialFailed(dial, .unreachable(Self.stoppedWords))
            return
        }
        let bootstrap = clientBootstrap()
        let connecting =
            if let socketAddress = address.socketAddress {
                bootstrap.connect(to: socketAddress)
            } else {
                bootstrap.connect(host: address.host, port: Int(address.port))
            }
        // A name may lead to several attempts at once, so the handler comes only to the one that won. Nothing is lost
        // in between: the side that is connected to does not speak first.
        let begun = connecting.flatMap { channel in
            channel.eventLoop.submit { try self.begin(channel, address, .initiator(dial, secret, version)) }
                .flatMapErrorThrowing { error in
                    channel.close(promise: nil)
                    throw error
                }
        }
        begun.whenFailure { error in
            guard self.forget(dial) else { return }
            self.metrics.failed(.unreachable, .outgoing)
            self.sink.dialFailed(dial, Self.failure(error))
        }
        begun.whenComplete { _ in
            self.ledger.withLock { $0.attemptEnds[dial] = nil }
            ended.succeed()
        }
    }

    private func clientBootstrap() -> ClientBootstrap {
        ClientBootstrap(group: group)
            .channelInitializer { channel in self.attempt(channel) }
            .connectTimeout(limits.connectTimeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelOption(.tcpOption(.keepIdle), value: TCPKeepalive.idleSeconds)
            .channelOption(.tcpOption(.keepInterval), value: TCPKeepalive.intervalSeconds)
            .channelOption(.tcpOption(.keepCount), value: TCPKeepalive.count)
            .channelOption(.writeBufferWaterMark, value: Self.waterMark)
            .channelOption(.recvAllocator, value: Self.earlyReceiveAllocator)
            .channelOption(.maxMessagesPerRead, value: 1)
    }

    /// Enters a socket that is about to connect, so that the end does not wait for its time to pass.
    func attempt(_ channel: any NIOCore.Channel) -> EventLoopFuture<Void> {
        let id = ObjectIdentifier(channel)
        let isEntered = ledger.withLock { ledger in
            guard !ledger.isStopped else { return false }
            ledger.attempts[id] = channel
            return true
        }
        guard isEntered else { return channel.eventLoop.makeFailedFuture(Stopped()) }
        channel.closeFuture.whenComplete { _ in self.ledger.withLock { $0.attempts[id] = nil } }
        return channel.eventLoop.makeSucceededVoidFuture()
    }

    private func begin(
        _ channel: any NIOCore.Channel,
        _ address: PeerAddress,
        _ role: HandlerSettings.Role
    ) throws {
        ledger.withLock { $0.attempts[ObjectIdentifier(channel)] = nil }
        let id = nextID()
        guard enter(channel, id: id) else { throw Stopped() }
        let settings = HandlerSettings(
            id: id,
            role: role,
            address: address,
            identity: identity,
            agreement: agreement,
            sink: sink,
            limits: limits,
            metrics: metrics,
            reports: reports(id: id, dial: role.dial)
        )
        let pass = doors.dialled(under: role.room, at: channel.eventLoop.now)
        try channel.pipeline.syncOperations.addHandler(PeerHandler(settings, pass: pass))
    }

    private struct Stopped: Error {}

    /// The amount that may wait in a socket's queue.
    static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(
        low: TransportLimits.socketQueueLow,
        high: TransportLimits.socketQueueHigh
    )

    /// Reads grow with the bytes that arrive and shrink again, so bulk is read in large pieces and quiet peers cost
    /// little.
    static let receiveAllocator = AdaptiveRecvByteBufferAllocator(
        minimum: 2 << 10,
        initial: 4 << 10,
        maximum: TransportLimits.readByteCountMax
    )

    /// The same before the identity of the other side is known: no message is long there.
    static let earlyReceiveAllocator = AdaptiveRecvByteBufferAllocator(
        minimum: 1 << 10,
        initial: 2 << 10,
        maximum: TransportLimits.earlyReadByteCountMax
    )

    /// The number of reads at once as soon as it is known; it is the standard value of the sockets.
    static let readCountMax: UInt = 4

    /// Why connecting failed.
    static func failure(_ error: any Error) -> DialFailure {
        switch error {
        case NIOCore.ChannelError.connectTimeout: .silence
        case let error as IOError where error.errnoCode == ETIMEDOUT: .silence
        case let error as IOError where error.errnoCode == ECONNREFUSED: .refused
        // A firewall that rejects with an ICMP message looks like this as well.
        case let error as IOError where [EHOSTUNREACH, ENETUNREACH, EACCES].contains(error.errnoCode):
            .noRoute(words(for: error))
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { failure($0.error) } ?? .unreachable(words(for: error))
        default: .unreachable(words(for: error))
        }
    }

    /// The reason why connecting or listening failed, in a few words for people.
    static func words(for error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            if let first = error.connectionErrors.first {
                words(for: first.error)
            } else {
                "the name \(error.host) cannot be resolved"
            }
        case is Stopped:
            stoppedWords
        default:
            LibraryError.words(for: error)
        }
    }
}

/// The kernel's probes, which find that the other side is gone for good while neither side sends anything.
enum TCPKeepalive {
    /// Quiet time before the first probe.
    static let idleSeconds = 30
    /// Time between probes.
    static let intervalSeconds = 10
    /// The number of unanswered probes after which the connection is taken as lost.
    static let count = 3
}

extension NIOBSDSocket.Option {
    static let keepIdle = NIOBSDSocket.Option(rawValue: TCP_KEEPIDLE)
    static let keepInterval = NIOBSDSocket.Option(rawValue: TCP_KEEPINTVL)
    static let keepCount = NIOBSDSocket.Option(rawValue: TCP_KEEPCNT)
}
