import Identity
import Session
import Sync
import Wire

/// The keys by which devices of other accounts are found and called, one for each zone that is shared, as the daemon has them.
///
/// The zones are put in an order in which the first ones reach every account: those are announced and dialled under.
struct Doors {
    private var secrets: [ZoneID: ChannelSecret] = [:]
    /// Which zones come first.
    private(set) var order = DoorOrder()

    /// Takes what is known of a zone now.
    /// - Returns: Whether anything is different from before.
    mutating func update(_ authority: ZoneAuthority, own: AccountID) -> Bool {
        guard order.update(authority, own: own) else { return false }
        if secrets[authority.zone] == nil {
            let secret = ZoneSecret(zone: authority.zone, tagKey: authority.terms.tagKey)
            let purpose = ChannelSecret.Purpose.zone(identifier: authority.zone.bytes)
            secrets[authority.zone] = ChannelSecret(purpose: purpose, key: secret.presharedKey())
        }
        return true
    }

    /// Forgets a zone.
    mutating func remove(_ zone: ZoneID, own: AccountID) {
        order.remove(zone, own: own)
        secrets[zone] = nil
    }

    /// Whether an account may read a zone that could not at the last call.
    mutating func hasNewReader(_ authority: ZoneAuthority) -> Bool { order.hasNewReader(authority) }

    /// The key of a zone's channels.
    func secret(_ zone: ZoneID) -> ChannelSecret? { secrets[zone] }

    /// The keys under which connections are taken.
    var accepted: [ChannelSecret] { order.accepted.compactMap { secrets[$0] } }

    /// The zone that whoever announces these shares with this device.
    func zone(of announced: [ZoneID]) -> ZoneID? {
        let announced = Set(announced)
        return order.all.first { announced.contains($0) }
    }
}
