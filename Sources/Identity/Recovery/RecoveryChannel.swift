package import Sodium

extension VerifyingKey {
    /// The channel's pre-shared key between a device that knows nothing but the recovery words and the account's devices.
    ///
    /// Made of the public half, which both ends have: the words give it, and the account log names it. So every device can
    /// be asked for help, whenever it joined, and a replaced recovery key takes its channel along. It only keeps strangers
    /// silent; what lets the newcomer in is an entry that the secret half has signed.
    /// - Returns: A key for whoever knows the account log or the words; meaningless for a device's key.
    package func recoveryChannelKey() -> SymmetricKey {
        SecretBytes(copying: bytes, placement: .transient).derivedKey(.recoveryChannel, placement: .guarded)
    }
}
