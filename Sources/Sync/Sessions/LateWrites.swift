import Wire

/// The writes of a device above the end of its logs, as they are delivered in a session: on the one side those of this
/// device, on the other those of the peer.
struct LateWrites: Sendable {
    /// An answer of the peer.
    enum Awaited: Hashable, Sendable {
        /// The sizes of this device's logs in a zone that it holds.
        case sizes(ZoneID)
        /// The size that it keeps of the last run sent to it.
        case run(LogKey)
    }

    /// The delivery of all late writes of this device, which was removed, to another one of its account.
    struct Handover: Sendable {
        /// The zones whose turn has not come.
        var zones: [ZoneID]
        /// The sizes of this device's logs in the zones that had their turn.
        var offered: [LogKey: UInt64] = [:]
        /// The answer after which the next step is taken.
        var awaited: Awaited?
    }

    /// Zones in which the peer was sent this device's writes without a right.
    var deposited: Set<ZoneID> = []
    /// The delivery to a device of this account; `nil` while it has not begun.
    var handover: Handover?
    /// Zones in which the peer, which was removed, was sent the sizes that are held of its logs.
    var toldHeld: Set<ZoneID> = []
}
