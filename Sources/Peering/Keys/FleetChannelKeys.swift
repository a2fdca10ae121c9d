package import Identity
package import Session
package import Wire

/// The keys by which the devices of one account find and call each other, as far as this device has them: the present one, and earlier ones,
/// which devices that were off may still call by.
package struct FleetChannelKeys: Sendable {
    /// The keys in their order.
    package let order: FleetKeyOrder
    /// The secret of the channels by the present key.
    package let secret: ChannelSecret
    private let secrets: [Hash: ChannelSecret]

    /// Derives the secrets of the channels.
    /// - Parameters:
    ///   - keyring: The keys.
    ///   - fleet: The state of the keys in the account log.
    /// - Complexity: O(keys), one derivation each.
    package init(_ keyring: AccountKeyring, _ fleet: FleetState) {
        order = FleetKeyOrder(keyring, fleet)
        secret = ChannelSecret(purpose: .fleet, key: order.present.presharedKey())
        secrets = order.earlier.reduce(into: [:]) { secrets, key in
            let purpose = ChannelSecret.Purpose.earlierFleet(entry: key.entry.bytes)
            secrets[key.entry] = ChannelSecret(purpose: purpose, key: key.presharedKey())
        }
    }

    /// The present key, as far as this device has it.
    package var key: FleetKey { order.present }

    /// The entries that made the keys.
    package var entries: [Hash] { order.entries }

    /// The secrets of the channels by earlier keys that are answered.
    package var earlierSecrets: [ChannelSecret] {
        order.answered.compactMap { secrets[$0.entry] }
    }

    /// Returns the secret of the channels by an earlier key.
    /// - Parameter entry: The entry that made the key.
    /// - Returns: `nil` for a key that is not answered any more.
    package func earlierSecret(_ entry: Hash) -> ChannelSecret? {
        order.answered.contains { $0.entry == entry } ? secrets[entry] : nil
    }

    /// Returns the entry of the key with which an announcement was made.
    /// - Parameters:
    ///   - tag: The tag of the announcement.
    ///   - nonce: Its nonce.
    ///   - wall: The time, in milliseconds since 1970.
    /// - Returns: The entry that made the key; `nil` for a stranger's.
    /// - Complexity: O(keys), three tags each.
    package func entry(recognising tag: [UInt8], nonce: [UInt8], at wall: UInt64) -> Hash? {
        ([order.present] + order.answered).first {
            DiscoveryTag.matches(tag, key: $0.discoveryKey(), nonce: nonce, at: wall)
        }?.entry
    }
}
