import Capabilities
package import Identity
package import Peering
package import Session
import Sodium
import Sync
import Synchronization
package import Wire

/// The node's identity and its trust: the device's keys, the account's log and secrets, and the store's incarnation.
///
/// All of it is small and in memory; every change is on the disk before it takes effect here. Safe to call from any thread:
/// event loops ask for handshake payloads, and never wait for a file, since files are written under a lock of their own.
package final class NodeIdentity: Sendable {
    private struct State {
        var log: AccountLog
        /// The newest entry of the account log; of a log that was rolled back the one that it lacks, for as long as
        /// it does.
        var newestEntry: Sentinel.NewestEntry?
        var keyring: AccountKeyring
        var fleet: FleetChannelKeys
        var incarnation: Incarnation
        var ticketSecrets: [ChannelSecret] = []
        var recoverySecrets: [ChannelSecret]
        var sharingSecrets: [ChannelSecret] = []
        /// The door of the recovery words from another device of the account, until the log names their key.
        var offeredDoor: RecoveryDoor?
        /// The fleet key from another device of the account, until the log has the entry that made it.
        var offeredFleetKey: FleetKey?

        /// Takes over a log of the same account.
        mutating func replaceLog(_ log: AccountLog) {
            // One that the log lacked from the start on stays named until it comes back; one that it drops does not.
            let isAwaited = newestEntry?.isMissing(in: self.log) == true && newestEntry?.isMissing(in: log) == true
            self.log = log
            if !isAwaited { newestEntry = Sentinel.NewestEntry(log) }
        }
    }

    /// The device's keys.
    package let keys: DeviceIdentity
    /// The device's certificate, the same until it is started again.
    package let certificate: VerifiedCertificate
    /// The known logs of other accounts.
    let contacts: ContactLogs
    let files: IdentityFiles
    let envelopes: (any EnvelopeSealing)?
    private let clock: NodeClock
    private let state: Mutex<State>
    /// Held while a change of the account is made and written; taken before `state`, never behind it.
    private let changes = Mutex<Void>(())
    /// Some changes of a zone's rights resolve its whole control log again; the signatures in it are checked once.
    private let signatures = Mutex(SignatureMemory())
    /// The number of signatures of capabilities that were checked, for tests.
    var signatureCheckCount: UInt64 { signatures.withLock(\.checkCount) }
    /// The control logs as they were resolved last.
    let controls = ControlMemory()

    init(
        keys: DeviceIdentity,
        certificate: VerifiedCertificate,
        log: AccountLog,
        missingEntry: Sentinel.NewestEntry? = nil,
        keyring: AccountKeyring,
        incarnation: Incarnation,
        contacts: ContactLogs,
        files: IdentityFiles,
        envelopes: (any EnvelopeSealing)?,
        clock: NodeClock
    ) {
        self.keys = keys
        self.certificate = certificate
        self.contacts = contacts
        self.files = files
        self.envelopes = envelopes
        self.clock = clock
        state = Mutex(
            State(
                log: log,
                newestEntry: missingEntry ?? Sentinel.NewestEntry(log),
                keyring: keyring,
                fleet: FleetChannelKeys(keyring, log.state.fleet),
                incarnation: incarnation,
                recoverySecrets: Self.recoverySecrets(of: log.state, keyring, for: keys.deviceID)
            )
        )
    }

    /// This device.
    package var device: DeviceID { keys.deviceID }
    /// Whether records are sealed.
    var isSealing: Bool { envelopes != nil }
    /// Whether a device states a key that something can be sealed to.
    func canSeal(to certificate: VerifiedCertificate) -> Bool {
        envelopes?.isKey(certificate.certificate.encapsulationKey) ?? false
    }
    /// The account.
    package var account: AccountID { state.withLock { $0.log.account } }
    /// The log of this account.
    package var log: AccountLog { state.withLock { $0.log } }
    /// The state that the account log leads to.
    package var accountState: AccountState { state.withLock { $0.log.state } }
    /// The heads of the account log, ascending, at most 64.
    package var accountHeads: [Hash] { state.withLock { $0.log.announcedHeads } }
    /// The newest entry of the account log.
    var newestEntry: Sentinel.NewestEntry? { state.withLock { $0.newestEntry } }
    /// The store's incarnation.
    package var incarnation: Incarnation { state.withLock { $0.incarnation } }
    /// The writer of this store's logs.
    package var actor: ActorID { ActorID(device: device, incarnation: incarnation, right: .zero) }
    /// The key of the account's channel.
    package var fleetSecret: ChannelSecret { fleetKeys.secret }
    /// The keys by which the account's devices find and call each other.
    package var fleetKeys: FleetChannelKeys { state.withLock { $0.fleet } }
    /// The account log's state, the secrets, and the key of ``offer(_:)-(FleetSecret)``.
    var fleetFacts: (log: AccountState, keyring: AccountKeyring, offered: FleetKey?) {
        state.withLock { ($0.log.state, $0.keyring, $0.offeredFleetKey) }
    }
    /// Milliseconds since 1970.
    var wallMilliseconds: UInt64 { clock.wall() }

    func setOfferedFleetKey(_ key: FleetKey?) { state.withLock { $0.offeredFleetKey = key } }

    /// Returns a committer for one transaction: account and secrets of one moment.
    func committer(wallMilliseconds: UInt64, witnesses: ClockWitnesses = .none) -> Committer {
        let (account, keyring) = state.withLock { ($0.log.state, $0.keyring) }
        return Committer(
            keys: keys,
            account: account,
            contacts: contacts.states,
            keyring: keyring,
            wallMilliseconds: wallMilliseconds,
            witnesses: witnesses,
            envelopes: envelopes,
            verify: { [self] signed in signatures.withLock { $0.verify(signed) } },
            controls: controls
        )
    }

    /// See ``offer(_:)``.
    var offeredDoor: RecoveryDoor? { state.withLock { $0.offeredDoor } }

    func setOfferedDoor(_ door: RecoveryDoor?) { state.withLock { $0.offeredDoor = door } }

    // MARK: Trust

    /// The standing of each device that the account log knows.
    func standings() -> [DeviceID: Standing] { Standing.all(in: accountState) }

    /// Returns the standing of a device.
    func standing(of device: DeviceID) -> Standing { Standing(accountState.standing(of: device)) }

    /// Whether this device does not belong to its account any more: it was removed, or its admission is void, since the device that
    /// admitted it had been removed.
    var isRemoved: Bool { standing(of: device) != .active }

    /// Whether this device's writes are effective, as far as its role goes.
    var mayWrite: Bool { (accountState.devices[device]?.role ?? .full) == .full }

    /// The log of an account, if it is known.
    func log(of account: AccountID) -> AccountLog? {
        let own = state.withLock { $0.log }
        return account == own.account ? own : contacts[account]
    }

    /// Takes entries from a peer.
    /// - Returns: Whether any was new.
    /// - Throws: `AccountError` for a bad entry (those before it stay), `PrivateFile.Failure`.
    func insert(_ entries: [[UInt8]]) throws -> Bool {
        try change { log in try log.insert(contentsOf: entries) > 0 }
    }

    /// Lets a device in.
    /// - Throws: `AccountError`, `PrivateFile.Failure`; then nothing changed.
    package func add(_ certificate: VerifiedCertificate, role: DeviceRole) throws {
        _ = try change { log in
            if case .active = log.state.standing(of: certificate.device) { return false }
            var random = SystemRandom()
            let entry = try log.addingDevice(
                certificate,
                role: role,
                name: certificate.certificate.name,
                signer: .device(keys),
                using: &random
            )
            return try log.insert(entry.encoded)
        }
    }

    /// Removes a device from the account, as the witness of how much it wrote.
    /// - Parameter device: The device.
    /// - Throws: `AccountError`, `PrivateFile.Failure`; then nothing changed.
    func remove(_ device: DeviceID) throws {
        var made: FleetKey?
        _ = try change { log in
            var random = SystemRandom()
            let entry = try log.removingDevice(device, witness: self.device, signer: .device(keys), using: &random)
            let isNew = try log.insert(entry.encoded)
            made = renewFleetKey(in: &log, signer: .device(keys))
            return isNew
        }
        if let made { try hold([made]) }
    }

    /// States the key from which zones with other accounts are derived, if no device has.
    /// - Throws: `AccountError`, `SodiumError`, `PrivateFile.Failure`; then nothing changed.
    func statePairKey() throws {
        let keyring = state.withLock { $0.keyring }
        let key = try keyring.pairKey().publicKey
        _ = try change { log in
            guard log.state.standing(of: keys.deviceID) == .active(.full) else { return false }
            var random = SystemRandom()
            guard let entry = try log.statingPairKey(key, by: keys, using: &random) else { return false }
            return try log.insert(entry.encoded)
        }
    }

    /// Enters a certificate of a device of this account, its own or another's, if it is newer than the account's and
    /// this device may.
    /// - Parameter certificate: The certificate.
    /// - Returns: Whether the account log has it now and did not have it before.
    /// - Throws: `AccountError`, `PrivateFile.Failure`; then nothing changed.
    package func enter(_ certificate: VerifiedCertificate) throws -> Bool {
        try change { log in
            guard log.state.standing(of: keys.deviceID) == .active(.full) else { return false }
            var random = SystemRandom()
            guard let entry = try log.renewing(certificate, by: keys, using: &random) else { return false }
            return try log.insert(entry.encoded)
        }
    }

    /// Names the account, or one of its devices.
    /// - Parameters:
    ///   - device: The device; `nil` for the account itself.
    ///   - name: The name, by the rules of `Naming.mistake(in:)`.
    /// - Returns: Whether it was called otherwise before.
    /// - Throws: `AccountError`, `PrivateFile.Failure`; then nothing changed.
    func name(_ device: DeviceID?, _ name: String) throws -> Bool {
        try change { log in
            var random = SystemRandom()
            guard let entry = try log.naming(device, name, signer: .device(keys), using: &random) else { return false }
            return try log.insert(entry.encoded)
        }
    }

    /// All entries with the secrets, for a device that was added.
    package func welcome() -> PairWelcome {
        state.withLock { state in
            PairWelcome(secrets: state.keyring.export(), entries: state.log.entries)
        }
    }

    /// Takes other secrets of the account once they are on the disk.
    /// - Throws: The errors of `body`, `PrivateFile.Failure`; then nothing changed.
    func changeKeyring(_ body: (AccountKeyring) throws -> AccountKeyring) throws {
        try changes.withLock { _ in
            let keyring = try body(state.withLock { $0.keyring })
            try files.accountKey.replace(KeyFile.encode(keyring, of: account))
            let fleet = FleetChannelKeys(keyring, accountState.fleet)
            state.withLock { state in
                state.keyring = keyring
                state.fleet = fleet
                state.recoverySecrets = Self.recoverySecrets(of: state.log.state, keyring, for: device)
            }
        }
    }

    /// Becomes a device of another account.
    /// - Throws: `PrivateFile.Failure`; the old account then stays.
    package func replaceAccount(log: AccountLog, keyring: AccountKeyring) throws {
        try changes.withLock { _ in
            try files.replaceAccount(log, keyring)
            let fleet = FleetChannelKeys(keyring, log.state.fleet)
            let recoverySecrets = Self.recoverySecrets(of: log.state, keyring, for: device)
            state.withLock { state in
                state.log = log
                state.newestEntry = Sentinel.NewestEntry(log)
                state.keyring = keyring
                state.fleet = fleet
                state.offeredFleetKey = nil
                state.recoverySecrets = recoverySecrets
            }
        }
    }

    /// Runs a change of the log and keeps it only once it is on the disk.
    func change(_ body: (inout AccountLog) throws -> Bool) throws -> Bool {
        try changes.withLock { _ in
            let before = state.withLock { $0.log }
            var log = before
            let outcome = Result { try body(&log) }
            // A bad entry does not undo the good ones before it, whose children may arrive any time.
            if log.revision != before.revision {
                try files.writeAccountEntries(log.storedEntries)
                let keyring = state.withLock { $0.keyring }
                let recoverySecrets = Self.recoverySecrets(of: log.state, keyring, for: device)
                let fleet = FleetChannelKeys(keyring, log.state.fleet)
                state.withLock { [log] state in
                    state.replaceLog(log)
                    state.fleet = fleet
                    state.recoverySecrets = recoverySecrets
                }
            }
            return try outcome.get()
        }
    }

    // MARK: Secrets

    func acceptedSecrets() -> [ChannelSecret] {
        state.withLock { state in
            [state.fleet.secret] + state.recoverySecrets + state.ticketSecrets + state.sharingSecrets
                + state.fleet.earlierSecrets
        }
    }

    /// Accepts connections under these keys of zones and invitations, and no others; the first ones are used where
    /// there are too many.
    func setSharingSecrets(_ secrets: [ChannelSecret]) {
        state.withLock { $0.sharingSecrets = secrets }
    }

    /// Accepts connections under these tickets, and no others.
    func setTicketSecrets(_ secrets: [ChannelSecret]) {
        state.withLock { $0.ticketSecrets = secrets }
    }

    func handshakePayload(boot: [UInt8], listenPort: UInt16) -> [UInt8] {
        // Of one moment: the heads of one account with the name of another would be refused.
        let (account, heads) = state.withLock { ($0.log.account, $0.log.announcedHeads) }
        return HandshakePayload(
            certificate: certificate.signed.encoded,
            account: account,
            accountHeads: heads,
            boot: boot,
            wallMilliseconds: clock.wall(),
            listenPort: listenPort
        ).encoded
    }

    func discoveryTag(nonce: [UInt8], at wall: UInt64) -> [UInt8] {
        DiscoveryTag.make(key: fleetKeys.key.discoveryKey(), nonce: nonce, at: wall)
    }

    // MARK: Incarnation

    func setIncarnation(_ incarnation: Incarnation) {
        state.withLock { $0.incarnation = incarnation }
    }
}

extension NodeIdentity: JoiningAccount {
    /// Replaces the enrolment tokens that this device has given out.
    package func keep(_ enrolments: EnrolmentBook) throws { try files.enrolments.replace(enrolments.encoded) }
}
