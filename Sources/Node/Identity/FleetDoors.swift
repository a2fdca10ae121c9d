import Identity
import Session
import Wire

/// The keys by which the devices of this account find and call each other, as far as this one has them: the present one, and those that
/// devices which were off may still call by.
struct FleetDoors: Sendable {
    private struct Door: Sendable {
        let key: FleetKey
        let secret: ChannelSecret
    }

    private let presentDoor: Door
    /// The last one that was retired first.
    private let earlierDoors: [Door]

    /// - Parameters:
    ///   - keyring: The keys.
    ///   - fleet: What the account log says of them.
    init(_ keyring: AccountKeyring, _ fleet: FleetState) {
        let present = keyring.fleetKey(fleet)
        presentDoor = Door(key: present, secret: ChannelSecret(purpose: .fleet, key: present.presharedKey()))
        earlierDoors = keyring.fleetKeys.filter { $0.entry != present.entry }.sorted { $0.retired > $1.retired }.map {
            Door(
                key: $0,
                secret: ChannelSecret(purpose: .earlierFleet(entry: $0.entry.bytes), key: $0.presharedKey())
            )
        }
    }

    /// The present key, as far as this device has it.
    var key: FleetKey { presentDoor.key }
    /// That of the channels by it.
    var secret: ChannelSecret { presentDoor.secret }

    /// The entries that made the keys.
    var entries: [Hash] { [presentDoor.key.entry] + earlierDoors.map(\.key.entry) }

    /// Those of the channels by earlier keys that are answered.
    func earlierSecrets(at wall: UInt64) -> [ChannelSecret] {
        earlierDoors.filter { $0.key.isAnswered(at: wall) }.map(\.secret)
    }

    /// That of the channels by an earlier key.
    func earlierSecret(_ entry: Hash, at wall: UInt64) -> ChannelSecret? {
        earlierDoors.first { $0.key.entry == entry && $0.key.isAnswered(at: wall) }?.secret
    }

    /// The entries that made the keys by which it is worth calling where nobody answers to the present one.
    func earlierEntries(at wall: UInt64) -> [Hash] {
        earlierDoors.filter { $0.key.isAnswered(at: wall) }.prefix(Self.calledCountMax).map(\.key.entry)
    }

    /// By how many earlier keys an address is tried.
    private static let calledCountMax = 3

    /// By which of the keys an announcement was made.
    /// - Returns: The entry that made the key; `nil` for a stranger's.
    func entry(recognising tag: [UInt8], nonce: [UInt8], at wall: UInt64) -> Hash? {
        ([presentDoor] + earlierDoors.filter { $0.key.isAnswered(at: wall) }).first {
            DiscoveryTag.matches(tag, key: $0.key.discoveryKey(), nonce: nonce, at: wall)
        }?.key.entry
    }
}
