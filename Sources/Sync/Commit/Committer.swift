package import Capabilities
package import Identity
package import Records
import Sodium
package import Wire

/// A device at work on its store in one transaction: its keys, its account and the time at this
/// moment, and the writing of records under its name.
///
/// Types that hold a committer do the rest of a transaction's work: ``Inbox``, ``RunExchange``,
/// ``ZoneSharing``, ``ZoneLifecycle`` and others.
///
/// A value is made inside a transaction and then discarded: its account and time are of one moment.
/// Functions that have to agree on them share a value. Everything else is in the transaction. The
/// caller opens it, passes it in, and commits it when the function returns or rolls it back when it
/// throws; the notice is published once the transaction is durable.
///
/// Functions throw ``CommitError``, `ReplicaError`, and any error of the storage, unchanged.
package struct Committer: Sendable {
    /// The device's keys.
    package let keys: DeviceIdentity
    /// The state of this account by its log.
    package let account: AccountState
    /// The states of all accounts whose logs are known here, including this one.
    package let accounts: [AccountID: AccountState]
    /// The account's secrets.
    package let keyring: AccountKeyring
    /// The wall clock, in milliseconds since 1970.
    package let wallMilliseconds: UInt64
    /// The time by the clocks of other devices at this moment.
    package let witnesses: ClockWitnesses
    /// Seals keys of zones to devices; `nil` seals nothing: for tests of unrelated parts.
    let envelopes: (any EnvelopeSealing)?
    /// The randomness of this transaction.
    let entropy: TransactionEntropy
    /// Checks the signature of a capability, or remembers that it was checked; nil for one that is
    /// not valid.
    let verify: @Sendable (SignedCapability) -> VerifiedCapability?
    /// The control logs as they were resolved last.
    let controls: ControlMemory
    /// The most leaves that a transaction reads to adopt a checkpoint besides its own purpose.
    let soonAdoptedCount: UInt64

    /// Describes this device and its account.
    /// - Parameters:
    ///   - keys: The device's keys.
    ///   - account: The state of this account by its log.
    ///   - contacts: The states of other accounts by their logs.
    ///   - keyring: The secrets of the same account.
    ///   - wallMilliseconds: The wall clock, in milliseconds since 1970.
    ///   - witnesses: The time by the clocks of other devices; without any, nothing that ends by
    ///     time is dropped.
    ///   - envelopes: Seals keys of zones to devices; `nil` seals nothing.
    ///   - entropy: The randomness of the transaction.
    ///   - verify: Checks the signature of a capability, as a ``Capabilities/SignatureMemory`` does
    ///     that outlives this value; the default checks each one each time.
    ///   - controls: The control logs as they were resolved last; the default begins with none.
    ///   - soonAdoptedCount: The most leaves that a transaction reads to adopt a checkpoint besides
    ///     its own purpose.
    package init(
        keys: DeviceIdentity,
        account: AccountState,
        contacts: [AccountID: AccountState] = [:],
        keyring: AccountKeyring,
        wallMilliseconds: UInt64,
        witnesses: ClockWitnesses = .none,
        envelopes: (any EnvelopeSealing)? = nil,
        entropy: TransactionEntropy = TransactionEntropy(),
        verify: @escaping @Sendable (SignedCapability) -> VerifiedCapability? = Self.verifiedAnew,
        controls: ControlMemory = ControlMemory(),
        soonAdoptedCount: UInt64 = ReplicaLimits.soonAdoptedCount
    ) {
        self.keys = keys
        self.account = account
        accounts = contacts.merging([account.account: account]) { _, own in own }
        self.keyring = keyring
        self.wallMilliseconds = wallMilliseconds
        self.witnesses = witnesses
        self.envelopes = envelopes
        self.entropy = entropy
        self.verify = verify
        self.controls = controls
        self.soonAdoptedCount = soonAdoptedCount
    }

    /// Checks the signature of a capability.
    /// - Parameter signed: The capability.
    /// - Returns: `nil` for one that is not valid: it grants nothing, and that the operation is
    ///   there is not changed by it.
    package static func verifiedAnew(_ signed: SignedCapability) -> VerifiedCapability? {
        // The nil result is the refusal.
        try? VerifiedCapability(UnverifiedCapability(signed))
    }

    /// Returns the same committer with the state of one more account.
    /// - Parameter contact: The state of the account by its log.
    /// - Returns: A committer for the same transaction.
    func knowing(_ contact: AccountState) -> Committer {
        Committer(
            keys: keys,
            account: account,
            contacts: accounts.merging([contact.account: contact]) { _, new in new },
            keyring: keyring,
            wallMilliseconds: wallMilliseconds,
            witnesses: witnesses,
            envelopes: envelopes,
            entropy: entropy,
            verify: verify,
            controls: controls,
            soonAdoptedCount: soonAdoptedCount
        )
    }

    /// This device.
    package var device: DeviceID { keys.deviceID }

    /// The accounts as this store treats them.
    var directory: ZoneDirectory { ZoneDirectory(accounts: accounts, ownDevice: device) }

    /// Whether this device may write.
    ///
    /// A removed device may: its writes are effective nowhere else until it is paired again.
    package var mayWrite: Bool { (account.devices[device]?.role ?? .full) == .full }

    /// A moment that has passed by this clock and by those of most others: data that expired before
    /// it may be dropped for good; `nil` while no other device was heard.
    package var settledMilliseconds: UInt64? { witnesses.settledMilliseconds(wall: wallMilliseconds) }

    /// The earlier one of this clock and of most others' clocks, where any was heard: it serves
    /// periods of months.
    var soberMilliseconds: UInt64 {
        witnesses.count > 0 ? min(wallMilliseconds, witnesses.median) : wallMilliseconds
    }

    /// The later one of this clock and of the clocks of most other devices, where any was heard:
    /// the time to note as the beginning of a state.
    ///
    /// A time noted by a clock that is years behind would lie years in the past once that clock is
    /// right.
    var sinceMilliseconds: UInt64 {
        witnesses.count > 0 ? max(wallMilliseconds, witnesses.median) : wallMilliseconds
    }

    /// Returns the author under which this store writes in a zone now, with its right.
    ///
    /// It is read in the transaction that writes: a lifetime that another job of the same group has
    /// begun is in force already, and one that was rolled back never was.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The author.
    /// - Throws: `ReplicaError.unknownZone`, `CommitError.noRight` when the account has none in the
    ///   zone; `StorageError` `corrupt` when the store has no lifetime.
    package func author(in zone: ZoneID, _ transaction: some NodeTransaction) throws -> Author {
        guard let zone = try transaction.zone(zone) else { throw ReplicaError.unknownZone(zone) }
        guard zone.role != .unknown else { throw CommitError.noRight(zone.id) }
        guard let incarnation = try transaction.incarnation() else {
            throw StorageError(code: .corrupt, message: "the store does not state its incarnation")
        }
        return author(in: incarnation, under: zone.right, as: zone.role)
    }

    /// Returns the author that this device is under one of its account's rights.
    func author(in incarnation: Incarnation, under right: Hash, as role: LogRole) -> Author {
        Author(
            device: device,
            incarnation: incarnation,
            right: right,
            role: role,
            actor: ActorID(device: device, incarnation: incarnation, right: right)
        )
    }

    /// Whether a zone is one of this account's, or one that was shared with it; others are left
    /// from an account that this device has left, or were only read here and are not any more.
    package func isCurrent(_ zone: ZoneRow) -> Bool {
        if zone.genesis.owners.contains(account.account) { return true }
        if zone.genesis.partner != nil { return false }
        return zone.state != .sealed && (!zone.right.isZero || zone.role != .owner)
    }

    // MARK: Records

    /// Writes records under this store's name.
    /// - Parameters:
    ///   - requests: The writes.
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The result of each write.
    /// - Throws: `CommitError.refused` while no right to write here is in its time by this device's
    ///   clock; `ReplicaError`, or an error of the store.
    package func commit(
        _ requests: [WriteRequest],
        zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> Changed<Commit> {
        try tracking(zone, in: &transaction) { transaction in
            try checkTime(of: zone, in: transaction)
            let commit = try write(requests, zone: zone, in: &transaction)
            return Changed(commit, notice: CommitNotice(commit))
        }
    }

    /// Makes sure that a right of this account to write in a zone is in its time, by this device's
    /// clock: other devices take nothing from an account while none is.
    /// - Complexity: O(1) while the strongest right is in its time, otherwise as ``ZoneRights``.
    private func checkTime(of zone: ZoneID, in transaction: some NodeTransaction) throws {
        guard let row = try transaction.zone(zone), case .participant(let scope) = row.role,
            let refusal = scope.caveats.refusal(at: wallMilliseconds)
        else { return }
        let rights = try ZoneRights(row, of: self, in: transaction)
        guard rights.mayAppend(account.account, at: wallMilliseconds) else { throw CommitError.refused(refusal) }
    }

    func write(
        _ requests: [WriteRequest],
        zone: ZoneID,
        for guest: GuestAuthor? = nil,
        in transaction: inout some NodeTransaction
    ) throws -> Commit {
        var opened: [RecordRow] = []
        let author = try EpochKeys(self).prepareAuthor(in: zone, noting: &opened, &transaction)
        var commit = try localWrites(in: zone, by: author).commit(requests, guest: guest, in: &transaction)
        guard !opened.isEmpty else { return commit }
        // Also where each write is refused, the records that can be read now are shown.
        if commit.number == nil { commit.number = try transaction.nextCommitNumber() }
        let written = Set(commit.changed.map(\.tag))
        commit.changed = opened.filter { !written.contains($0.tag) } + commit.changed
        return commit
    }

    /// Prepares to write to an author's logs in a zone, signed by this device.
    func localWrites(in zone: ZoneID, by author: Author) -> LocalWrites {
        LocalWrites(zone: zone, author: author, wallMilliseconds: wallMilliseconds, sign: sign)
    }

    func sign(_ head: [UInt8]) -> Signature64 {
        keys.sign(head, context: .treeHead)
    }

    // MARK: Effects of a change on a zone

    /// Runs a change of one zone and notes which of its logs grew, and whether this account's
    /// rights there have changed.
    func tracking<Transaction: NodeTransaction, Reply>(
        _ zone: ZoneID,
        in transaction: inout Transaction,
        _ body: (inout Transaction) throws -> Changed<Reply>
    ) throws -> Changed<Reply> {
        let before = try ZoneBefore(zone, by: self, in: transaction)
        var change = try body(&transaction)
        try before.noteEffects(in: &change.notice, &transaction)
        return change
    }

    /// Runs a change of one zone and notes which of its logs grew.
    func tracking<Transaction: NodeTransaction>(
        _ zone: ZoneID,
        in transaction: inout Transaction,
        _ body: (inout Transaction) throws -> CommitNotice
    ) throws -> CommitNotice {
        try tracking(zone, in: &transaction) { Changed((), notice: try body(&$0)) }.notice
    }
}
