import Identity
import Session
import Sodium
import Sync
import Wire

/// The keys by which devices of other accounts are found and called: one for each zone that is shared with an
/// account.
struct ZoneDoors: Sendable {
    /// A zone's keys; a class, since keys are not copied.
    private final class Door: Sendable, UnprintedSecret {
        let description = "keys of a zone"
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

    /// The number of zones whose tags are announced: three strings of a TXT record with seven tags each.
    static let announcedCountMax = 21
    /// The number of keys under which a connection is accepted: with those of account and pairing no more than a
    /// channel tries.
    static let acceptedCountMax = 160
    /// The number of zones by which an announcement is searched.
    private static let recognisedCountMax = 256

    private var doors: [ZoneID: Door] = [:]
    /// The precedence of the zones.
    private(set) var order = DoorOrder()

    /// Takes the present facts about a zone.
    /// - Parameters:
    ///   - authority: The authority, which names the accounts that take part.
    ///   - own: This account.
    /// - Returns: Whether anything is different from before.
    mutating func update(_ authority: ZoneAuthority, own: AccountID) -> Bool {
        let zone = authority.zone
        let hasChanged = order.update(authority, own: own)
        let isNeeded = order.parties[zone] != nil
        guard hasChanged || isNeeded && doors[zone]?.tagKey != authority.terms.tagKey else { return false }
        if !isNeeded {
            doors[zone] = nil
        } else if doors[zone]?.tagKey != authority.terms.tagKey {
            doors[zone] = Door(authority.terms, zone: zone)
        }
        return true
    }

    /// Forgets a zone.
    mutating func remove(_ zone: ZoneID, own: AccountID) {
        order.remove(zone, own: own)
        doors[zone] = nil
    }

    /// Whether an account may read a zone that could not at the last call.
    mutating func hasNewReader(_ authority: ZoneAuthority) -> Bool { order.hasNewReader(authority) }

    /// The key of a zone's channels.
    func secret(_ zone: ZoneID) -> ChannelSecret? { doors[zone]?.secret }

    /// The keys under which connections are taken.
    var secrets: [ChannelSecret] {
        order.accepted.prefix(Self.acceptedCountMax).compactMap { doors[$0]?.secret }
    }

    /// The tags by which members of shared zones recognise this device.
    func tags(nonce: [UInt8], at wall: UInt64) -> [[UInt8]] {
        order.announced.prefix(Self.announcedCountMax).compactMap { zone in
            doors[zone].map { DiscoveryTag.make(key: $0.discoveryKey, nonce: nonce, at: wall) }
        }
    }

    /// Returns the zone that the sender of these tags shares with this device.
    /// - Complexity: O(zones).
    func zone(of tags: [[UInt8]], nonce: [UInt8], at wall: UInt64) -> ZoneID? {
        guard !tags.isEmpty, nonce.count == DiscoveryTag.nonceByteCount else { return nil }
        let announced = Set(tags)
        return order.all.prefix(Self.recognisedCountMax).first { zone in
            guard let door = doors[zone] else { return false }
            return DiscoveryTag.all(key: door.discoveryKey, nonce: nonce, at: wall).contains(where: announced.contains)
        }
    }
}
