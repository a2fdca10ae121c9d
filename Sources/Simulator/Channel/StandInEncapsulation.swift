package import Session
package import Sodium

/// A stand-in for ML-KEM-768, with its sizes and its behaviour and **without any secrecy**.
///
/// The encapsulated secret can be computed from the bytes that are sent. It serves simulations, fuzzers and tests of
/// the core, which need the same bytes in every run; the real library insists on randomness of its own. No part of
/// the daemon may import this target, which a test enforces.
package struct StandInEncapsulation: KeyEncapsulation {
    /// The number of bytes of a key that check the others; a key that fails this is malformed, as a real one with
    /// impossible numbers is.
    private static let checkByteCount = 32

    /// The mechanism; it has no state.
    package init() {}

    /// See `KeyEncapsulation`.
    package func makeKey(seed: borrowing SecretBytes) throws(KeyEncapsulationError) -> any DecapsulationKey {
        let body = Self.bytes(
            ChannelLimits.encapsulationKeyByteCount - Self.checkByteCount,
            from: [0] + seed.exportBytes()
        )
        return Key(encapsulationKey: body + Self.check(body))
    }

    /// See `KeyEncapsulation`.
    package func encapsulate(
        to key: [UInt8],
        randomness: borrowing SecretBytes
    ) throws(KeyEncapsulationError) -> EncapsulatedSecret {
        guard key.count == ChannelLimits.encapsulationKeyByteCount,
            Self.check(Array(key.dropLast(Self.checkByteCount))) == Array(key.suffix(Self.checkByteCount))
        else { throw .malformedKey }
        let ciphertext = Self.bytes(ChannelLimits.encapsulatedByteCount, from: [1] + randomness.exportBytes())
        return EncapsulatedSecret(ciphertext: ciphertext, secret: Self.secret(key, ciphertext))
    }

    private static func check(_ body: [UInt8]) -> [UInt8] {
        Blake2b.hash([2] + body, byteCount: checkByteCount)
    }

    private static func secret(_ key: [UInt8], _ ciphertext: [UInt8]) -> SecretBytes {
        SecretBytes(copying: Blake2b.hash([3] + key + ciphertext), placement: .transient)
    }

    /// Returns bytes that look random, computed block by block.
    private static func bytes(_ count: Int, from seed: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        var block: UInt8 = 0
        while bytes.count < count {
            bytes += Blake2b.hash([4, block] + seed, byteCount: 64)
            block += 1
        }
        return Array(bytes.prefix(count))
    }

    /// The key pair, all of which follows from its public half.
    private struct Key: DecapsulationKey {
        let encapsulationKey: [UInt8]

        func decapsulate(_ ciphertext: [UInt8]) throws(KeyEncapsulationError) -> SecretBytes {
            guard ciphertext.count == ChannelLimits.encapsulatedByteCount else { throw .malformedCiphertext }
            return secret(encapsulationKey, ciphertext)
        }
    }
}
