package import Wire

/// The signer of a new entry of an account log.
package enum AccountSigner: Sendable {
    /// A device of the account.
    case device(DeviceIdentity)

    /// The holder of the recovery phrase.
    case recovery(RecoveryKey)

    /// The author that the entry names.
    package var author: AccountAuthor {
        switch self {
        case .device(let identity): .device(identity.deviceID)
        case .recovery: .recovery
        }
    }
}
