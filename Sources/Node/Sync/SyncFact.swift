import Peering
import Session
import Sync
import Wire

/// A fact for the synchronisation service beside the events on its channels.
enum SyncFact: Sendable {
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

    /// Takes in the next fact where both are commits with nothing between them: those of one transaction, or of several while the service is
    /// busy.
    /// - Parameter later: The next fact.
    /// - Returns: False where they stay apart; then nothing has changed.
    mutating func join(_ later: SyncFact) -> Bool {
        guard case .committed(let next) = later, case .committed(var changes) = self else { return false }
        // Emptied first: changes that are held twice are copied.
        self = .tick(deadline: 0)
        defer { self = .committed(changes) }
        return changes.join(next)
    }

    /// Bytes of messages that may wait for one connection: the largest message and a full window.
    static let waitingByteCountMax = 32 << 20
}

extension ChannelQueue<SyncFact> {
    /// Adds the follow-up of a change; nothing wakes the service where there is none.
    func put(_ reply: StoreWrite.Reply) {
        if !reply.isEmpty { put(.stored(reply)) }
    }
}
