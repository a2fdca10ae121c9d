import Identity
package import Session
import Sodium
package import Sync
package import Wire

/// The keys by which devices of other accounts are found and called: one for each zone that is shared with an
/// account.
package struct RendezvousKeys: Sendable {
    /// The keys of one zone; a class, since keys are not copied.
    private final class ZoneKeys: Sendable, UnprintedSecret {
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
    package static let announcedCountMax = 21
    /// The number of keys under which a connection is accepted: with those of account and pairing no more than a
    /// channel tries.
    package static let acceptedCountMax = 160
    /// The number of zones by which an announcement is searched.
    private static let recognisedCountMax = 256

    private var keys: [ZoneID: ZoneKeys] = [:]
    /// The precedence of the zones.
    package private(set) var order = DoorOrder()

    /// Starts without zones.
    package init() {}

    /// Takes the present facts about a zone.
    /// - Parameters:
    ///   - authority: The authority, which names the accounts that take part.
    ///   - own: This account.
    /// - Returns: Whether anything is different from before.
    /// - Complexity: O(zones · accounts).
    package mutating func update(_ authority: ZoneAuthority, own: AccountID) -> Bool {
        let zone = authority.zone
        let hasChanged = order.update(authority, own: own)
        let isNeeded = order.parties[zone] != nil
        guard hasChanged || isNeeded && keys[zone]?.tagKey != authority.terms.tagKey else { return false }
        if !isNeeded {
            keys[zone] = nil
        } else if keys[zone]?.tagKey != authority.terms.tagKey {
            keys[zone] = ZoneKeys(authority.terms, zone: zone)
        }
        assert(Set(keys.keys) == Set(order.parties.keys), "the zones with a door are those with a key")
        return true
    }

    /// Forgets a zone.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - own: This account.
    package mutating func remove(_ zone: ZoneID, own: AccountID) {
        order.remove(zone, own: own)
        keys[zone] = nil
    }

    /// Notes the accounts that may read a zone.
    /// - Parameter authority: The authority of the zone.
    /// - Returns: Whether an account may read it that could not at the last call.
    package mutating func hasNewReader(_ authority: ZoneAuthority) -> Bool { order.hasNewReader(authority) }

    /// Returns the secret of a zone's channels.
    /// - Parameter zone: The zone.
    /// - Returns: `nil` for a zone that is shared with nobody.
    package func secret(_ zone: ZoneID) -> ChannelSecret? { keys[zone]?.secret }

    /// The secrets under which connections are accepted; at most ``acceptedCountMax``.
    package var accepted: [ChannelSecret] {
        order.accepted.prefix(Self.acceptedCountMax).compactMap { keys[$0]?.secret }
    }

    /// Computes the tags by which members of shared zones recognise this device.
    /// - Parameters:
    ///   - nonce: The nonce of the announcement.
    ///   - wall: The time, in milliseconds since 1970.
    /// - Returns: At most ``announcedCountMax`` tags.
    package func tags(nonce: [UInt8], at wall: UInt64) -> [[UInt8]] {
        order.announced.prefix(Self.announcedCountMax).compactMap { zone in
            keys[zone].map { DiscoveryTag.make(key: $0.discoveryKey, nonce: nonce, at: wall) }
        }
    }

    /// Returns the zone that the sender of these tags shares with this device.
    /// - Parameters:
    ///   - tags: The tags of the announcement.
    ///   - nonce: Its nonce; of any size.
    ///   - wall: The time, in milliseconds since 1970.
    /// - Returns: `nil` for a stranger.
    /// - Complexity: O(zones), three tags each, at most 256 zones.
    package func zone(of tags: [[UInt8]], nonce: [UInt8], at wall: UInt64) -> ZoneID? {
        guard !tags.isEmpty, nonce.count == DiscoveryTag.nonceByteCount else { return nil }
        let announced = Set(tags)
        return order.all.prefix(Self.recognisedCountMax).first { zone in
            guard let keys = keys[zone] else { return false }
            return DiscoveryTag.all(key: keys.discoveryKey, nonce: nonce, at: wall).contains(where: announced.contains)
        }
    }
}
