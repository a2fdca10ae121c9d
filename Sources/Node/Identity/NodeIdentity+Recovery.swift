package import Identity
import Session
import Sodium
import Sync
package import Wire

// The secrets and doors that belong to the recovery words.
extension NodeIdentity {
    /// The secrets under which a device that has the words may connect, as far as this device holds them: those of
    /// the present words, and of replaced ones, so that such a device learns of the replacement.
    static func recoverySecrets(
        of account: AccountState,
        _ keyring: AccountKeyring,
        for device: DeviceID
    ) -> [ChannelSecret] {
        keyring.answeredDoors(of: account, by: device).map {
            ChannelSecret(purpose: .recovery(key: $0.key.bytes), key: $0.presharedKey())
        }
    }

    /// Answers devices that have these words from now on; the door is on the disk first.
    ///
    /// For the device that replaces the words, and for those that receive the door of the new ones.
    /// - Throws: `PrivateFile.Failure`; then nothing changed.
    func answer(_ door: RecoveryDoor) throws {
        try changeKeyring { $0.answering(door) }
    }

    /// Lets a device in that shows an entry by the recovery key.
    /// - Throws: `AccountError`, `PrivateFile.Failure`; then nothing changed.
    package func recover(_ certificate: VerifiedCertificate, with entry: [UInt8]) throws {
        _ = try change { log in
            let revision = log.revision
            try log.recover(certificate, with: entry)
            return log.revision != revision
        }
    }

    /// This device's part of the account's present recovery words, to be sent to the account's other devices; `nil`
    /// if it has not received it yet.
    package var recoverySecret: RecoverySecret? {
        let (account, keyring, _) = fleetFacts
        return keyring.handedDoor(of: account)
    }

    /// Remembers the secret of the words' channel as another device of the account sent it; the newest offer alone.
    ///
    /// The entry that names the key may still be on its way, so it is kept until then, in memory.
    package func offer(_ secret: RecoverySecret) {
        do {
            setOfferedDoor(try RecoveryDoor(secret))
        } catch {
            // It is no key: its sender loses nothing but the way in by its own words.
        }
    }

    /// Keeps the offered secret if it belongs to the present words and this device holds none of them.
    /// - Throws: `PrivateFile.Failure`; then the offer is kept.
    package func keepOfferedDoor() throws {
        let (account, keyring, _) = fleetFacts
        guard let door = offeredDoor, let taken = keyring.taking(door, of: account) else { return }
        if taken !== keyring { try answer(door) }
        setOfferedDoor(nil)
    }

    /// Removes a device by the recovery words, which outrank every device.
    /// - Parameters:
    ///   - device: The device.
    ///   - key: The key of the given words.
    ///   - wallMilliseconds: The wall clock, in milliseconds since 1970.
    /// - Throws: `AccountError`, `PrivateFile.Failure`; then nothing changed.
    func remove(_ device: DeviceID, by key: RecoveryKey, wallMilliseconds: UInt64) throws {
        var made: FleetKey?
        _ = try change { log in
            var random = SystemRandom()
            let entry = try log.removingDevice(
                device,
                witness: log.state.witness(of: keys.deviceID, wallMilliseconds: wallMilliseconds),
                on: keys.deviceID,
                recoveryKey: key,
                using: &random
            )
            let isNew = try log.insert(entry.encoded)
            made = renewFleetKey(in: &log, signer: .recovery(key))
            return isNew
        }
        if let made { try hold([made]) }
    }

    /// Replaces the recovery words by new ones, which this device keeps from then on.
    ///
    /// The new words are on the disk before the account log names their key: a crash in between leaves the old words in
    /// force, which the caller has, and never new ones that no person has seen. Words of an account that this device
    /// has left are deleted: no device is left in that account, so they open nothing.
    /// - Parameter key: The key of the present words.
    /// - Returns: The new words.
    /// - Throws: `AccountError`, `PrivateFile.Failure`; then the old words are in force.
    func replaceRecoveryWords(by key: RecoveryKey) throws -> [String] {
        guard accountState.recoveryKey == key.publicKey else { throw AccountError.otherRecoveryKey }
        var random = SystemRandom()
        let phrase = RecoveryPhrase(using: &random)
        try files.recoveryKey.replace(KeyFile.encode(phrase))
        // Without the log's entry this opens nothing yet.
        try answer(RecoveryDoor(phrase))
        _ = try change { log in
            let entry = try log.replacingRecoveryKey(with: phrase.publicKey, recoveryKey: key, using: &random)
            return try log.insert(entry.encoded)
        }
        return phrase.words
    }

    /// The words that outrank every device.
    /// - Returns: `nil` on a device that does not keep them; those of an account that it has left are not returned.
    func recoveryWords() throws -> [String]? {
        guard let phrase = try files.recoveryKey.read(KeyFile.recoveryPhrase) else { return nil }
        return RecoveryKey(phrase).publicKey == accountState.recoveryKey ? phrase.words : nil
    }
}
