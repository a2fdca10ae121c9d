internal import CSodium

/// ChaCha20-Poly1305 (RFC 8439), with the nonce that Noise makes of a counter: for keys that count their messages.
package enum ChaChaPoly: AuthenticatedCipher {
    package static var functions: CipherFunctions {
        unsafe CipherFunctions(
            encrypt: crypto_aead_chacha20poly1305_ietf_encrypt,
            decrypt: crypto_aead_chacha20poly1305_ietf_decrypt
        )
    }

    /// A 96-bit nonce.
    @safe
    package struct Nonce: CipherNonce {
        /// Bytes 0 to 3, as they lie in memory.
        private let head: UInt32
        /// Bytes 4 to 11, as they lie in memory.
        private let low: UInt32
        private let high: UInt32

        /// Four zero bytes and the counter in little-endian order (Noise revision 34, §12.3).
        /// - Parameter counter: How many messages the key has sealed before.
        package init(counter: UInt64) {
            head = 0
            low = UInt32(truncatingIfNeeded: counter).littleEndian
            high = UInt32(truncatingIfNeeded: counter >> 32).littleEndian
        }

        /// Any 12 bytes.
        ///
        /// For foreign formats and test vectors.
        /// - Parameter bytes: 12 bytes.
        /// - Throws: ``SodiumError/wrongByteCount(expected:actual:)`` for any other count.
        package init(bytes: [UInt8]) throws(SodiumError) {
            guard bytes.count == 12 else { throw .wrongByteCount(expected: 12, actual: bytes.count) }
            (head, low, high) = unsafe bytes.withUnsafeBytes { buffer in
                unsafe (
                    buffer.loadUnaligned(fromByteOffset: 0, as: UInt32.self),
                    buffer.loadUnaligned(fromByteOffset: 4, as: UInt32.self),
                    buffer.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
                )
            }
        }

        package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
            unsafe withUnsafeBytes(of: (head, low, high)) { buffer in unsafe body(buffer) }
        }
    }
}
