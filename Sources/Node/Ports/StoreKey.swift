package import Sodium

/// The key of the secrets that lie in the store: the database alone reveals none of them.
package final class StoreKey: Sendable {
    /// The number of bytes by which sealing makes a secret longer.
    package static let overheadByteCount = XChaChaPoly.Nonce.byteCount + XChaChaPoly.tagByteCount

    private let key: SymmetricKey

    /// Takes the key of a state directory.
    /// - Parameter key: It never seals anything itself; keys for one purpose are made of it.
    package init(_ key: borrowing SymmetricKey) {
        self.key = key.derivedKey(.storeSecret, placement: .guarded)
    }

    /// Seals a secret.
    /// - Parameters:
    ///   - secret: The secret.
    ///   - place: The place in the store that the secret belongs to; it opens in no other place.
    /// - Returns: Nonce, ciphertext and tag.
    package func seal(_ secret: [UInt8], for place: [UInt8]) -> [UInt8] {
        var random = SystemRandom()
        let nonce = XChaChaPoly.Nonce(using: &random)
        return nonce.bytes + XChaChaPoly.seal(secret, key: key, nonce: nonce, associatedData: place)
    }

    /// Opens a secret.
    /// - Parameters:
    ///   - sealed: A secret sealed by ``seal(_:for:)``.
    ///   - place: The place in the store that the secret belongs to.
    /// - Returns: The secret; `nil` under another key, in another place, or when it is damaged.
    package func open(_ sealed: [UInt8], for place: [UInt8]) -> [UInt8]? {
        guard sealed.count >= Self.overheadByteCount else { return nil }
        do {
            let nonce = try XChaChaPoly.Nonce(bytes: Array(sealed[..<XChaChaPoly.Nonce.byteCount]))
            let rest = Array(sealed[XChaChaPoly.Nonce.byteCount...])
            return try XChaChaPoly.open(rest, key: key, nonce: nonce, associatedData: place)
        } catch {
            return nil
        }
    }
}
