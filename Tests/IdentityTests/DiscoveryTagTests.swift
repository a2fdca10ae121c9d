import Sodium
import TestSupport
import Testing
import Wire

@testable import Identity

@Suite struct DiscoveryTagTests {
    private static let hour: UInt64 = 3_600_000
    private static let nonce: [UInt8] = Array(0..<16)

    private func key(_ seed: UInt64) -> SymmetricKey {
        var generator = SeededGenerator(seed: seed)
        return SymmetricKey.generate(using: &generator)
    }

    private func matches(_ tag: [UInt8], seed: UInt64 = 51, nonce: [UInt8] = nonce, at now: UInt64) -> Bool {
        DiscoveryTag.matches(tag, key: key(seed), nonce: nonce, at: now)
    }

    @Test func `a tag is derived as in the protocol`() throws {
        let key = try SymmetricKey(bytes: Array(0..<32))
        let tag = DiscoveryTag.make(key: key, nonce: Self.nonce, at: 500_001 * Self.hour - 1)
        // 500,000 hours, in eight bytes.
        let message = Self.nonce + [0, 0, 0, 0, 0, 0x07, 0xA1, 0x20]
        #expect(tag == Blake2b.keyedHash(.discoveryTag, key: key, message, byteCount: 16))
    }

    @Test(arguments: [-3_600_000, -1, 0, 1, 3_600_000] as [Int64])
    func `a tag is known again by a clock that is an hour off`(difference: Int64) {
        let made = 500_000 * Self.hour
        let tag = DiscoveryTag.make(key: key(51), nonce: Self.nonce, at: made)
        let now = UInt64(Int64(made) + difference)
        #expect(matches(tag, at: now))
    }

    @Test func `an old tag, another key and other bytes are not known`() {
        let made = 500_000 * Self.hour
        let tag = DiscoveryTag.make(key: key(51), nonce: Self.nonce, at: made)
        #expect(!matches(tag, at: made + 2 * Self.hour))
        #expect(!matches(tag, seed: 52, at: made))
        #expect(!matches(tag, nonce: Array(1...16), at: made))
        #expect(!matches(Array(tag.dropLast()), at: made))
        #expect(!matches(tag, nonce: [], at: made))
    }

    @Test(arguments: [0, UInt64.max])
    func `the ends of time do not trap`(milliseconds: UInt64) {
        let tag = DiscoveryTag.make(key: key(51), nonce: Self.nonce, at: milliseconds)
        #expect(matches(tag, at: milliseconds))
    }
}
