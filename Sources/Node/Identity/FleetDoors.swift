import Identity
import Session
import Wire

/// The keys by which the devices of this account find and call each other, as far as this one has them: the present one, and those that
/// devices which were off may still call by.
struct FleetDoors: Sendable {
    /// The keys.
    let order: FleetKeyOrder
    /// That of the channels by the present key.
    let secret: ChannelSecret
    private let secrets: [Hash: ChannelSecret]

    /// - Parameters:
    ///   - keyring: The keys.
    ///   - fleet: The state of the keys in the account log.
    init(_ keyring: AccountKeyring, _ fleet: FleetState) {
        order = FleetKeyOrder(keyring, fleet)
        secret = ChannelSecret(purpose: .fleet, key: order.present.presharedKey())
        secrets = order.earlier.reduce(into: [:]) { secrets, key in
            let purpose = ChannelSecret.Purpose.earlierFleet(entry: key.entry.bytes)
            secrets[key.entry] = ChannelSecret(purpose: purpose, key: key.presharedKey())
        }
    }

    /// The present key, as far as this device has it.
    var key: FleetKey { order.present }

    /// The entries that made the keys.
    var entries: [Hash] { order.entries }

    /// Those of the channels by earlier keys that are answered.
    var earlierSecrets: [ChannelSecret] {
        order.answered.compactMap { secrets[$0.entry] }
    }

    /// That of the channels by an earlier key.
    func earlierSecret(_ entry: Hash) -> ChannelSecret? {
        order.answered.contains { $0.entry == entry } ? secrets[entry] : nil
    }

    /// The entries of the keys to call by where no device answers to the present one.
    var earlierEntries: [Hash] { order.called.map(\.entry) }

    /// Returns the entry of the key with which an announcement was made.
    /// - Returns: The entry that made the key; `nil` for a stranger's.
    func entry(recognising tag: [UInt8], nonce: [UInt8], at wall: UInt64) -> Hash? {
        ([order.present] + order.answered).first {
            DiscoveryTag.matches(tag, key: $0.discoveryKey(), nonce: nonce, at: wall)
        }?.entry
    }
}
