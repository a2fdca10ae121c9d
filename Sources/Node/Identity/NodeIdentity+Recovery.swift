import Identity
import Session
import Sodium
import Wire

// What the recovery words open.
extension NodeIdentity {
    /// Recovery keys that were replaced and whose words are still answered, if only with the reason why not.
    private static let earlierRecoveryKeyCountMax = 4

    /// The keys under which a device that has the words may connect, those of the present ones first.
    ///
    /// A removed device knows an old account, and would take whoever asks it there.
    static func recoverySecrets(of account: AccountState, for device: DeviceID) -> [ChannelSecret] {
        guard case .active = account.standing(of: device) else { return [] }
        return ([account.recoveryKey] + account.earlierRecoveryKeys.prefix(earlierRecoveryKeyCountMax)).map {
            ChannelSecret(purpose: .recovery(key: $0.bytes), key: $0.recoveryChannelKey())
        }
    }

    /// Lets a device in that shows an entry by the recovery key.
    /// - Throws: `AccountError`, `PrivateFile.Failure`; then nothing changed.
    func recover(_ certificate: VerifiedCertificate, with entry: [UInt8]) throws {
        _ = try change { log in
            let revision = log.revision
            try log.recover(certificate, with: entry)
            return log.revision != revision
        }
    }

    /// The words that outrank every device.
    /// - Returns: `nil` on a device that does not keep them; those of an account that it has left are not told.
    func recoveryWords() throws -> [String]? {
        guard let phrase = try files.recoveryKey.read(KeyFile.recoveryPhrase) else { return nil }
        return RecoveryKey(phrase).publicKey == accountState.recoveryKey ? phrase.words : nil
    }
}
