package import Wire

/// Who signs a new entry of an account log.
package enum AccountSigner: Sendable {
    /// A device of the account.
    case device(DeviceIdentity)

    /// Whoever holds the recovery phrase.
    case recovery(RecoveryKey)

    /// The author that the entry names.
    package var author: AccountAuthor {
        switch self {
        case .device(let identity): .device(identity.deviceID)
        case .recovery: .recovery
        }
    }
}
