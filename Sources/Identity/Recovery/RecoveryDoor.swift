package import Sodium
package import Wire

/// The part of the recovery words that an account's devices hold: enough to answer a device that has the words, but
/// not to ask one.
///
/// The secret is derived from the words' bytes. So neither the account log nor the public half of the recovery key
/// leads to it: it is passed on with the account's other secrets. A removed device keeps it until the words are
/// replaced, and gets no answer by it, since the first message of the channel must be signed by the words themselves
/// (`docs/protocol/channel.md`, §3).
package final class RecoveryDoor: Sendable {
    /// The public half of the key that the words sign with, which the account log names.
    package let key: VerifyingKey
    private let secret: SymmetricKey

    /// The part of a phrase that a device holds.
    /// - Parameter phrase: The words.
    package init(_ phrase: borrowing RecoveryPhrase) {
        key = phrase.publicKey
        secret = phrase.channelKey()
    }

    /// Takes over the part that another device has.
    /// - Parameter handed: The part as received.
    /// - Throws: `SodiumError` for bytes that are no key.
    package init(_ handed: RecoverySecret) throws(SodiumError) {
        key = try VerifyingKey(bytes: handed.key)
        secret = try SymmetricKey(bytes: handed.secret)
    }

    /// The channel's pre-shared key.
    /// - Returns: A copy in guarded memory.
    package func presharedKey() -> SymmetricKey { secret.duplicate() }

    /// The secret in the clear, for the welcome of a new device and for the key file.
    /// - Returns: 32 of its bytes are secret; wipe them with `ConstantTime.wipe`.
    package func export() -> RecoverySecret { RecoverySecret(key: key.bytes, secret: secret.exportBytes()) }
}

extension RecoveryDoor: UnprintedSecret {
    package var description: String { "RecoveryDoor" }
}
