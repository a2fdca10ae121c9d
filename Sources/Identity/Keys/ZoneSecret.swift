package import Sodium
package import Wire

/// What the devices of the accounts that share a zone know in common, and by which they find and call each other.
///
/// It comes from the key of the zone's record tags, which whoever may read the zone has. It says who may *talk*, never who
/// may *do* something: who has lost a right keeps the secret, and is told why.
package struct ZoneSecret: ~Copyable, Sendable {
    /// Which zone.
    package let zone: ZoneID
    private let key: SecretBytes

    /// Takes a zone's secret.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - tagKey: The 32-byte key of its record tags.
    package init(zone: ZoneID, tagKey: [UInt8]) {
        self.zone = zone
        key = SecretBytes(copying: tagKey, placement: .transient)
    }

    /// The channel's pre-shared key between devices of accounts that share the zone.
    /// - Returns: A key in guarded memory.
    package func presharedKey() -> SymmetricKey {
        key.derivedKey(.zoneChannelKey, info: zone.bytes, placement: .guarded)
    }

    /// The key that makes announcements on the network recognisable to those who share the zone.
    /// - Returns: The key for ``DiscoveryTag``.
    package func discoveryKey() -> SymmetricKey {
        key.derivedKey(.zoneDiscoveryKey, info: zone.bytes, placement: .guarded)
    }
}
