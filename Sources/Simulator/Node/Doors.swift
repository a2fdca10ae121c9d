import Identity
import Session
import Sync
import Wire

/// The keys by which devices of other accounts are found and called, one for each zone that is shared, as the daemon has them.
///
/// The zones are put in an order in which the first ones reach every account: those are announced and dialled under.
struct Doors {
    private var secrets: [ZoneID: ChannelSecret] = [:]
    /// The accounts that take part in each zone, or did.
    private(set) var parties: [ZoneID: Set<AccountID>] = [:]
    /// The accounts that have a right in each zone.
    private var members: [ZoneID: Set<AccountID>] = [:]
    /// Who made each zone.
    private var makers: [ZoneID: AccountID] = [:]
    private var order: [ZoneID] = []
    /// The zones that together reach every account.
    private(set) var covering: [ZoneID] = []

    /// Takes what is known of a zone now.
    /// - Returns: Whether anything is different from before.
    mutating func update(_ authority: ZoneAuthority, own: AccountID) -> Bool {
        guard parties[authority.zone] != authority.parties else { return false }
        parties[authority.zone] = authority.parties
        if secrets[authority.zone] == nil {
            let secret = ZoneSecret(zone: authority.zone, tagKey: authority.terms.tagKey)
            let purpose = ChannelSecret.Purpose.zone(identifier: authority.zone.bytes)
            secrets[authority.zone] = ChannelSecret(purpose: purpose, key: secret.presharedKey())
        }
        var reached: Set<AccountID> = [own]
        var others: [ZoneID] = []
        covering = []
        makers[authority.zone] = authority.terms.genesis.owner
        // Whoever made a zone has its key for certain; who was only granted a right in one may never have heard of it.
        for zone in parties.keys.sorted() {
            if let maker = makers[zone], reached.insert(maker).inserted { covering.append(zone) }
        }
        for zone in parties.keys.sorted() where !covering.contains(zone) {
            let new = (parties[zone] ?? []).subtracting(reached)
            reached.formUnion(new)
            if new.isEmpty { others.append(zone) } else { covering.append(zone) }
        }
        order = covering + others
        return true
    }

    /// Whether somebody has a right in a zone that had none when this was last asked.
    mutating func hasNewMember(_ authority: ZoneAuthority) -> Bool {
        let now = Set(authority.members)
        let before = members.updateValue(now, forKey: authority.zone) ?? []
        return !now.isSubset(of: before)
    }

    /// The key of a zone's channels.
    func secret(_ zone: ZoneID) -> ChannelSecret? { secrets[zone] }

    /// The keys under which connections are taken.
    var accepted: [ChannelSecret] { order.compactMap { secrets[$0] } }

    /// A zone that reaches an account.
    func zone(reaching account: AccountID) -> ZoneID? { order.first { parties[$0]?.contains(account) == true } }

    /// The zone that whoever announces these shares with this device.
    func zone(of announced: [ZoneID]) -> ZoneID? {
        let announced = Set(announced)
        return order.first { announced.contains($0) }
    }
}
