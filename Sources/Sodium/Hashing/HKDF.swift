/// HKDF (RFC 5869) over any ``HashAlgorithm``, and the shape of it that Noise uses.
package enum HKDF<Hash: HashAlgorithm> {
    /// Extract and expand.
    /// - Parameters:
    ///   - inputKey: The secret to derive from; may be empty.
    ///   - salt: A value that need not be secret; may be empty.
    ///   - info: The purpose of the output.
    ///   - byteCount: The output's size; at most 255 times the hash's.
    ///   - placement: The placement of the output.
    /// - Returns: The output.
    /// - Throws: ``SodiumError/outputTooLong(maximum:)``.
    package static func derive(
        from inputKey: borrowing SecretBytes,
        salt: [UInt8],
        info: [UInt8],
        byteCount: Int,
        placement: SecretBytes.Placement = .transient
    ) throws(SodiumError) -> SecretBytes {
        let maximum = 255 * Hash.byteCount
        guard byteCount <= maximum else { throw .outputTooLong(maximum: maximum) }
        // An absent salt is a string of zeros, which HMAC's padding makes the same as an empty key.
        let pseudoRandomKey = unsafe SecretBytes(count: Hash.byteCount, placement: .transient) { output in
            unsafe inputKey.withBytes { input in
                unsafe salt.withUnsafeBytes { key in unsafe HMAC<Hash>.write(codeOf: input, key: key, to: output) }
            }
        }
        return unsafe SecretBytes(count: byteCount, placement: placement) { output in
            unsafe expand(pseudoRandomKey, info: info, into: output)
        }
    }

    /// T(n) = HMAC(prk, T(n − 1) ‖ info ‖ n), until the output is full.
    private static func expand(
        _ pseudoRandomKey: borrowing SecretBytes,
        info: [UInt8],
        into output: UnsafeMutableRawBufferPointer
    ) {
        let size = Hash.byteCount
        unsafe withUnsafeTemporaryAllocation(byteCount: 2 * size + info.count + 1, alignment: 16) { scratch in
            let digest = unsafe UnsafeMutableRawBufferPointer(rebasing: scratch[0..<size])
            let message = unsafe UnsafeMutableRawBufferPointer(rebasing: scratch[size...])
            var previous = 0
            var written = 0
            var counter: UInt8 = 1
            while written < output.count {
                unsafe info.withUnsafeBytes { bytes in
                    let rest = unsafe message[previous...]
                    unsafe UnsafeMutableRawBufferPointer(rebasing: rest).copyMemory(from: bytes)
                }
                unsafe message[previous + info.count] = counter
                let input = unsafe UnsafeRawBufferPointer(rebasing: message[0..<(previous + info.count + 1)])
                unsafe pseudoRandomKey.withBytes { key in
                    unsafe HMAC<Hash>.write(codeOf: input, key: key, to: digest)
                }
                let count = min(size, output.count - written)
                unsafe UnsafeMutableRawBufferPointer(rebasing: output[written..<(written + count)])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: digest[0..<count]))
                unsafe message.copyMemory(from: UnsafeRawBufferPointer(digest))
                previous = size
                written += count
                // The size check of the caller keeps the counter within 1 ... 255 while it is used.
                counter &+= 1
            }
            unsafe SecretBytes.wipe(scratch)
        }
    }

    /// Noise's two outputs (revision 34, §4.3).
    /// - Parameters:
    ///   - chainingKey: The chaining key, as many bytes as the hash gives.
    ///   - inputKey: New key material: a Diffie–Hellman value, a pre-shared key, or nothing.
    /// - Returns: Two secrets of the hash's size.
    package static func noise2(chainingKey: borrowing SecretBytes, inputKey: borrowing SecretBytes) -> NoiseKeys2 {
        let all = noise(chainingKey: chainingKey, inputKey: inputKey, outputs: 2)
        return NoiseKeys2(first: all.piece(0, of: Hash.byteCount), second: all.piece(1, of: Hash.byteCount))
    }

    /// Noise's three outputs (revision 34, §4.3), used when a pre-shared key is mixed in.
    /// - Parameters:
    ///   - chainingKey: The chaining key, as many bytes as the hash gives.
    ///   - inputKey: New key material.
    /// - Returns: Three secrets of the hash's size.
    package static func noise3(chainingKey: borrowing SecretBytes, inputKey: borrowing SecretBytes) -> NoiseKeys3 {
        let all = noise(chainingKey: chainingKey, inputKey: inputKey, outputs: 3)
        return NoiseKeys3(
            first: all.piece(0, of: Hash.byteCount),
            second: all.piece(1, of: Hash.byteCount),
            third: all.piece(2, of: Hash.byteCount)
        )
    }

    /// Noise's derivation is HKDF with the chaining key as salt and no info.
    private static func noise(
        chainingKey: borrowing SecretBytes,
        inputKey: borrowing SecretBytes,
        outputs: Int
    ) -> SecretBytes {
        let size = Hash.byteCount
        let temporary = unsafe SecretBytes(count: size, placement: .transient) { output in
            unsafe chainingKey.withBytes { key in
                unsafe inputKey.withBytes { input in unsafe HMAC<Hash>.write(codeOf: input, key: key, to: output) }
            }
        }
        return unsafe SecretBytes(count: outputs * size, placement: .transient) { output in
            unsafe expand(temporary, info: [], into: output)
        }
    }
}

/// The two secrets of a Noise derivation.
package struct NoiseKeys2: ~Copyable, Sendable {
    /// The next chaining key, or the initiator's sending key at the split.
    package var first: SecretBytes
    /// The next cipher key, or the responder's sending key at the split.
    package var second: SecretBytes
}

/// The three secrets of a Noise derivation with a pre-shared key.
package struct NoiseKeys3: ~Copyable, Sendable {
    /// The next chaining key.
    package var first: SecretBytes
    /// The bytes to mix into the handshake hash.
    package var second: SecretBytes
    /// The next cipher key.
    package var third: SecretBytes
}
