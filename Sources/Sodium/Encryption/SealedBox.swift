internal import CSodium

/// Anonymous public-key encryption of a small content to one device: libsodium's `crypto_box_seal`.
///
/// A fresh X25519 key per box, whose public half travels along; XSalsa20-Poly1305 inside. The box does not
/// authenticate its sender: sign it, or send it over a channel that does.
package enum SealedBox {
    /// The overhead of a box in bytes: a public key and a tag.
    package static let overheadByteCount = 48

    /// Encrypts to a device.
    /// - Parameters:
    ///   - plaintext: The bytes to encrypt.
    ///   - recipient: The key of the device that can open it.
    /// - Returns: The box; another one each time, since its key comes from the operating system's randomness.
    package static func seal(_ plaintext: [UInt8], to recipient: AgreementPublicKey) -> [UInt8] {
        SodiumLibrary.start()
        let count = plaintext.count + overheadByteCount
        return unsafe [UInt8](count: count) { output in
            unsafe _ = crypto_box_seal(output.octets, plaintext, UInt64(plaintext.count), recipient.bytes)
        }
    }

    /// Opens a box.
    /// - Parameters:
    ///   - box: The output of ``seal(_:to:)``.
    ///   - key: The recipient's secret key.
    /// - Returns: The contents, which are secret most of the time; nothing wipes them.
    /// - Throws: ``SodiumError/notAuthentic`` when it was sealed to another key or altered.
    package static func open(_ box: [UInt8], with key: borrowing AgreementKey) throws(SodiumError) -> [UInt8] {
        guard box.count >= overheadByteCount else { throw .notAuthentic }
        var plaintext = [UInt8](repeating: 0, count: box.count - overheadByteCount)
        let publicBytes = key.publicKey.bytes
        let code = unsafe key.withBytes { secret in
            unsafe crypto_box_seal_open(
                &plaintext,
                box,
                UInt64(box.count),
                publicBytes,
                secret.octets
            )
        }
        guard code == 0 else { throw .notAuthentic }
        return plaintext
    }
}
