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
            let count = log.count
            try log.recover(certificate, with: entry)
            return log.count > count
        }
    }

    /// Removes a device by the recovery words, which outrank every device.
    /// - Parameters:
    ///   - device: The device.
    ///   - cuts: How much of its logs counts, as this store holds them.
    ///   - key: The key of the words that somebody gave.
    /// - Throws: `AccountError`, `PrivateFile.Failure`; then nothing changed.
    func remove(_ device: DeviceID, cuts: [ZoneCutRequest], by key: RecoveryKey) throws {
        _ = try change { log in
            var random = SystemRandom()
            let entry = try log.removingDevice(
                device,
                cuts: cuts,
                on: keys.deviceID,
                recoveryKey: key,
                using: &random
            )
            return try log.insert(entry.encoded)
        }
    }

    /// Replaces the recovery words by new ones, which this device keeps from then on.
    ///
    /// The new words are on the disk before the account log names their key: a crash in between leaves the old words in
    /// force, which the caller has, and never new ones that nobody has seen. Words of an account that this device has left
    /// go: no device is left in that account, so they open nothing.
    /// - Parameter key: The key of the present words.
    /// - Returns: The new words.
    /// - Throws: `AccountError`, `PrivateFile.Failure`; then the old words are in force.
    func replaceRecoveryWords(by key: RecoveryKey) throws -> [String] {
        var random = SystemRandom()
        let phrase = RecoveryPhrase(using: &random)
        _ = try change { log in
            let entry = try log.replacingRecoveryKey(with: phrase.publicKey, recoveryKey: key, using: &random)
            try files.recoveryKey.replace(KeyFile.encode(phrase))
            return try log.insert(entry.encoded)
        }
        return phrase.words
    }

    /// The words that outrank every device.
    /// - Returns: `nil` on a device that does not keep them; those of an account that it has left are not told.
    func recoveryWords() throws -> [String]? {
        guard let phrase = try files.recoveryKey.read(KeyFile.recoveryPhrase) else { return nil }
        return RecoveryKey(phrase).publicKey == accountState.recoveryKey ? phrase.words : nil
    }
}
