package import Sodium

/// A key and the number of messages it has sealed or opened (Noise revision 34, §5.1).
package struct CipherState: ~Copyable, Sendable {
    private var key: SymmetricKey
    /// Before the first key agreement of a handshake there is no key, and bytes pass in the clear.
    package private(set) var hasKey: Bool
    /// The nonce of the next message.
    ///
    /// 2⁶⁴ − 1 is never used for one: it is the rekey's.
    package private(set) var nonce: UInt64

    /// A state without a key.
    package init() {
        key = SymmetricKey(filler: ())
        hasKey = false
        nonce = 0
    }

    /// A state with a key.
    /// - Parameters:
    ///   - key: The key.
    ///   - nonce: The nonce of the next message; other than 0 only in tests.
    package init(key: consuming SymmetricKey, nonce: UInt64 = 0) {
        self.key = key
        self.nonce = nonce
        hasKey = true
    }

    /// The number of bytes that sealing adds at the moment.
    package var overheadByteCount: Int {
        hasKey ? ChaChaPoly.tagByteCount : 0
    }

    /// Encrypts the end of an array where it lies and appends the tag; without a key it does nothing.
    /// - Parameters:
    ///   - bytes: The array.
    ///   - offset: The start of the plaintext.
    ///   - associatedData: The bytes to authenticate as well.
    /// - Throws: ``NoiseError/nonceExhausted``; the array is left as it was.
    package mutating func seal(
        _ bytes: inout [UInt8],
        from offset: Int,
        associatedData: [UInt8] = []
    ) throws(NoiseError) {
        guard hasKey else { return }
        guard nonce != UInt64.max else { throw .nonceExhausted }
        ChaChaPoly.sealInPlace(
            &bytes,
            from: offset,
            key: key,
            nonce: .init(counter: nonce),
            associatedData: associatedData
        )
        // Below the maximum, as checked above.
        nonce &+= 1
    }

    /// Decrypts to the end of an array; without a key it copies.
    ///
    /// The nonce moves on only when the message is authentic, so that a forgery cannot push two sides out of step.
    /// - Parameters:
    ///   - sealed: Ciphertext ‖ tag.
    ///   - output: Gets the plaintext; left as it was after a failure.
    ///   - associatedData: The bytes that were authenticated as well.
    /// - Throws: ``NoiseError/notAuthentic`` or ``NoiseError/nonceExhausted``.
    package mutating func open(
        _ sealed: UnsafeRawBufferPointer,
        appendingTo output: inout [UInt8],
        associatedData: [UInt8] = []
    ) throws(NoiseError) {
        guard hasKey else {
            output.append(contentsOf: sealed)
            return
        }
        guard nonce != UInt64.max else { throw .nonceExhausted }
        do {
            try ChaChaPoly.open(
                sealed,
                appendingTo: &output,
                key: key,
                nonce: .init(counter: nonce),
                associatedData: associatedData
            )
        } catch {
            throw .notAuthentic
        }
        nonce &+= 1
    }

    /// Replaces the key by one that does not lead back to it (§4.2).
    ///
    /// The nonce goes on counting.
    package mutating func rekey() {
        guard hasKey else { return }
        var zeros = [UInt8](repeating: 0, count: SymmetricKey.byteCount)
        zeros.reserveCapacity(SymmetricKey.byteCount + ChaChaPoly.tagByteCount)
        ChaChaPoly.sealInPlace(&zeros, from: 0, key: key, nonce: .init(counter: UInt64.max))
        let output = SecretBytes(wiping: &zeros, placement: .transient)
        key = output.truncatedKey(placement: .guarded)
    }
}

extension SymmetricKey {
    /// A key of zeros that stands where no key is known yet; nothing is ever sealed with it.
    fileprivate init(filler: Void) {
        var generator = ZeroGenerator()
        self = .generate(using: &generator, placement: .transient)
    }
}

private struct ZeroGenerator: RandomNumberGenerator {
    mutating func next() -> UInt64 { 0 }
}
