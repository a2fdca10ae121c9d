import NIOCore
import NIOPosix
package import Node
import Synchronization
package import Wire

// Connections that only show whether a peer can be connected to.
extension PeerTransport {
    /// The maximum time of an attempt.
    private static let probeTimeout = TimeAmount.seconds(3)

    /// Connects, and closes the connection at once.
    ///
    /// On the way down nothing is tried, nor where the address is a name: it may lead to another machine now.
    package func probe(_ address: PeerAddress, completion: @escaping @Sendable (ReachOutcome) -> Void) {
        guard let socketAddress = address.socketAddress else { return completion(.notTried) }
        let ended = ledger.withLock { ledger -> EventLoopPromise<Void>? in
            guard !ledger.isStopped, ledger.probeEnd == nil else { return nil }
            let ended = group.next().makePromise(of: Void.self)
            ledger.probeEnd = ended.futureResult
            return ended
        }
        guard let ended else { return completion(.notTried) }
        let bootstrap = ClientBootstrap(group: group)
            .channelInitializer { channel in self.attempt(channel) }
            .connectTimeout(Self.probeTimeout)
        bootstrap.connect(to: socketAddress).map { channel in
            channel.close(promise: nil)
            return ReachOutcome.reached
        }
        .recover { error in
            switch Self.failure(error) {
            // A firewall that rejects looks like a missing route.
            case .refused, .noRoute: .refused
            case .silence: .silent
            // This device failed, not the other one: there is no descriptor left, for instance.
            case .ignored, .ourselves, .unreachable: .notTried
            }
        }
        .whenSuccess { outcome in
            self.ledger.withLock { $0.probeEnd = nil }
            ended.succeed()
            completion(outcome)
        }
    }
}
