package import Sodium

/// The signing key of a recovery phrase, for the moment in which it is used.
///
/// A class so that an ``AccountSigner`` can name it; release it as soon as the entry is signed.
package final class RecoveryKey: Sendable {
    /// Signs recovery entries of an account log.
    package let signingKey: SigningKey
    /// The secret of the channel on which the account's devices answer.
    package let door: RecoveryDoor

    /// The key of a phrase.
    /// - Parameter phrase: The phrase that the person typed.
    package init(_ phrase: borrowing RecoveryPhrase) {
        signingKey = phrase.signingKey()
        door = RecoveryDoor(phrase)
    }

    /// The public half, which the account log names.
    package var publicKey: VerifyingKey { signingKey.publicKey }
}
