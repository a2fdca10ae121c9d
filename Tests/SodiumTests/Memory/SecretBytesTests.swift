import Sodium
import TestSupport
import Testing

@Suite struct SecretBytesTests {
    @Test(arguments: [SecretBytes.Placement.guarded, .transient])
    func `a secret lends the bytes that it holds`(_ placement: SecretBytes.Placement) {
        for count in [0, 1, 16, 31, 32, 4_096, 100_000] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            let secret = SecretBytes(copying: bytes, placement: placement)
            let lent = secret.withBytes { Array($0) }
            #expect(lent == bytes)
            let copy = secret.duplicate(placement: .transient)
            let isEqual = secret.isEqual(to: copy)
            #expect(isEqual)
        }
    }

    @Test func `moving bytes in wipes the array they came from`() {
        var bytes: [UInt8] = [1, 2, 3]
        let secret = SecretBytes(wiping: &bytes)
        #expect(bytes.isEmpty)
        let lent = secret.exportBytes()
        #expect(lent == [1, 2, 3])
    }

    @Test func `secrets of unequal bytes or sizes are unequal`() {
        let first = SecretBytes(copying: [1, 2, 3])
        let comparisons = [[1, 2, 4], [1, 2], [1, 2, 3, 4], []].map { first.isEqual(to: SecretBytes(copying: $0)) }
        #expect(comparisons == [false, false, false, false])
    }

    @Test func `a thousand guarded secrets are given back`() {
        for round in 0..<1_000 {
            let secret = SecretBytes(randomCount: 32)
            let count = secret.withBytes { $0.count }
            #expect(count == 32, "round \(round)")
        }
    }

    @Test func `a failing writer leaves nothing behind`() {
        #expect(throws: SodiumError.notAuthentic) {
            _ = try SecretBytes(count: 8) { _ throws(SodiumError) in throw .notAuthentic }
        }
    }

    @Test func `a seeded generator gives the same secret again and the system gives others`() {
        var first = SeededGenerator(seed: 3)
        var second = SeededGenerator(seed: 3)
        let one = SecretBytes(count: 32, using: &first)
        let two = SecretBytes(count: 32, using: &second)
        let same = one.isEqual(to: two)
        #expect(same)
        #expect(SystemRandom.bytes(32) != SystemRandom.bytes(32))
        var system = SystemRandom()
        #expect(system.next() != system.next())
        #expect(first.randomBytes(13).count == 13)
        #expect(SystemRandom.bytes(0).isEmpty)
    }

    @Test func `bytes are compared and wiped`() {
        #expect(ConstantTime.equal([1, 2], [1, 2]))
        #expect(!ConstantTime.equal([1, 2], [1, 3]))
        #expect(!ConstantTime.equal([1, 2], [1]))
        #expect(ConstantTime.equal([], []))
        var bytes: [UInt8] = [1]
        ConstantTime.wipe(&bytes)
        #expect(bytes.isEmpty)
    }
}
