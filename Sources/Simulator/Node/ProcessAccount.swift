package import Identity
package import Peering
import Sync
package import Wire

/// The account of a process, as the core reads and changes it.
package struct ProcessAccount: PeerAccount {
    unowned let process: NodeProcess
    /// The certificate of the device.
    package let certificate: VerifiedCertificate

    init(_ process: NodeProcess) {
        self.process = process
        certificate = process.node.disk.keys.device.certificate
    }

    /// The account, as its log has it.
    package var accountState: AccountState { process.log.state }
    /// The log of the account.
    package var log: AccountLog { process.log }
    /// The logs of the other accounts.
    package var contactLogs: [AccountID: AccountLog] { process.contacts }
    /// The keys by which the account's devices call each other.
    package var fleetKeys: FleetChannelKeys { process.fleet }
    /// Whether keys are sealed, and replaced.
    package var canReplaceKeys: Bool { process.fleetEnvelopes != nil }
    /// The part of the recovery words that this device passes on.
    package var recoverySecret: RecoverySecret? {
        process.hasAccountKeys ? process.keyring.handedDoor(of: process.log.state) : nil
    }

    /// Runs a change of the disk, so that a loss of power is not taken for a failed disk.
    private func guarded<Value>(_ body: () throws -> Value) throws -> Value {
        if let powerLoss = process.powerLoss { throw powerLoss }
        do {
            return try body()
        } catch let loss as PowerLoss {
            process.powerLoss = loss
            throw loss
        }
    }

    /// Runs a step of joining.
    private func joining<Value>(_ body: () throws -> Value) throws -> Value {
        try guarded {
            try process.countJoiningStep()
            return try body()
        }
    }

    /// Adds a device to the log.
    package func add(_ certificate: VerifiedCertificate, role: DeviceRole) throws {
        try joining {
            if case .active = process.log.state.standing(of: certificate.device) { return }
            try process.change { log in
                let entry = try log.addingDevice(
                    certificate,
                    role: role,
                    name: certificate.certificate.name,
                    signer: .device(process.keys),
                    using: &process.accountRandom
                )
                _ = try log.insert(entry.encoded)
            }
        }
    }

    /// Adds a device by an entry that the recovery key has signed.
    package func recover(_ certificate: VerifiedCertificate, with entry: [UInt8]) throws {
        try joining { try process.change { try $0.recover(certificate, with: entry) } }
    }

    /// Replaces the enrolment tokens.
    package func keep(_ enrolments: EnrolmentBook) throws {
        try joining { try process.node.disk.writeDurably(enrolments.encoded, to: .enrolments) }
    }

    /// All entries with the secrets.
    package func welcome() -> PairWelcome {
        PairWelcome(secrets: process.keyring.export(), entries: process.log.entries)
    }

    /// Enters another account.
    package func replaceAccount(log: AccountLog, keyring: AccountKeyring) throws {
        try joining {
            let disk = process.node.disk
            let bytes = AccountFile.encode(log.storedEntries)
            try disk.writeDurably(bytes, to: .joiningLog)
            // From here on the new account is in force: its name is in this file.
            try disk.writeDurably(KeyFile.encode(keyring, of: log.account), to: .accountKey)
            try disk.writeDurably(bytes, to: .accountLog)
            try disk.writeDurably(nil, to: .joiningLog)
            process.log = log
            process.keyring = keyring
            process.accountSecretsChanged()
        }
    }

    /// Takes entries of an account's log, its own or another's.
    package func insert(_ entries: [[UInt8]], of account: AccountID) throws(EntriesFault) {
        do {
            try guarded {
                if account == process.log.account {
                    try process.change { log in _ = try log.insert(contentsOf: entries) }
                } else {
                    try process.insertContactEntries(entries, of: account)
                }
            }
        } catch let error as AccountError {
            throw EntriesFault(error)
        } catch {
            throw .notWritten(error)
        }
    }

    /// Returns another account's log merged with these entries.
    package func merged(_ entries: [[UInt8]], of account: AccountID) throws -> AccountLog {
        try process.merged(entries, of: account)
    }

    /// Enters a newer certificate of a device in the log.
    package func enter(_ certificate: VerifiedCertificate) throws -> Bool {
        guard process.log.state.standing(of: certificate.device) == .active(.full) else { return false }
        return try guarded {
            var isNew = false
            try process.change { log in
                guard let entry = try log.renewing(certificate, by: process.keys, using: &process.accountRandom) else {
                    return
                }
                isNew = try log.insert(entry.encoded)
            }
            return isNew
        }
    }

    /// Returns whether these are the terms of the zone that the account shares with another one alone.
    package func derives(_ terms: ZoneTerms) -> Bool { PairZones(process.committer()).derives(terms) }

    // MARK: Secrets

    /// Remembers a secret of the recovery words from another device.
    package func offer(_ secret: RecoverySecret) {
        if let door = try? RecoveryDoor(secret) { process.offeredDoor = door }
    }

    /// Remembers a key of the account's devices from another device.
    package func offer(_ secret: FleetSecret) { process.offeredFleetKey = try? FleetKey(secret) }

    /// Keeps the offered secret, if it belongs to the present recovery words.
    package func settleOfferedDoor() throws {
        guard process.hasAccountKeys, let door = process.offeredDoor,
            let taken = process.keyring.taking(door, of: process.log.state)
        else { return }
        try guarded { try process.changeKeyring(taken) }
        process.offeredDoor = nil
    }

    /// Takes the keys for which the log has envelopes, and the offered one.
    package func settleFleetKeys() throws {
        guard process.hasAccountKeys else { return }
        let found = FoundFleetKeys(
            process.log.state,
            process.keyring,
            offered: process.offeredFleetKey,
            device: process.keys,
            envelopes: process.fleetEnvelopes
        )
        if found.hasOffered { process.offeredFleetKey = nil }
        try guarded { try process.hold(found.keys) }
    }

    /// Counts the days of retired keys.
    package func countRetiredDays() throws { try guarded { try process.hold([]) } }

    /// Makes another key of the account.
    package func replaceFleetKey() throws -> Bool {
        guard process.log.state.standing(of: certificate.device) == .active(.full) else { return false }
        return try guarded {
            var made: FleetKey?
            try process.change { log in made = process.renewFleetKey(in: &log, signer: .device(process.keys)) }
            guard let made else { return false }
            try process.hold([made])
            return true
        }
    }
}
