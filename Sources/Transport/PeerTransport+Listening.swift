import Glibc
import Listening
import Logging
import NIOCore
import NIOPosix
import Node

// Connections that others make.
extension PeerTransport {
    /// Listens on one address.
    func bind(host: String, port: UInt16) async throws(TransportError) -> any NIOCore.Channel {
        let text = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        guard let address = try? SocketAddress(ipAddress: host, port: Int(port)) else { throw .notAnAddress(text) }
        do {
            return try await serverBootstrap().bind(to: address).get()
        } catch let error as IOError where error.errnoCode == EAFNOSUPPORT && host == "::" {
            // A kernel without IPv6: all addresses are the IPv4 ones.
            return try await bind(host: "0.0.0.0", port: port)
        } catch let error as IOError where error.errnoCode == EADDRINUSE && takesOtherPort && port != 0 {
            logger.notice(
                "the port is taken, as by another daemon: the system chooses one",
                metadata: ["port": "\(port)"]
            )
            return try await bind(host: host, port: 0)
        } catch {
            throw .cannotListen(address: text, reason: Self.words(for: error))
        }
    }

    private func serverBootstrap() -> ServerBootstrap {
        ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: TransportLimits.backlog)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { [shortage] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptPause(shortage))
                }
            }
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.socketOption(.so_keepalive), value: 1)
            .childChannelOption(.tcpOption(.keepIdle), value: TCPKeepalive.idleSeconds)
            .childChannelOption(.tcpOption(.keepInterval), value: TCPKeepalive.intervalSeconds)
            .childChannelOption(.tcpOption(.keepCount), value: TCPKeepalive.count)
            .childChannelOption(.writeBufferWaterMark, value: Self.waterMark)
            .childChannelOption(.recvAllocator, value: Self.earlyReceiveAllocator)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try self.accept(channel) }
            }
    }

    /// Accepts a new connection, or has it closed without an answer before anything was spent on it.
    private func accept(_ channel: any NIOCore.Channel) throws {
        guard let remote = channel.remoteAddress, let address = PeerAddress(remote) else { throw Refusal() }
        let pass: DoorPass
        do {
            pass = try doors.connected(from: remote, at: channel.eventLoop.now) { channel.close(promise: nil) }.get()
        } catch {
            metrics.refused(ConnectionRefusal(error.refusal))
            throw Refusal()
        }
        let id = nextID()
        guard enter(channel, id: id) else { throw Refusal() }
        let settings = HandlerSettings(
            id: id,
            role: .responder,
            address: address,
            identity: identity,
            agreement: agreement,
            sink: sink,
            limits: limits,
            metrics: metrics,
            reports: reports(id: id, dial: nil)
        )
        try channel.pipeline.syncOperations.addHandler(PeerHandler(settings, pass: pass))
    }

    /// An error without a message on purpose: a child channel whose set-up fails is closed.
    private struct Refusal: Error {}
}
