import Peering
import Session
import Sync
import Synchronization
import Wire

/// A notice for the synchronisation service, in the order of the events.
enum SyncNotice: Sendable {
    /// A channel is established.
    case opened(any PeerConnection)
    /// A message arrived.
    case message(ConnectionID, [UInt8])
    /// A channel ended.
    case closed(ConnectionID, CloseReason)
    /// A dial led nowhere.
    case dialFailed(DialID, DialFailure)
    /// mDNS reported an event.
    case discovery(DiscoveryEvent)
    /// An answer of the store, for the core.
    case input(SyncInput)
    /// The reply to a change of the store that the core asked for.
    case stored(StoreWrite.Reply)
    /// A commit whose changes peers are notified of.
    case committed(PeerNotice)
    /// The account log changed.
    case accountChanged
    /// The outcome of a request on an invitation is decided and durable.
    case redeemed(ConnectionID, RedemptionOutcome)
    /// A relay that counts the uses has answered.
    case claimed(ClaimedUse)
    /// The account's book was looked through.
    case bookRead(BookFacts)
    /// A zone is known here by an invitation.
    case joined(InvitedZone<PeerAddress>)
    /// Payloads may be wanted, or be for relays to keep, that were not before.
    case payloadsMayBeDue
    /// Requests in the account's book may have waited long enough.
    case bookMayBeDue
    /// This store writes under another incarnation from now on.
    case incarnationChanged
    /// A deadline of the monotonic clock passed.
    case tick(deadline: UInt64)
}

/// The queue in front of the synchronisation service, filled from event loops and from the commit queue.
///
/// Bound: messages that wait for one connection are counted in bytes; beyond ``waitingByteCountMax`` the queue has
/// the transport stop reading that connection (overflow policy: back-pressure), and read on when they are taken. All
/// other notices are bounded by their source: connections, dials, and answers that the service itself asked for.
final class SyncMailbox: TransportSink {
    private struct State {
        var notices: [SyncNotice] = []
        var waitingByteCounts: [ConnectionID: Int] = [:]
        var paused: Set<ConnectionID> = []
        var isStopped = false
    }

    /// Bytes of messages that may wait for one connection: the largest message and a full window.
    static let waitingByteCountMax = 32 << 20

    /// Yields whenever there is something to take.
    let wake: AsyncStream<Void>
    private let wakeContinuation: AsyncStream<Void>.Continuation
    private let state = Mutex(State())
    private let identity: NodeIdentity
    private let parameters: HandshakeParameters

    init(identity: NodeIdentity, parameters: HandshakeParameters) {
        self.identity = identity
        self.parameters = parameters
        (wake, wakeContinuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Adds a notice.
    func put(_ notice: SyncNotice) {
        let isFirst = state.withLock { state in
            guard !state.isStopped else { return false }
            state.notices.append(notice)
            return state.notices.count == 1
        }
        if isFirst { wakeContinuation.yield() }
    }

    /// Adds the follow-up of a change; nothing wakes the service where there is none.
    func put(_ reply: StoreWrite.Reply) {
        if !reply.isEmpty { put(.stored(reply)) }
    }

    /// Takes all notices, and returns the connections that may be read again once they are handled.
    func take() -> (notices: [SyncNotice], resumable: Set<ConnectionID>) {
        state.withLock { state in
            defer {
                state.notices.removeAll(keepingCapacity: true)
                state.waitingByteCounts.removeAll(keepingCapacity: true)
                state.paused.removeAll()
            }
            return (state.notices, state.paused)
        }
    }

    /// Whether the service was asked to end.
    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Ends the service after the queued notices; later ones are dropped.
    func stop() {
        state.withLock { $0.isStopped = true }
        wakeContinuation.yield()
    }

    // MARK: TransportSink

    func acceptedSecrets() -> [ChannelSecret] {
        identity.acceptedSecrets()
    }

    func handshakePayload() -> [UInt8] {
        identity.handshakePayload(boot: parameters.boot, listenPort: parameters.listenPort())
    }

    func opened(_ connection: any PeerConnection) {
        put(.opened(connection))
    }

    func received(_ message: [UInt8], on connection: ConnectionID) -> Bool {
        let (isFirst, mayReadOn) = state.withLock { state in
            guard !state.isStopped else { return (false, false) }
            state.notices.append(.message(connection, message))
            let waiting = state.waitingByteCounts[connection, default: 0] + message.count
            state.waitingByteCounts[connection] = waiting
            guard waiting > Self.waitingByteCountMax else { return (state.notices.count == 1, true) }
            state.paused.insert(connection)
            return (state.notices.count == 1, false)
        }
        if isFirst { wakeContinuation.yield() }
        return mayReadOn
    }

    func closed(_ connection: ConnectionID, reason: CloseReason) {
        put(.closed(connection, reason))
    }

    func dialFailed(_ dial: DialID, _ failure: DialFailure) {
        put(.dialFailed(dial, failure))
    }
}

/// The contents of every handshake besides the identity.
package struct HandshakeParameters: Sendable {
    /// 16 random bytes for this process.
    package let boot: [UInt8]
    /// The port that peers may connect to; 0 while there is none.
    package let listenPort: @Sendable () -> UInt16

    /// Makes the parameters of a process.
    package init(boot: [UInt8], listenPort: @escaping @Sendable () -> UInt16) {
        self.boot = boot
        self.listenPort = listenPort
    }
}
