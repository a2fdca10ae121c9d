import Sodium
import TestSupport
import Testing
import Wire

@testable import Identity

@Suite struct AccountKeyringTests {
    private static func keyring(_ seed: UInt64 = 43) -> AccountKeyring {
        var generator = SeededGenerator(seed: seed)
        return AccountKeyring(using: &generator)
    }

    private static let zone = ZoneID(Digest32(word0: 1, word1: 2, word2: 3, word3: 4))

    @Test func `a device that got the secrets derives the same keys as the others`() throws {
        let keyring = Self.keyring()
        let parts = keyring.exportParts()
        let other = try AccountKeyring(
            fleetKey: parts.fleetKey,
            accountSalt: parts.accountSalt,
            zoneKey: parts.zoneKey
        )
        #expect(other.presharedKeyBytes == keyring.presharedKeyBytes)
        #expect(other.discoveryKeyBytes == keyring.discoveryKeyBytes)
        #expect(other.zoneTagKeyBytes(Self.zone) == keyring.zoneTagKeyBytes(Self.zone))
        #expect(other.defaultZoneSalt(container: "org.example") == keyring.defaultZoneSalt(container: "org.example"))
    }

    @Test func `no two derived values are the same`() {
        let keyring = Self.keyring()
        let parts = keyring.exportParts()
        let values = [
            parts.fleetKey, parts.accountSalt, parts.zoneKey,
            keyring.presharedKeyBytes, keyring.discoveryKeyBytes,
            keyring.zoneTagKeyBytes(Self.zone), keyring.zoneTagKeyBytes(.zero),
            keyring.defaultZoneSalt(container: "a"), keyring.defaultZoneSalt(container: "b"),
            Self.keyring(44).presharedKeyBytes,
        ]
        #expect(Set(values).count == values.count)
    }

    @Test func `the default zone of a container is the same on each device, and another for each account`() {
        let account = AccountID(Digest32(word0: 9, word1: 0, word2: 0, word3: 0))
        func zone(_ seed: UInt64, _ container: String) -> ZoneID {
            ZoneID(Self.keyring(seed).defaultZoneGenesis(container: container, name: "default", owner: account))
        }
        #expect(zone(43, "org.example") == zone(43, "org.example"))
        #expect(zone(43, "org.example") != zone(43, "org.example2"))
        #expect(zone(43, "org.example") != zone(44, "org.example"))
        let genesis = Self.keyring().defaultZoneGenesis(container: "org.example", name: "default", owner: account)
        #expect(genesis.isDefault && genesis.history == .full && genesis.owner == account)
    }

    @Test func `secrets of another size are refused`() {
        #expect(throws: SodiumError.wrongByteCount(expected: 32, actual: 31)) {
            try AccountKeyring(fleetKey: Array(repeating: 0, count: 31), accountSalt: [], zoneKey: [])
        }
    }

    @Test func `an actor is a device in one incarnation`() throws {
        let first = try #require(Incarnation(Array(repeating: UInt8(1), count: 16)))
        let second = try #require(Incarnation(Array(repeating: UInt8(2), count: 16)))
        let device = AccountFixture.device(0)
        #expect(
            ActorID(device: device, incarnation: first, right: .zero)
                == ActorID(device: device, incarnation: first, right: .zero)
        )
        #expect(
            ActorID(device: device, incarnation: first, right: .zero)
                != ActorID(device: device, incarnation: second, right: .zero)
        )
        #expect(
            ActorID(device: device, incarnation: first, right: .zero)
                != ActorID(device: AccountFixture.device(1), incarnation: first, right: .zero)
        )
    }
}

extension AccountKeyring {
    // Values that may not be copied may not stand inside `#expect`.
    fileprivate var presharedKeyBytes: [UInt8] { presharedKey().exportBytes() }
    fileprivate var discoveryKeyBytes: [UInt8] { discoveryKey().exportBytes() }
    fileprivate func zoneTagKeyBytes(_ zone: ZoneID) -> [UInt8] { zoneTagKey(zone).exportBytes() }
}
