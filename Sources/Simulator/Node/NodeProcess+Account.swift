import Identity
import Peering
import Records
import Session
import Sodium
import Sync
import Wire

// The account's secrets: the keys of channels, their renewal, and keys received from other devices. The steps are
// those of the daemon.
extension NodeProcess {
    /// The keys under which connections are accepted.
    var acceptedSecrets: [ChannelSecret] {
        [fleet.secret] + recoverySecrets + core.joiningSecrets + core.sharingSecrets + fleet.earlierSecrets
    }

    /// Whether the account's keys are passed on, and replaced.
    var hasAccountKeys: Bool { simulation.options.hasAccountKeys }

    /// The sealing of keys for the account's devices; `nil` where keys are not renewed.
    var fleetEnvelopes: StandInEnvelopes? {
        simulation.options.hasAccountKeys && simulation.options.isSealed ? StandInEnvelopes() : nil
    }

    // MARK: At the start

    /// Completes an interrupted change to another account, or undoes it, after a crash.
    static func settleEntering(_ disk: VirtualDisk) throws {
        guard let bytes = disk.contents(of: .joiningLog) else { return }
        let secrets = disk.contents(of: .accountKey).flatMap { try? KeyFile.accountKeys(from: $0) }
        if let log = try? AccountFile.decode(bytes), log.account == secrets?.account {
            try disk.writeDurably(bytes, to: .accountLog)
        }
        try disk.writeDurably(nil, to: .joiningLog)
    }

    /// The secrets of the account as the disk has them.
    static func keyring(on disk: VirtualDisk) -> AccountKeyring {
        let file = disk.contents(of: .accountKey).flatMap { try? KeyFile.accountKeys(from: $0) }
        return file?.keyring ?? disk.keys.keyring
    }

    // MARK: Changes

    /// Replaces the account's secrets once the new ones are on the disk.
    func changeKeyring(_ changed: AccountKeyring) throws {
        guard changed !== keyring else { return }
        try node.disk.writeDurably(KeyFile.encode(changed, of: log.account), to: .accountKey)
        keyring = changed
        accountSecretsChanged()
    }

    /// Derives the keys of channels again, after the log or the secrets have changed.
    func accountSecretsChanged() {
        fleet = FleetChannelKeys(keyring, log.state.fleet)
        recoverySecrets = keyring.answeredDoors(of: log.state, by: device).map {
            ChannelSecret(purpose: .recovery(key: $0.key.bytes), key: $0.presharedKey())
        }
    }

    /// Writes keys to the disk, and uses them as far as the account log allows.
    func hold(_ keys: [FleetKey]) throws {
        let held = keys.reduce(keyring) { $0.holding($1) }
        try changeKeyring(held.settled(log.state.fleet, at: node.wallMilliseconds) ?? held)
    }

    /// Makes a new key in a log that has just taken in a removal.
    func renewFleetKey(in log: inout AccountLog, signer: AccountSigner) -> FleetKey? {
        guard fleetEnvelopes != nil else { return nil }
        return log.renewFleetKey(
            signer: signer,
            envelopes: fleetEnvelopes,
            entropy: TransactionEntropy(using: &accountRandom),
            using: &accountRandom
        )
    }

    /// Replaces the recovery words.
    /// - Throws: `AccountError`, `StorageError`; then the old words are in force.
    func replaceRecoveryWords(by key: RecoveryKey, with new: RecoveryKey) throws {
        guard log.state.recoveryKey == key.publicKey else { throw AccountError.otherRecoveryKey }
        // Without the entry in the log this opens nothing yet.
        try changeKeyring(keyring.answering(new.door))
        try change { log in
            let entry = try log.replacingRecoveryKey(with: new.publicKey, recoveryKey: key, using: &accountRandom)
            _ = try log.insert(entry.encoded)
        }
        try tellAccountChanged()
    }
}
