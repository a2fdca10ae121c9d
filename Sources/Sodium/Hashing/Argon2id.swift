internal import CSodium

/// Argon2id version 1.3 (RFC 9106), which makes each guess at a passphrase cost time and memory.
package enum Argon2id {
    /// The number of bytes of a salt.
    package static let saltByteCount = 16

    /// The cost of one hash.
    package struct Parameters: Hashable, Sendable {
        /// Passes over the memory, from 1 to 16.
        package let passCount: UInt32
        /// Memory in bytes, a multiple of 1,024 from 8 KiB to 1 GiB.
        package let memoryByteCount: UInt32

        /// The parameters for new passphrases: three passes over 256 MiB, libsodium's *moderate* setting.
        package static let moderate = Parameters(uncheckedPassCount: 3, memoryByteCount: 256 << 20)
        /// The least there is: for tests, and no protection.
        package static let least = Parameters(uncheckedPassCount: 1, memoryByteCount: 8 << 10)

        /// The most passes: with the most memory they take about a minute.
        package static let passCountMax: UInt32 = 16
        /// The most memory.
        package static let memoryByteCountMax: UInt32 = 1 << 30

        /// Takes parameters that a file states.
        /// - Parameters: as the properties of the same names.
        /// - Returns: `nil` outside of the limits: nothing is allocated for them then.
        package init?(passCount: UInt32, memoryByteCount: UInt32) {
            guard (1...Self.passCountMax).contains(passCount),
                (8 << 10...Self.memoryByteCountMax).contains(memoryByteCount), memoryByteCount.isMultiple(of: 1_024)
            else { return nil }
            self.init(uncheckedPassCount: passCount, memoryByteCount: memoryByteCount)
        }

        private init(uncheckedPassCount passCount: UInt32, memoryByteCount: UInt32) {
            self.passCount = passCount
            self.memoryByteCount = memoryByteCount
        }
    }

    /// Returns the key that belongs to a passphrase.
    /// - Parameters:
    ///   - passphrase: The text that a person chose; any bytes.
    ///   - salt: 16 bytes, drawn for this passphrase alone.
    ///   - parameters: The cost of the hash.
    /// - Returns: 32 bytes in guarded memory; raw material that a derivation for one purpose must take in.
    /// - Throws: ``SodiumError/wrongByteCount(expected:actual:)`` for another salt, ``SodiumError/outOfMemory(byteCount:)``.
    /// - Complexity: passes × memory; about a second for the moderate parameters.
    package static func hash(
        _ passphrase: borrowing SecretBytes,
        salt: [UInt8],
        parameters: Parameters
    ) throws(SodiumError) -> SecretBytes {
        guard salt.count == saltByteCount else {
            throw .wrongByteCount(expected: saltByteCount, actual: salt.count)
        }
        return try unsafe passphrase.withBytes { text throws(SodiumError) in
            try unsafe SecretBytes(count: SymmetricKey.byteCount) { output throws(SodiumError) in
                let code = unsafe crypto_pwhash(
                    output.octets,
                    UInt64(output.count),
                    UnsafeRawPointer(text.octets).assumingMemoryBound(to: CChar.self),
                    UInt64(text.count),
                    salt,
                    UInt64(parameters.passCount),
                    Int(parameters.memoryByteCount),
                    crypto_pwhash_alg_argon2id13()
                )
                // All sizes are within the function's limits, so memory is the only thing that it can lack.
                guard code == 0 else { throw .outOfMemory(byteCount: Int(parameters.memoryByteCount)) }
            }
        }
    }
}
