import Glibc
package import Records
package import Sodium
package import Wire

/// A device with a key, for tests: its identity follows from a small number.
package final class TestAuthor: Sendable {
    /// The device's signing key.
    package let key: SigningKey
    /// The author as which it writes.
    package let author: Author

    /// Makes the device of a number.
    /// - Parameters:
    ///   - number: The number of the device.
    ///   - life: The incarnation of its store.
    package init(_ number: UInt8, life: UInt8 = 0) {
        let seed = [UInt8](repeating: number &+ 1, count: 32)
        do {
            key = try SigningKey(seed: seed)
        } catch {
            preconditionFailure("a seed has 32 bytes")
        }
        guard let device = DeviceID(key.publicKey.bytes),
            let incarnation = Incarnation([UInt8](repeating: life, count: 16))
        else { preconditionFailure("a key has 32 bytes") }
        let actor = ActorID(digesting: .actorID, device.bytes + incarnation.bytes)
        author = Author(
            device: device,
            incarnation: incarnation,
            right: .zero,
            actor: actor,
            sealer: TestZone.epochKey.map {
                BodySealer(zone: TestZone.id, epoch: TestZone.epoch, key: $0, entropy: TransactionEntropy())
            }
        )
    }

    /// Signs the bytes of a tree head.
    package func sign(_ headBytes: [UInt8]) -> Signature64 {
        guard let signature = Signature64(key.signature(over: headBytes, context: .treeHead).bytes) else {
            preconditionFailure("a signature has 64 bytes")
        }
        return signature
    }

    /// The author's log in a zone.
    package func log(_ zone: ZoneID = TestZone.id, _ lane: Lane = .data) -> LogKey {
        LogKey(zone: zone, actor: author.actor, lane: lane)
    }
}

/// The one zone that tests replicate.
package enum TestZone {
    /// Its genesis.
    package static let genesis = ZoneGenesis(
        owner: AccountID([UInt8](repeating: 0xA0, count: 32)) ?? .zero,
        container: "org.example.notes",
        name: "default",
        salt: [UInt8](repeating: 7, count: 32),
        history: .full,
        isDefault: true
    )
    /// Its id.
    package static let id = ZoneID(digesting: .zoneID, genesis.identityBytes)
    /// The key under which its records are sealed; `nil` unless the tests are run with `KAIRAN_TEST_SEALED=1`.
    package static let epochKey: EpochKey? =
        getenv("KAIRAN_TEST_SEALED") == nil ? nil : try? EpochKey(bytes: [UInt8](repeating: 0x3C, count: 32))
    /// The epoch of that key.
    package static let epoch = Hash([UInt8](repeating: 0x3D, count: 32)) ?? .zero
    /// The key of its tags.
    package static let tagKey = [UInt8](repeating: 0x5A, count: 32)
}
