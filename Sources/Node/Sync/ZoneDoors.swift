import Identity
import Session
import Sodium
import Sync
import Wire

/// The keys by which devices of other accounts are found and called: one for each zone that is shared with somebody.
///
/// Two accounts may share many zones, and need one key. So the zones are put in an order in which the first ones reach every
/// account: those are announced, dialled under, and accepted before all others.
struct ZoneDoors: Sendable {
    /// A zone's keys; a class, since keys are not copied.
    private final class Door: Sendable {
        let tagKey: [UInt8]
        let secret: ChannelSecret
        let discoveryKey: SymmetricKey

        init(_ terms: ZoneTerms, zone: ZoneID) {
            tagKey = terms.tagKey
            let secret = ZoneSecret(zone: zone, tagKey: terms.tagKey)
            self.secret = ChannelSecret(purpose: .zone(identifier: zone.bytes), key: secret.presharedKey())
            discoveryKey = secret.discoveryKey()
        }
    }

    /// Zones whose tags are announced: three strings of a TXT record with seven tags each.
    static let announcedCountMax = 21
    /// Keys under which a connection is taken: with those of account and pairing no more than a channel tries.
    static let acceptedCountMax = 160
    /// Zones by which an announcement is looked through.
    private static let recognisedCountMax = 256

    private var doors: [ZoneID: Door] = [:]
    /// Who made each zone.
    private var makers: [ZoneID: AccountID] = [:]
    /// The accounts that take part in each zone, or did.
    private(set) var parties: [ZoneID: Set<AccountID>] = [:]
    /// The accounts that have a right in each zone.
    private var members: [ZoneID: Set<AccountID>] = [:]
    /// The zones, those first that together reach every account, each part ascending.
    private(set) var order: [ZoneID] = []
    /// How many of them reach every account.
    private(set) var coveringCount = 0

    /// Takes what is known of a zone now.
    /// - Parameters:
    ///   - authority: Who takes part in it.
    ///   - own: This account.
    /// - Returns: Whether anything is different from before.
    mutating func update(_ authority: ZoneAuthority, own: AccountID) -> Bool {
        // A zone that turns out never to have been shared has no door.
        let takingPart = authority.parties == [own] ? nil : authority.parties
        let hasOtherKey = doors[authority.zone].map { $0.tagKey != authority.terms.tagKey } ?? false
        guard parties[authority.zone] != takingPart || hasOtherKey else { return false }
        parties[authority.zone] = takingPart
        if takingPart == nil {
            doors[authority.zone] = nil
        } else if doors[authority.zone] == nil || hasOtherKey {
            doors[authority.zone] = Door(authority.terms, zone: authority.zone)
        }
        var reached: Set<AccountID> = [own]
        var covering: [ZoneID] = []
        var others: [ZoneID] = []
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
        coveringCount = covering.count
        return true
    }

    /// Whether somebody has a right in a zone that had none when this was last asked.
    mutating func hasNewMember(_ authority: ZoneAuthority) -> Bool {
        let now = Set(authority.members)
        let before = members.updateValue(now, forKey: authority.zone) ?? []
        return !now.isSubset(of: before)
    }

    /// The zones by whose keys others are called.
    var covering: ArraySlice<ZoneID> { order.prefix(coveringCount) }

    /// The key of a zone's channels.
    func secret(_ zone: ZoneID) -> ChannelSecret? { doors[zone]?.secret }

    /// The keys under which connections are taken.
    var secrets: [ChannelSecret] { order.prefix(Self.acceptedCountMax).compactMap { doors[$0]?.secret } }

    /// A zone that reaches an account.
    func zone(reaching account: AccountID) -> ZoneID? { order.first { parties[$0]?.contains(account) == true } }

    /// The tags by which those are to recognise this device who share a zone with it.
    func tags(nonce: [UInt8], at wall: UInt64) -> [[UInt8]] {
        covering.prefix(Self.announcedCountMax).compactMap { zone in
            doors[zone].map { DiscoveryTag.make(key: $0.discoveryKey, nonce: nonce, at: wall) }
        }
    }

    /// The zone that whoever announces these tags shares with this device.
    /// - Complexity: O(zones).
    func zone(of tags: [[UInt8]], nonce: [UInt8], at wall: UInt64) -> ZoneID? {
        guard !tags.isEmpty, nonce.count == DiscoveryTag.nonceByteCount else { return nil }
        let announced = Set(tags)
        return order.prefix(Self.recognisedCountMax).first { zone in
            guard let door = doors[zone] else { return false }
            return DiscoveryTag.all(key: door.discoveryKey, nonce: nonce, at: wall).contains(where: announced.contains)
        }
    }
}
