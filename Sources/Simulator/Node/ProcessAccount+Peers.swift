package import Identity
package import Peering
import Sync
package import Wire

// The account as the core reads and changes it.
extension ProcessAccount: PeerAccount {
    /// The account, as its log has it.
    package var accountState: AccountState { log.state }
    /// Whether keys are sealed, and replaced.
    package var canReplaceKeys: Bool { envelopes != nil }
    /// The part of the recovery words that this device passes on.
    package var recoverySecret: RecoverySecret? { hasKeys ? keyring.handedDoor(of: log.state) : nil }

    /// Makes a change of the disk, so that a loss of power is not taken for a failed disk.
    private func guarded<Value>(_ body: () throws -> Value) throws -> Value {
        if let powerLoss { throw powerLoss }
        do {
            return try body()
        } catch let loss as PowerLoss {
            powerLoss = loss
            throw loss
        }
    }

    /// Makes a step of joining.
    private func joining<Value>(_ body: () throws -> Value) throws -> Value {
        try guarded {
            try node.countJoiningStep()
            return try body()
        }
    }

    /// Adds a device to the log.
    package func add(_ certificate: VerifiedCertificate, role: DeviceRole) throws {
        try joining {
            if case .active = log.state.standing(of: certificate.device) { return }
            try add(certificate, as: role, using: &random)
        }
    }

    /// Adds a device by an entry that the recovery key has signed.
    package func recover(_ certificate: VerifiedCertificate, with entry: [UInt8]) throws {
        try joining { try change { try $0.recover(certificate, with: entry) } }
    }

    /// Replaces the enrolment tokens.
    package func keep(_ enrolments: EnrolmentBook) throws {
        try joining { try node.disk.writeDurably(enrolments.encoded, to: .enrolments) }
    }

    /// All entries with the secrets.
    package func welcome() -> PairWelcome { PairWelcome(secrets: keyring.export(), entries: log.entries) }

    /// Enters another account.
    package func replaceAccount(log: AccountLog, keyring: AccountKeyring) throws {
        try joining { try enter(log, keyring) }
    }

    /// Takes entries of an account's log, its own or another's.
    package func insert(_ entries: [[UInt8]], of account: AccountID) throws(EntriesFault) {
        do {
            try guarded {
                if account == log.account {
                    try change { log in _ = try log.insert(contentsOf: entries) }
                } else {
                    try insertContact(entries, of: account)
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
        guard var known = contactLogs[account] else { return try AccountLog(of: account, entries: entries) }
        _ = try known.insert(contentsOf: entries)
        return known
    }

    /// Enters a newer certificate of a device in the log.
    package func enter(_ certificate: VerifiedCertificate) throws -> Bool {
        guard log.state.standing(of: certificate.device) == .active(.full) else { return false }
        return try guarded {
            var isNew = false
            try change { log in
                guard let entry = try log.renewing(certificate, by: keys, using: &random) else { return }
                isNew = try log.insert(entry.encoded)
            }
            return isNew
        }
    }

    /// Returns whether these are the terms of the zone that the account shares with another one
    /// alone.
    package func derives(_ terms: ZoneTerms) -> Bool { PairZones(committer()).derives(terms) }

    // MARK: Secrets

    /// Remembers a secret of the recovery words from another device.
    package func offer(_ secret: RecoverySecret) {
        if let door = try? RecoveryDoor(secret) { offeredDoor = door }
    }

    /// Remembers a key of the account's devices from another device.
    package func offer(_ secret: FleetSecret) { offeredFleetKey = try? FleetKey(secret) }

    /// Keeps the offered secret, if it belongs to the present recovery words.
    package func keepOfferedDoor() throws {
        guard hasKeys, let door = offeredDoor, let taken = keyring.taking(door, of: log.state) else { return }
        try guarded { try changeKeyring(taken) }
        offeredDoor = nil
    }

    /// Takes the keys for which the log has envelopes, and the offered one.
    package func updateFleetKeys() throws {
        guard hasKeys else { return }
        let found = FoundFleetKeys(log.state, keyring, offered: offeredFleetKey, device: keys, envelopes: envelopes)
        if found.hasOffered { offeredFleetKey = nil }
        try guarded { try hold(found.keys) }
    }

    /// Counts the days of retired keys.
    package func countRetiredDays() throws { try guarded { try hold([]) } }

    /// Makes another key of the account.
    package func replaceFleetKey() throws -> Bool {
        guard log.state.standing(of: certificate.device) == .active(.full) else { return false }
        return try guarded {
            var made: FleetKey?
            try change { log in made = renewFleetKey(in: &log) }
            guard let made else { return false }
            try hold([made])
            return true
        }
    }
}
