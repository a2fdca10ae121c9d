import Identity
import Session
import Sync
import Wire

/// The keys by which devices of other accounts are found and called, one for each shared zone, as in the daemon.
///
/// The zones are in an order in which the first ones reach every account: those are announced and used for dialling.
struct Doors {
    private var secrets: [ZoneID: ChannelSecret] = [:]
    /// The order of the zones.
    private(set) var order = DoorOrder()

    /// Updates the rights in a zone.
    /// - Returns: Whether anything has changed.
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

    /// The keys under which connections are accepted.
    var accepted: [ChannelSecret] { order.accepted.compactMap { secrets[$0] } }

    /// The first zone that this device shares with a peer that announces the given zones.
    func zone(of announced: [ZoneID]) -> ZoneID? {
        let announced = Set(announced)
        return order.all.first { announced.contains($0) }
    }
}
