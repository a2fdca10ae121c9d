package import Session
package import Sodium

/// Stands where ML-KEM-768 stands in the product, with its sizes and its manners and **without any secrecy**: what it
/// encapsulates can be computed from what is sent.
///
/// For simulations, fuzzers and tests of the core, which need the same bytes in every run; the library of the real one insists
/// on randomness of its own. No part of the daemon may import this target, and a test holds that.
package struct StandInEncapsulation: KeyEncapsulation {
    /// How many bytes of a key check the others; a key that fails this is malformed as one with impossible numbers is.
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

    /// So many bytes that look random, a block after the other.
    private static func bytes(_ count: Int, from seed: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        var block: UInt8 = 0
        while bytes.count < count {
            bytes += Blake2b.hash([4, block] + seed, byteCount: 64)
            block += 1
        }
        return Array(bytes.prefix(count))
    }

    /// Whoever knows the public half knows all of it.
    private struct Key: DecapsulationKey {
        let encapsulationKey: [UInt8]

        func decapsulate(_ ciphertext: [UInt8]) throws(KeyEncapsulationError) -> SecretBytes {
            guard ciphertext.count == ChannelLimits.encapsulatedByteCount else { throw .malformedCiphertext }
            return secret(encapsulationKey, ciphertext)
        }
    }
}
