internal import CSodium

/// BLAKE2b with 64 bytes of output, the hash of the channel.
package enum Blake2b512: HashAlgorithm {
    /// 64 bytes.
    package static let byteCount = 64
    /// 128 bytes.
    package static let blockByteCount = 128
    /// The name in Noise protocol names.
    package static let noiseName = "BLAKE2b"

    /// Hashes the concatenation of two pieces.
    package static func write(
        digestOf first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer,
        to output: UnsafeMutableRawBufferPointer
    ) {
        var hasher = Blake2bHasher(byteCount: byteCount)
        unsafe hasher.update(first)
        unsafe hasher.update(second)
        unsafe hasher.finalize(into: output)
    }
}

/// SHA-256 (FIPS 180-4), for foreign formats and test vectors.
package enum SHA256: HashAlgorithm {
    /// 32 bytes.
    package static let byteCount = 32
    /// 64 bytes.
    package static let blockByteCount = 64
    /// The name in Noise protocol names.
    package static let noiseName = "SHA256"

    /// Hashes the concatenation of two pieces.
    package static func write(
        digestOf first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer,
        to output: UnsafeMutableRawBufferPointer
    ) {
        SodiumLibrary.start()
        precondition(output.count == byteCount, "the output has another size than the hash")
        var state = crypto_hash_sha256_state()
        unsafe crypto_hash_sha256_init(&state)
        unsafe crypto_hash_sha256_update(
            &state,
            first.octets,
            UInt64(first.count)
        )
        unsafe crypto_hash_sha256_update(
            &state,
            second.octets,
            UInt64(second.count)
        )
        unsafe crypto_hash_sha256_final(&state, output.octets)
        unsafe sodium_memzero(&state, MemoryLayout<crypto_hash_sha256_state>.size)
    }
}

/// SHA-512 (FIPS 180-4), for foreign formats and test vectors.
package enum SHA512: HashAlgorithm {
    /// 64 bytes.
    package static let byteCount = 64
    /// 128 bytes.
    package static let blockByteCount = 128
    /// The name in Noise protocol names.
    package static let noiseName = "SHA512"

    /// Hashes the concatenation of two pieces.
    package static func write(
        digestOf first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer,
        to output: UnsafeMutableRawBufferPointer
    ) {
        SodiumLibrary.start()
        precondition(output.count == byteCount, "the output has another size than the hash")
        var state = crypto_hash_sha512_state()
        unsafe crypto_hash_sha512_init(&state)
        unsafe crypto_hash_sha512_update(
            &state,
            first.octets,
            UInt64(first.count)
        )
        unsafe crypto_hash_sha512_update(
            &state,
            second.octets,
            UInt64(second.count)
        )
        unsafe crypto_hash_sha512_final(&state, output.octets)
        unsafe sodium_memzero(&state, MemoryLayout<crypto_hash_sha512_state>.size)
    }
}
