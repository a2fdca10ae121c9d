package import Sodium
package import Wire

/// The secret that the devices of a zone's accounts share, by which they find and call each other.
///
/// It is derived from the key of the zone's record tags, which every reader of the zone has. It decides which devices
/// may *talk*, never which may *do* something: a device that has lost a right keeps the secret, and is notified of
/// the reason.
package struct ZoneSecret: ~Copyable, Sendable {
    /// The zone.
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

    /// The key that makes announcements on the network recognisable to the accounts that share the zone.
    /// - Returns: The key for ``DiscoveryTag``.
    package func discoveryKey() -> SymmetricKey {
        key.derivedKey(.zoneDiscoveryKey, info: zone.bytes, placement: .guarded)
    }
}
