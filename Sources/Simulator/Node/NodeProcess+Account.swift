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
        [fleet.secret] + recoverySecrets + joiner.secrets + rendezvous.accepted
            + fleet.earlierSecrets
    }

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

    /// Counts the days of retired keys, and makes a new key when that is due and this device's turn.
    ///
    /// It is due when a removed device may have the present key.
    func renewFleetKeyIfDue() throws {
        let hasRetired = !fleet.order.earlier.isEmpty
        if hasRetired, fleetKeeping.counts(at: monotonic) {
            do {
                try hold([])
            } catch is StorageError {
                // It is tried again in an hour.
            }
        }
        guard fleetEnvelopes != nil else { return }
        switch fleetKeeping.step(log.state, own: device, at: monotonic) {
        case .rest: fleetKeyDue = hasRetired ? fleetKeeping.countsAt : nil
        case .wait(let due): fleetKeyDue = due
        case .make:
            fleetKeyDue = monotonic + FleetKeeping.longestMilliseconds
            guard log.state.standing(of: device) == .active(.full) else { return }
            var made: FleetKey?
            do {
                try change { log in made = renewFleetKey(in: &log, signer: .device(keys)) }
                guard let made else { return }
                try hold([made])
            } catch is StorageError {
                // It is tried again in a minute.
            }
            try tellAccountChanged()
        }
    }

    /// Takes the keys for which the account log has envelopes, and the key that a peer has sent.
    func settleFleetKeys(into effects: inout [SyncEffect]) throws {
        guard simulation.options.hasAccountKeys else { return }
        let found = FoundFleetKeys(
            log.state,
            keyring,
            offered: offeredFleetKey,
            device: keys,
            envelopes: fleetEnvelopes
        )
        if found.hasOffered { offeredFleetKey = nil }
        let former = fleet.order.present.entry
        do {
            try hold(found.keys)
        } catch is StorageError {
            // It is tried again when the log changes.
        }
        accountSecretsChanged()
        handle(.fleetKeysChanged(fleet.order.handed, held: Set(fleet.order.entries)), into: &effects)
        guard toldFleetKey.map({ $0 != fleet.order.present.entry }) ?? (former != fleet.order.present.entry) else {
            toldFleetKey = fleet.order.present.entry
            return
        }
        toldFleetKey = fleet.order.present.entry
        // A device that was not recognised may be recognised now, and one that was off may be called.
        reconsiderSightings()
        simulation.discovery.repeatAnnouncement(node)
        sessions.directory.forgetRefusals()
        directoryChanged()
    }

    /// Keeps another device's secret of the recovery words, at once or when the account's log names their key.
    func settleRecoverySecret(into effects: inout [SyncEffect]) throws {
        guard simulation.options.hasAccountKeys else { return }
        if let door = offeredDoor, let taken = keyring.taking(door, of: log.state) {
            do {
                try changeKeyring(taken)
                offeredDoor = nil
            } catch is StorageError {
                // The offer stands.
            }
        }
        handle(.recoverySecretChanged(keyring.handedDoor(of: log.state)), into: &effects)
    }

    func take(_ secret: RecoverySecret, into effects: inout [SyncEffect]) throws {
        guard let door = try? RecoveryDoor(secret) else { return }
        offeredDoor = door
        try settleRecoverySecret(into: &effects)
    }

    func take(_ secret: FleetSecret, into effects: inout [SyncEffect]) throws {
        offeredFleetKey = try? FleetKey(secret)
        try settleFleetKeys(into: &effects)
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
