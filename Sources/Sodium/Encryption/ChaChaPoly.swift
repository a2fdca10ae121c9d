internal import CSodium

/// ChaCha20-Poly1305 (RFC 8439), with the nonce that Noise makes of a counter: for keys that count their messages.
package enum ChaChaPoly {
    /// The number of bytes that authentication adds.
    package static let tagByteCount = 16

    /// A 96-bit nonce.
    @safe
    package struct Nonce: Hashable, Sendable {
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

        func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
            unsafe withUnsafeBytes(of: (head, low, high)) { buffer in unsafe body(buffer) }
        }
    }

    /// Encrypts and authenticates.
    /// - Parameters:
    ///   - plaintext: The bytes to encrypt.
    ///   - key: The key.
    ///   - nonce: A value never used twice with this key.
    ///   - associatedData: The bytes to authenticate as well, which stay in the clear.
    /// - Returns: Ciphertext ‖ tag.
    package static func seal(
        _ plaintext: [UInt8],
        key: borrowing SymmetricKey,
        nonce: Nonce,
        associatedData: [UInt8] = []
    ) -> [UInt8] {
        var output = plaintext
        sealInPlace(&output, from: 0, key: key, nonce: nonce, associatedData: associatedData)
        return output
    }

    /// Encrypts the end of an array where it lies and appends the tag.
    ///
    /// No copy is made if the capacity suffices.
    /// - Parameters:
    ///   - bytes: The array.
    ///   - offset: The start of the plaintext; the bytes before it stay as they are.
    ///   - key: The key.
    ///   - nonce: A value never used twice with this key.
    ///   - associatedData: The bytes to authenticate as well, which stay in the clear.
    package static func sealInPlace(
        _ bytes: inout [UInt8],
        from offset: Int,
        key: borrowing SymmetricKey,
        nonce: Nonce,
        associatedData: [UInt8] = []
    ) {
        SodiumLibrary.start()
        precondition((0...bytes.count).contains(offset), "the plaintext starts outside of the array")
        let count = bytes.count - offset
        bytes.appendZeros(tagByteCount)
        unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            // The array is not empty any more, so there is an address.
            guard let start = buffer.baseAddress else { return }
            let text = unsafe start + offset
            unsafe key.secret.withBytes { keyBytes in
                unsafe nonce.withBytes { nonceBytes in
                    unsafe _ = crypto_aead_chacha20poly1305_ietf_encrypt(
                        text,
                        nil,
                        text,
                        UInt64(count),
                        associatedData,
                        UInt64(associatedData.count),
                        nil,
                        nonceBytes.octets,
                        keyBytes.octets
                    )
                }
            }
        }
    }

    /// Encrypts bytes in memory into memory.
    /// - Parameters:
    ///   - plaintext: The bytes to encrypt.
    ///   - output: Room for exactly the plaintext and the tag; it may start where the plaintext starts.
    ///   - key: The key.
    ///   - nonce: A value never used twice with this key.
    ///   - associatedData: The bytes to authenticate as well, which stay in the clear.
    package static func seal(
        _ plaintext: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer,
        key: borrowing SymmetricKey,
        nonce: Nonce,
        associatedData: [UInt8] = []
    ) {
        SodiumLibrary.start()
        precondition(output.count == plaintext.count + tagByteCount, "no room for the tag, or too much")
        unsafe key.secret.withBytes { keyBytes in
            unsafe nonce.withBytes { nonceBytes in
                unsafe _ = crypto_aead_chacha20poly1305_ietf_encrypt(
                    output.octets,
                    nil,
                    plaintext.octets,
                    UInt64(plaintext.count),
                    associatedData,
                    UInt64(associatedData.count),
                    nil,
                    nonceBytes.octets,
                    keyBytes.octets
                )
            }
        }
    }

    /// Verifies and decrypts.
    /// - Parameters:
    ///   - sealed: Ciphertext ‖ tag.
    ///   - key: The key.
    ///   - nonce: The nonce it was sealed with.
    ///   - associatedData: The bytes that were authenticated as well.
    /// - Returns: The plaintext.
    /// - Throws: ``SodiumError/notAuthentic`` for any bytes but the sealed ones.
    package static func open(
        _ sealed: [UInt8],
        key: borrowing SymmetricKey,
        nonce: Nonce,
        associatedData: [UInt8] = []
    ) throws(SodiumError) -> [UInt8] {
        guard sealed.count >= tagByteCount else { throw .notAuthentic }
        var output = [UInt8](repeating: 0, count: sealed.count - tagByteCount)
        let isAuthentic = unsafe sealed.withUnsafeBytes { buffer in
            unsafe output.withUnsafeMutableBytes { target in
                unsafe opens(buffer, into: target, key: key, nonce: nonce, associatedData: associatedData)
            }
        }
        guard isAuthentic else { throw .notAuthentic }
        return output
    }

    /// Verifies and decrypts bytes in memory to the end of an array.
    /// - Parameters:
    ///   - sealed: Ciphertext ‖ tag.
    ///   - output: Gets the plaintext; left as it was after a failure.
    ///   - key: The key.
    ///   - nonce: The nonce it was sealed with.
    ///   - associatedData: The bytes that were authenticated as well.
    /// - Throws: ``SodiumError/notAuthentic`` for any bytes but the sealed ones.
    package static func open(
        _ sealed: UnsafeRawBufferPointer,
        appendingTo output: inout [UInt8],
        key: borrowing SymmetricKey,
        nonce: Nonce,
        associatedData: [UInt8] = []
    ) throws(SodiumError) {
        guard sealed.count >= tagByteCount else { throw .notAuthentic }
        let offset = output.count
        output.appendZeros(sealed.count - tagByteCount)
        let isAuthentic = unsafe output.withUnsafeMutableBytes { buffer in
            let target = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[offset...])
            return unsafe opens(sealed, into: target, key: key, nonce: nonce, associatedData: associatedData)
        }
        guard isAuthentic else {
            output.removeSubrange(offset...)
            throw .notAuthentic
        }
    }

    /// Verifies and decrypts bytes in memory into memory.
    /// - Parameters:
    ///   - sealed: Ciphertext ‖ tag.
    ///   - output: Room for exactly the plaintext; it may start where the ciphertext starts.
    ///   - key: The key.
    ///   - nonce: The nonce it was sealed with.
    ///   - associatedData: The bytes that were authenticated as well.
    /// - Throws: ``SodiumError/notAuthentic`` for any bytes but the sealed ones. Nothing was decrypted then.
    package static func open(
        _ sealed: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer,
        key: borrowing SymmetricKey,
        nonce: Nonce,
        associatedData: [UInt8] = []
    ) throws(SodiumError) {
        guard sealed.count >= tagByteCount else { throw .notAuthentic }
        precondition(output.count == sealed.count - tagByteCount, "the output is not the plaintext's size")
        guard unsafe opens(sealed, into: output, key: key, nonce: nonce, associatedData: associatedData) else {
            throw .notAuthentic
        }
    }

    /// The sizes are the callers' business.
    private static func opens(
        _ sealed: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer,
        key: borrowing SymmetricKey,
        nonce: Nonce,
        associatedData: [UInt8]
    ) -> Bool {
        SodiumLibrary.start()
        return unsafe key.secret.withBytes { keyBytes in
            unsafe nonce.withBytes { nonceBytes in
                unsafe crypto_aead_chacha20poly1305_ietf_decrypt(
                    output.octets,
                    nil,
                    nil,
                    sealed.octets,
                    UInt64(sealed.count),
                    associatedData,
                    UInt64(associatedData.count),
                    nonceBytes.octets,
                    keyBytes.octets
                ) == 0
            }
        }
    }
}
