import Capabilities
import Identity
import Records
import Sodium
import Sync
import Synchronization
import TestSupport
import Testing
import Wire

/// Remembered signatures change no result, and save checking them again.
@Suite("Signatures that were checked before")
struct SignatureMemoryTests {
    private func committer(_ neighbours: Neighbours, _ memory: Shared) -> Committer {
        let plain = neighbours.committer(0)
        return Committer(
            keys: plain.keys,
            account: plain.account,
            contacts: plain.accounts,
            keyring: plain.keyring,
            wallMilliseconds: plain.wallMilliseconds,
            verify: { signed in memory.signatures.withLock { $0.verify(signed) } }
        )
    }

    /// A memory that outlives committers, as a node's does.
    private final class Shared: Sendable {
        let signatures: Mutex<SignatureMemory>

        init(_ memory: SignatureMemory = SignatureMemory()) { signatures = Mutex(memory) }

        var checkCount: UInt64 { signatures.withLock(\.checkCount) }
    }

    @Test(arguments: 0..<8) func `a control log means the same, however much is remembered`(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        var neighbours = try Neighbours([1, 1, 1], seed: seed + 1)
        let zone = try neighbours.zone(of: 0)
        let (large, small) = (Shared(), Shared(SignatureMemory(validCount: 2, invalidCount: 1)))
        var granted: [Hash] = []
        for _ in 0..<20 {
            switch dice.next() % 4 {
            case 0 where !granted.isEmpty:
                let ended = granted.remove(at: Int(dice.next() % UInt64(granted.count)))
                try neighbours.change(0) { try ZoneSharing($0).revoke([ended], zone: zone, reason: "", in: &$2) }
            case 1: try forge(in: zone, &neighbours)
            default:
                let level: AccessLevel = dice.next() % 2 == 0 ? .read : .write
                granted.append(try neighbours.grant(level, to: 1 + Int(dice.next() % 2), by: 0, zone: zone))
            }
            let store = neighbours.homes[0].store
            let expected = try ZoneViews(neighbours.committer(0)).controlState(zone, in: store)
            for memory in [large, small] {
                let state = try ZoneViews(committer(neighbours, memory)).controlState(zone, in: store)
                #expect(state == expected, "seed \(seed)")
            }
        }
    }

    @Test func `no signature is checked twice, good or bad, and a changed one is another one`() throws {
        var neighbours = try Neighbours([1, 1], seed: 3)
        let zone = try neighbours.zone(of: 0)
        for level in [AccessLevel.read, .write] { _ = try neighbours.grant(level, to: 1, by: 0, zone: zone) }
        try forge(in: zone, &neighbours)
        let memory = Shared()
        for _ in 0..<3 {
            _ = try ZoneViews(committer(neighbours, memory)).controlState(zone, in: neighbours.homes[0].store)
        }
        #expect(memory.checkCount == 3)
        // Nor is a good signature's verdict given for another signature of the same capability.
        let good = try signed(in: zone, &neighbours)
        let bad = SignedCapability(good.capability, signature: try signed(in: zone, &neighbours).signature)
        for _ in 0..<2 {
            #expect(memory.signatures.withLock { $0.verify(good) != nil })
            #expect(memory.signatures.withLock { $0.verify(bad) == nil })
        }
        #expect(memory.checkCount == 5)
    }

    private func signed(in zone: ZoneID, _ neighbours: inout Neighbours) throws -> SignedCapability {
        let keys = neighbours.homes[0].keys
        return try Capability.issue(
            Capability.Terms(audience: neighbours.account(1), rights: Rights(.admin)),
            resource: .zone(zone),
            owner: neighbours.account(0),
            signer: keys.deviceID,
            using: &neighbours.random,
            sign: keys.sign
        )
    }

    /// A grant under a signature that is another capability's.
    private func forge(in zone: ZoneID, _ neighbours: inout Neighbours) throws {
        let (one, other) = (try signed(in: zone, &neighbours), try signed(in: zone, &neighbours))
        let forged = SignedCapability(one.capability, signature: other.signature)
        try neighbours.change(0) { committer, _, store in
            try LocalWrites(
                zone: zone,
                author: try committer.author(in: zone, store),
                wallMilliseconds: committer.wallMilliseconds,
                sign: { committer.keys.sign($0, context: .treeHead) }
            ).commitControl(.grant(Grant(forged)), in: &store)
        }
    }
}
