import Identity
import Wire

/// Whether a node and a device of another account share anything, by what the node knows, at any time of its clock.
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

    /// Whether there is a zone of which both may have all.
    func isShared(at wall: UInt64) -> Bool {
        zones.contains { zone in
            // Who has not heard yet that it takes part is about to; who took part may read on where everybody may.
            let isOwn = !zone.parties.contains(own.account) || zone.mayRead(own.device, of: own.account, now: wall)
            return isOwn && zone.mayRead(other.device, of: other.account, now: wall)
        }
    }

    /// When something that is shared will be so no more, if nobody says anything.
    func end(after wall: UInt64) -> UInt64 {
        moments.first { $0 > wall && !isShared(at: $0) } ?? .max
    }

    /// When something was shared for the last time before, if nobody said anything; zero for never.
    func end(before wall: UInt64) -> UInt64 {
        moments.last { $0 <= wall && $0 > 0 && isShared(at: $0 - 1) } ?? 0
    }

    /// When rights of either begin and end by the clock.
    private var moments: [UInt64] {
        zones.flatMap { $0.moments(of: own.account) + $0.moments(of: other.account) }.sorted()
    }
}
