internal import CSodium

/// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03): its nonce is long enough to be chosen at random.
package enum XChaChaPoly: AuthenticatedCipher {
    /// A 192-bit nonce.
    package typealias Nonce = FixedBytes<XChaChaNonceKind>

    package static var functions: CipherFunctions {
        unsafe CipherFunctions(
            encrypt: crypto_aead_xchacha20poly1305_ietf_encrypt,
            decrypt: crypto_aead_xchacha20poly1305_ietf_decrypt
        )
    }
}

/// The kind of `XChaChaPoly.Nonce`.
package enum XChaChaNonceKind: FixedBytesKind {
    package static let byteCount = 24

    fileprivate static let zero = XChaChaPoly.Nonce(unchecked: [UInt8](repeating: 0, count: byteCount))
}

extension FixedBytes: CipherNonce where Kind == XChaChaNonceKind {
    /// The nonce of zeros, for a key that seals one thing in its life.
    package static var zero: Self { XChaChaNonceKind.zero }

    /// A random nonce.
    /// - Parameter generator: The source of the randomness.
    package init(using generator: inout some RandomNumberGenerator) {
        self.init(unchecked: generator.randomBytes(Self.byteCount))
    }

    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe bytes.withUnsafeBytes { buffer in unsafe body(buffer) }
    }
}
