import Identity
import Wire

/// Whether a node and a device of another account share anything, by the node's knowledge, at any time of its clock.
struct SharedRights {
    /// A device and its account.
    struct Party {
        let device: DeviceID
        let account: AccountID
    }

    /// The node's zones.
    let zones: [RightsModel]
    let own: Party
    let other: Party

    /// Whether there is a zone of which both may read everything.
    func isShared(at wall: UInt64) -> Bool {
        zones.contains { zone in
            // An account that has not learnt yet that it is a participant is about to; a former one may read on where
            // all accounts may.
            let isOwn = !zone.parties.contains(own.account) || zone.mayRead(own.device, of: own.account, now: wall)
            return isOwn && zone.mayRead(other.device, of: other.account, now: wall)
        }
    }

    /// The time at which the sharing ends if no statement changes it.
    func end(after wall: UInt64) -> UInt64 {
        moments.first { $0 > wall && !isShared(at: $0) } ?? .max
    }

    /// The last time before at which sharing ended, if no statement changed it; zero for never.
    func end(before wall: UInt64) -> UInt64 {
        moments.last { $0 <= wall && $0 > 0 && isShared(at: $0 - 1) } ?? 0
    }

    /// The times at which rights of either party begin and end by the clock, ascending.
    private var moments: [UInt64] {
        zones.flatMap { $0.moments(of: own.account) + $0.moments(of: other.account) }.sorted()
    }
}
