import Identity
import Peering
import Session
import Sync
import Wire

/// The joining in progress, and its connections.
struct PairingDesk: Sendable {
    /// A search with the key of its channels.
    struct Search: Sendable {
        /// The search as the desk has it.
        var search: JoiningDesk.Search
        /// The key under which this device calls.
        var secret: ChannelSecret
        /// The time at which each address was last tried, in monotonic milliseconds.
        var tried: [PeerAddress: UInt64] = [:]
    }

    /// Everything that is decided.
    var core = JoiningDesk()
    /// The connections of its channels, and of those that it is about to close.
    var connections: [ConnectionID: any PeerConnection] = [:]
    /// The search in progress.
    private(set) var search: Search?

    /// Whether a channel is for joining.
    func isPairing(_ id: ConnectionID) -> Bool { core.isJoining(on: id) }

    /// The keys under which a device that wants to join may connect.
    var secrets: [ChannelSecret] {
        let tickets = (core.offer.map { [$0.offer.ticket] } ?? []) + core.retired.map(\.ticket)
        return core.enrolments.offers.map(\.token.channelSecret) + tickets.map(\.channelSecret)
    }

    /// Begins a search; one in progress ends.
    /// - Returns: Its number.
    mutating func begin(_ new: Search) -> UInt64 {
        search = new
        return core.begin(new.search)
    }

    /// Ends a search; another one that has replaced it continues.
    mutating func endSearch(_ number: UInt64, into effects: inout [JoiningEffect]) {
        guard core.search?.number == number else { return }
        search = nil
        core.endSearch(number, into: &effects)
    }

    /// An address is tried.
    mutating func tries(_ address: PeerAddress, at now: UInt64) { search?.tried[address] = now }
}
