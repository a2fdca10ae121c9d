import Sodium

/// The secret that opens the seal of a state directory: a credential that the system gives to the service, or a
/// passphrase.
///
/// A class, because it exists once and cannot be copied or printed, while it is asked for in one place and used in another.
package final class UnlockingSecret: Sendable {
    /// The kind of secret that opens a seal.
    package enum Kind: UInt8, Sendable, CaseIterable {
        /// By at least 32 bytes of any content that no person types.
        case credential = 1
        /// By a text that a person chose, through Argon2id.
        case passphrase = 2
    }

    /// The least bytes of a credential: those of a key.
    package static let credentialByteCountMin = 32
    /// The least bytes of a passphrase: below it no hash helps.
    package static let passphraseByteCountMin = 8
    /// The most bytes of either: the limit of systemd.
    package static let byteCountMax = 1 << 20

    /// The kind.
    package let kind: Kind
    private let secret: SecretBytes

    private init(_ kind: Kind, wiping bytes: inout [UInt8]) {
        self.kind = kind
        secret = SecretBytes(wiping: &bytes)
    }

    /// Takes a credential.
    /// - Parameter bytes: Its whole content; wiped.
    /// - Returns: `nil` when there are too few bytes or too many.
    package static func credential(wiping bytes: inout [UInt8]) -> UnlockingSecret? {
        guard (credentialByteCountMin...byteCountMax).contains(bytes.count) else {
            ConstantTime.wipe(&bytes)
            return nil
        }
        return UnlockingSecret(.credential, wiping: &bytes)
    }

    /// Takes a passphrase; one end of line behind it does not belong to it.
    /// - Parameter bytes: The text; wiped.
    /// - Returns: `nil` when there are too few bytes or too many.
    package static func passphrase(wiping bytes: inout [UInt8]) -> UnlockingSecret? {
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard (passphraseByteCountMin...byteCountMax).contains(bytes.count) else {
            ConstantTime.wipe(&bytes)
            return nil
        }
        return UnlockingSecret(.passphrase, wiping: &bytes)
    }

    /// Whether it is the same secret: for a passphrase that a person types twice.
    package func isEqual(to other: UnlockingSecret) -> Bool {
        kind == other.kind && secret.isEqual(to: other.secret)
    }

    /// Returns the key that a seal is locked with.
    /// - Parameters:
    ///   - salt: 16 bytes of the seal.
    ///   - parameters: The cost of one guess at a passphrase; without meaning for a credential.
    /// - Returns: A key in guarded memory.
    /// - Throws: `SodiumError.outOfMemory`; `wrongByteCount` for another salt.
    func lockKey(salt: [UInt8], parameters: Argon2id.Parameters) throws(SodiumError) -> SymmetricKey {
        switch kind {
        case .credential:
            secret.derivedKey(.sealCredential, info: salt, placement: .guarded)
        case .passphrase:
            try Argon2id.hash(secret, salt: salt, parameters: parameters)
                .derivedKey(.sealPassphrase, info: salt, placement: .guarded)
        }
    }
}
