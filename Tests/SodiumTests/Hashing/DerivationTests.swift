import Sodium
import TestSupport
import Testing

@Suite struct DerivationTests {
    @Test func `Noise's outputs are HKDF with the chaining key as salt`() throws {
        var generator = SeededGenerator(seed: 8)
        let chaining = generator.bytes(64)
        let input = generator.bytes(32)
        let keys = HKDF<Blake2b512>.noise3(
            chainingKey: SecretBytes(copying: chaining),
            inputKey: SecretBytes(copying: input)
        )
        let plain = try HKDF<Blake2b512>.derive(
            from: SecretBytes(copying: input),
            salt: chaining,
            info: [],
            byteCount: 192
        ).exportBytes()
        let three = keys.first.exportBytes() + keys.second.exportBytes() + keys.third.exportBytes()
        #expect(three == plain)
        let pair = HKDF<Blake2b512>.noise2(
            chainingKey: SecretBytes(copying: chaining),
            inputKey: SecretBytes(copying: input)
        )
        let two = pair.first.exportBytes() + pair.second.exportBytes()
        #expect(two == Array(plain.prefix(128)))
    }

    @Test func `more output than HKDF can give is refused`() {
        #expect(throws: SodiumError.outputTooLong(maximum: 255 * 64)) {
            _ = try HKDF<Blake2b512>.derive(
                from: SecretBytes(copying: [1]),
                salt: [],
                info: [],
                byteCount: 255 * 64 + 1
            )
        }
    }

    @Test(arguments: [0, 1, 16, 32, 64, 65, 200])
    func `a secret of any size gives keys that depend on purpose, info and placement alone`(_ count: Int) {
        let secret = SecretBytes(copying: [UInt8](repeating: 5, count: count))
        let key = secret.derivedKey(.fleetKey, info: [1]).exportBytes()
        #expect(key == secret.derivedKey(.fleetKey, info: [1], placement: .guarded).exportBytes())
        #expect(key != secret.derivedKey(.fleetKey, info: [2]).exportBytes())
        #expect(key != secret.derivedKey(.zoneChannelKey, info: [1]).exportBytes())
        let longer = SecretBytes(copying: [UInt8](repeating: 5, count: count + 1))
        #expect(key != longer.derivedKey(.fleetKey, info: [1]).exportBytes())
        let long = secret.derivedBytes(.fleetKey, info: [1], byteCount: 64).exportBytes()
        #expect(long.count == 64 && !long.starts(with: key))
    }

    @Test func `a key derives as a secret with the same bytes does`() throws {
        let bytes = [UInt8](repeating: 6, count: 32)
        let fromKey = try SymmetricKey(bytes: bytes).derivedKey(.zoneTagKey, info: [3]).exportBytes()
        let fromSecret = SecretBytes(copying: bytes).derivedKey(.zoneTagKey, info: [3]).exportBytes()
        #expect(fromKey == fromSecret)
    }
}
