/// A cipher that encrypts and authenticates, under nonces of its own length.
package protocol AuthenticatedCipher {
    /// A value that is never used twice with one key.
    associatedtype Nonce: CipherNonce

    /// The cipher's functions in libsodium.
    static var functions: CipherFunctions { get }
}

/// A nonce in the form that libsodium reads.
package protocol CipherNonce: Hashable, Sendable {
    /// Passes the bytes of the nonce.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result
}

/// The two functions by which libsodium offers each of its ciphers.
@safe
package struct CipherFunctions {
    typealias Encryption =
        @convention(c) (
            _ output: UnsafeMutablePointer<UInt8>, _ outputCount: UnsafeMutablePointer<UInt64>?,
            _ plaintext: UnsafePointer<UInt8>?, _ plaintextCount: UInt64,
            _ associatedData: UnsafePointer<UInt8>?, _ associatedDataCount: UInt64,
            _ secretNonce: UnsafePointer<UInt8>?, _ nonce: UnsafePointer<UInt8>, _ key: UnsafePointer<UInt8>
        ) -> Int32
    typealias Decryption =
        @convention(c) (
            _ output: UnsafeMutablePointer<UInt8>?, _ outputCount: UnsafeMutablePointer<UInt64>?,
            _ secretNonce: UnsafeMutablePointer<UInt8>?,
            _ sealed: UnsafePointer<UInt8>, _ sealedCount: UInt64,
            _ associatedData: UnsafePointer<UInt8>?, _ associatedDataCount: UInt64,
            _ nonce: UnsafePointer<UInt8>, _ key: UnsafePointer<UInt8>
        ) -> Int32

    let encrypt: Encryption
    let decrypt: Decryption
}

extension AuthenticatedCipher {
    /// The number of bytes that authentication adds.
    package static var tagByteCount: Int { 16 }

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
        precondition((0...bytes.count).contains(offset), "the plaintext starts outside of the array")
        let count = bytes.count - offset
        bytes.appendZeros(tagByteCount)
        unsafe bytes.withUnsafeMutableBytes { buffer in
            let output = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[offset...])
            let plaintext = unsafe UnsafeRawBufferPointer(rebasing: output[..<count])
            unsafe seal(plaintext, into: output, key: key, nonce: nonce, associatedData: associatedData)
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
                unsafe _ = functions.encrypt(
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
                unsafe functions.decrypt(
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
