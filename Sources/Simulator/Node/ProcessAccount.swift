package import Identity
package import Peering
import Records
import Session
import Sodium
import Sync
package import Wire

/// The account of a process: its logs and secrets, each of which is on the disk before it is used.
package final class ProcessAccount {
    unowned let node: SimulatedNode
    private let clock: ProcessClock
    /// The keys of the device.
    let keys: DeviceIdentity
    /// The certificate of the device.
    package let certificate: VerifiedCertificate
    /// The account's log.
    package private(set) var log: AccountLog { didSet { revision += 1 } }
    /// The logs of other accounts.
    package private(set) var contactLogs: [AccountID: AccountLog] { didSet { revision += 1 } }
    /// Changes with the logs of accounts.
    private(set) var revision: UInt64 = 0
    /// The account's secrets.
    private(set) var keyring: AccountKeyring
    /// The keys by which the account's devices call each other.
    package private(set) var fleetKeys: FleetChannelKeys
    /// The channels under recovery words that are answered.
    private(set) var recoverySecrets: [ChannelSecret] = []
    /// The keys received from another device, until the log tells whether they are valid.
    var offeredFleetKey: FleetKey?
    var offeredDoor: RecoveryDoor?
    /// A loss of power that occurred where errors are taken for errors of a disk.
    var powerLoss: PowerLoss?
    /// The source of randomness for the account's log, apart from the node's.
    var random: SeededGenerator
    /// The source of randomness for transactions, so that they change no history.
    private var entropy: SeededGenerator
    /// The control logs as last resolved; each use checks that this cache changes no answer.
    private let controls = ControlMemory(isChecked: true)
    /// The readings of other devices' clocks.
    private var clockWatch: ClockWatch

    /// Reads the account from the disk, after an interrupted change to another account was
    /// completed or undone.
    /// - Throws: `StorageError`, ``PowerLoss``; `WireError` and `AccountError` never in fact.
    init(_ node: SimulatedNode, _ clock: ProcessClock) throws {
        let (disk, seed) = (node.disk, node.simulation.seed)
        self.node = node
        self.clock = clock
        keys = disk.keys.device.keys
        certificate = disk.keys.device.certificate
        entropy = SeededGenerator(seed: seed ^ UInt64(node.index) << 48 ^ UInt64(node.life) << 32)
        random = SeededGenerator(seed: seed ^ UInt64(node.index) << 44 ^ UInt64(node.life) << 28 ^ 0x4143_4354)
        try Self.settleEntering(disk)
        keyring = Self.keyring(on: disk)
        log = try AccountFile.decode(disk.contents(of: .accountLog) ?? [])
        contactLogs = ContactsFile.decode(disk.contents(of: .contacts) ?? [])
        fleetKeys = FleetChannelKeys(keyring, log.state.fleet)
        clockWatch = ClockWatch(account: log.account)
        node.accountID = log.account
        secretsChanged()
    }

    private static func settleEntering(_ disk: VirtualDisk) throws {
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

    // MARK: Facts

    /// A committer with the present identity and knowledge.
    func committer() -> Committer {
        let isSealed = node.simulation.options.isSealed
        return Committer(
            keys: keys,
            account: log.state,
            contacts: contactLogs.mapValues(\.state),
            keyring: keyring,
            wallMilliseconds: node.wallMilliseconds,
            witnesses: clockWatch.witnesses(at: clock.monotonic),
            envelopes: isSealed ? StandInEnvelopes(deceiving: node.deceived) : nil,
            entropy: TransactionEntropy(using: &entropy),
            controls: controls,
            // Zones are small here: half of the nodes treat them as large.
            soonAdoptedCount: node.index.isMultiple(of: 2) ? 0 : ReplicaLimits.soonAdoptedCount
        )
    }

    /// The states by the logs of all accounts known here, including this one's.
    var known: KnownAccounts {
        var accounts = KnownAccounts()
        for contact in contactLogs.values { accounts.add(contact) }
        accounts.add(log)
        return accounts
    }

    /// Whether the account's keys are passed on, and replaced.
    var hasKeys: Bool { node.simulation.options.hasAccountKeys }

    /// The sealing of keys for the account's devices; `nil` where keys are not renewed.
    var envelopes: StandInEnvelopes? { hasKeys && node.simulation.options.isSealed ? StandInEnvelopes() : nil }

    /// Notes the reading of a device's clock, at a time of the monotonic clock.
    func heardClock(_ wall: UInt64, of device: DeviceID, _ account: AccountID, at time: UInt64) {
        clockWatch.heard(wall, from: device, of: account, at: time)
    }

    /// Starts again as a device of another account.
    func replaced() {
        node.accountID = log.account
        clockWatch = ClockWatch(account: log.account)
    }

    // MARK: Changes

    /// Makes a change of the log, and keeps it only once it is on the disk.
    func change(_ body: (inout AccountLog) throws -> Void) throws {
        var changed = log
        let outcome = Result { try body(&changed) }
        // A bad entry does not undo the good ones before it, whose children may arrive any time.
        if changed.revision != log.revision {
            try node.disk.writeDurably(AccountFile.encode(changed.storedEntries), to: .accountLog)
            log = changed
            secretsChanged()
            noteChange(of: log)
        }
        try outcome.get()
    }

    /// Adds a device to the log.
    func add(_ certificate: VerifiedCertificate, as role: DeviceRole, using random: inout SeededGenerator) throws {
        try change { log in
            let entry = try log.addingDevice(
                certificate,
                role: role,
                name: certificate.certificate.name,
                signer: .device(keys),
                using: &random
            )
            _ = try log.insert(entry.encoded)
        }
    }

    /// Takes in entries of another account's log, and keeps them only once they are on the disk.
    func insertContact(_ entries: [[UInt8]], of account: AccountID) throws {
        var rest = entries[...]
        let before = contactLogs[account]
        guard var contact = try before ?? rest.popFirst().map({ try AccountLog(genesis: $0) }) else { return }
        guard contact.account == account else { throw AccountError.notGenesis }
        let outcome = Result { try contact.insert(contentsOf: Array(rest)) }
        if contact.revision != before?.revision {
            var changed = contactLogs
            changed[account] = contact
            try node.disk.writeDurably(ContactsFile.encode(changed), to: .contacts)
            contactLogs = changed
            noteChange(of: contact)
        }
        _ = try outcome.get()
    }

    private func noteChange(of log: AccountLog) {
        let simulation = node.simulation
        simulation.trace.note(.account, at: simulation.now, node: node.index, UInt64(log.count))
    }

    /// Replaces the account's secrets once the new ones are on the disk.
    func changeKeyring(_ changed: AccountKeyring) throws {
        guard changed !== keyring else { return }
        try node.disk.writeDurably(KeyFile.encode(changed, of: log.account), to: .accountKey)
        keyring = changed
        secretsChanged()
    }

    /// Writes keys to the disk, and uses them as far as the account log allows.
    func hold(_ keys: [FleetKey]) throws {
        let held = keys.reduce(keyring) { $0.holding($1) }
        try changeKeyring(held.updated(by: log.state.fleet, at: node.wallMilliseconds) ?? held)
    }

    /// Enters another account: its log, its secrets and its log again are written, and a start
    /// completes or undoes that.
    func enter(_ log: AccountLog, _ keyring: AccountKeyring) throws {
        let bytes = AccountFile.encode(log.storedEntries)
        try node.disk.writeDurably(bytes, to: .joiningLog)
        // From here on the new account is in force: its name is in this file.
        try node.disk.writeDurably(KeyFile.encode(keyring, of: log.account), to: .accountKey)
        try node.disk.writeDurably(bytes, to: .accountLog)
        try node.disk.writeDurably(nil, to: .joiningLog)
        self.log = log
        self.keyring = keyring
        secretsChanged()
    }

    /// Derives the keys of channels again, after the log or the secrets have changed.
    private func secretsChanged() {
        fleetKeys = FleetChannelKeys(keyring, log.state.fleet)
        recoverySecrets = keyring.answeredDoors(of: log.state, by: keys.deviceID).map {
            ChannelSecret(purpose: .recovery(key: $0.key.bytes), key: $0.presharedKey())
        }
    }

    /// Makes a new key in a log that has just taken in a removal.
    func renewFleetKey(in log: inout AccountLog) -> FleetKey? {
        guard envelopes != nil else { return nil }
        return log.renewFleetKey(
            signer: .device(keys),
            envelopes: envelopes,
            entropy: TransactionEntropy(using: &random),
            using: &random
        )
    }
}
