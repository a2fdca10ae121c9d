package import Capabilities
import Identity
package import Records
package import Wire

// The rights in a zone by its control log and the accounts' logs, and their consequences for the logs.
extension Committer {
    /// Makes sure that a right of this account to write in a zone is in its time, by this device's clock: other devices
    /// take nothing from an account while none is.
    ///
    /// The right under which the device writes is the strongest one, and another one may outlast it.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Throws: `CommitError.refused` with `.expired` or `.notYetValid`, or an error of the store.
    /// - Complexity: O(1) while the strongest right is in its time, otherwise as ``controlState(_:in:)``.
    func checkTime(of zone: ZoneID, in transaction: some NodeTransaction) throws {
        guard let row = try transaction.zone(zone), case .participant(let scope) = row.role,
            let refusal = scope.caveats.refusal(at: wallMilliseconds)
        else { return }
        let state = try ZoneRights(row, of: self, in: transaction).state
        let held = (state.participants[account.account]?.capabilities ?? []).compactMap {
            state.capabilities[$0]?.capability
        }
        let isInTime = held.contains { $0.rights.level >= .append && $0.caveats.refusal(at: wallMilliseconds) == nil }
        guard isInTime else { throw CommitError.refused(refusal) }
    }

    /// Returns the state of a zone's control log.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The state, from all control operations that are held.
    /// - Throws: `ReplicaError.unknownZone`, or an error of the store.
    /// - Complexity: as of ``ControlMemory``: O(control operations) the first time, and a signature check for each capability in them.
    package func controlState(_ zone: ZoneID, in transaction: some NodeTransaction) throws -> ControlState {
        guard let row = try transaction.zone(zone) else { throw ReplicaError.unknownZone(zone) }
        return try ZoneRights(row, of: self, in: transaction).state
    }

    /// Cuts the logs of a zone where its control log and the accounts' logs say; doing it again changes nothing.
    ///
    /// The logs of a device that the account no longer knows, since the entry that added it is no longer effective,
    /// end at zero. A removal that is no longer effective lifts its cuts again.
    ///
    /// An active device also makes, in the same transaction, the statements that an active device has to make: how
    /// much is effective of the operations of its account's removed devices (``UnsaidRemovals``); as the owner's, how
    /// much is effective of logs under rights that ended by the word of others (``UnconfirmedRight``), and the
    /// checkpoint adopted here. The device that offered the zone to another account transfers it once that account
    /// has consented.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - waits: Whether to make no statement yet about operations that may still be on their way.
    ///   - transaction: The store.
    /// - Returns: The changes; `nil` when all logs end there already.
    /// - Throws: `ReplicaError`, or an error of the store.
    func rule(
        _ zone: ZoneID,
        waits: Bool = true,
        in transaction: inout some NodeTransaction
    ) throws -> CutOutcome? {
        guard let row = try transaction.zone(zone) else { return nil }
        let rights = try ZoneRights(row, of: self, in: transaction)
        var outcome: CutOutcome?
        if try makeStatements(row, rights, waits: waits, in: &transaction) {
            outcome = try applyRulings(zone, in: &transaction) ?? CutOutcome()
        } else {
            outcome = try applyRulings(zone, rights, in: &transaction)
        }
        if try repeatCheckpoints(zone, in: &transaction) {
            let repeated = try applyRulings(zone, in: &transaction)
            outcome = outcome ?? CutOutcome()
            if let repeated { outcome?.add(repeated) }
        }
        return outcome
    }

    private func applyRulings(_ zone: ZoneID, in transaction: inout some NodeTransaction) throws -> CutOutcome? {
        guard let row = try transaction.zone(zone) else { return nil }
        return try applyRulings(zone, ZoneRights(row, of: self, in: transaction), in: &transaction)
    }

    private func applyRulings(
        _ zone: ZoneID,
        _ rights: ZoneRights,
        in transaction: inout some NodeTransaction
    ) throws -> CutOutcome? {
        var rights = rights
        var (outcome, hasOtherEnds) = try findEnds(zone, rights, in: &transaction)
        // Not by recursion: an ownership that is passed on a thousand times must not exhaust the stack.
        var roundsLeft = try hasOtherEnds ? transaction.logs(zone: zone).count : 0
        while hasOtherEnds, roundsLeft > 0, let row = try transaction.zone(zone) {
            roundsLeft -= 1
            rights = try ZoneRights(row, of: self, in: transaction)
            let next = try findEnds(zone, rights, in: &transaction)
            if let more = next.outcome {
                outcome = outcome ?? CutOutcome()
                outcome?.add(more)
            }
            hasOtherEnds = next.hasOtherEnds
        }
        assert(!hasOtherEnds, "the ends of logs settle in as many rounds as there are logs")
        if let changed = try ZoneEvaluation(of: zone).enforce(rights.production, in: &transaction) {
            outcome = outcome ?? CutOutcome()
            outcome?.changed += changed
        }
        let (right, role) = rights.own(account.account)
        if var row = try transaction.zone(zone), row.right != right || row.role != role {
            (row.right, row.role) = (right, role)
            try transaction.save(row)
            outcome = outcome ?? CutOutcome()
        }
        // Operations above the new end of a log are not passed on any more.
        let book = try outcome == nil ? rights.book : book(of: zone, in: transaction)
        if let changed = try EpochKeys(self).settle(rights, book, zone: zone, in: &transaction) {
            outcome = outcome ?? CutOutcome()
            outcome?.changed += changed
        }
        return outcome
    }

    /// Cuts the logs of a zone where given rights say.
    ///
    /// As long as the right of a control log is unknown, the log is read as far as any other. Once it is known, more
    /// or less of the log may be effective, and another right may become known by that. A right depends only on the
    /// rights from which it was passed on, by grant or transfer, and on statements under those: never on itself. So
    /// each round settles one more right, and there are no more rounds than logs.
    /// - Returns: The changes, `nil` for none; and whether control logs have other ends than those with which the
    ///   rights were computed.
    private func findEnds(
        _ zone: ZoneID,
        _ rights: ZoneRights,
        in transaction: inout some NodeTransaction
    ) throws -> (outcome: CutOutcome?, hasOtherEnds: Bool) {
        let logs = try transaction.logs(zone: zone)
        var rulings = try logs.map { try rights.ruling(of: $0, in: transaction) }
        for lane in Lane.allCases where LaneRoom.mayHaveSurplus(logs, lane) {
            let cuts = Dictionary(uniqueKeysWithValues: zip(logs, rulings).map { ($0.key, $1.cut) })
            let room = LaneRoom(logs, lane) { cuts[$0.key] ?? nil }
            guard room.hasSurplus else { continue }
            for (index, log) in logs.enumerated()
            where log.key.lane == lane && rulings[index].cut == nil && room.isSurplus(log) {
                rulings[index].cut = .zero
            }
        }
        let others = zip(logs, rulings).filter { $0.ruling != $1 }
        guard !others.isEmpty else { return (nil, false) }
        let changed = Dictionary(uniqueKeysWithValues: others.map { ($0.key, $1) })
        let outcome = try Rulings(of: zone, wallMilliseconds: wallMilliseconds).rule(changed, in: &transaction)
        return (outcome, try hasOtherEnd(logs, in: transaction))
    }

    /// Whether more or less of a control log is read than before its role was another.
    private func hasOtherEnd(_ before: [LogRow], in transaction: some NodeTransaction) throws -> Bool {
        try before.contains { old in
            guard old.key.lane == .control, old.size > transaction.controlBounds.membersCount else { return false }
            let end = try transaction.log(old.key).map { ControlReader($0).end(in: transaction) }
            return end != ControlReader(old).end(in: transaction)
        }
    }

    /// The epochs of a zone's key.
    private func book(of zone: ZoneID, in transaction: some NodeTransaction) throws -> EpochBook {
        guard let row = try transaction.zone(zone) else { throw ReplicaError.unknownZone(zone) }
        return try ZoneRights(row, of: self, in: transaction).book
    }

    /// Returns the times at which a zone's effective rights were granted, by the clocks of the granting devices.
    /// - Parameters:
    ///   - state: The state of the zone's control log.
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: Milliseconds since 1970, by the granting operation.
    /// - Throws: `ReplicaError.unknownZone`, or an error of the store.
    /// - Complexity: O(capabilities that hold), and as ``controlState(_:in:)``.
    package func grantTimes(
        _ state: ControlState,
        zone: ZoneID,
        in transaction: some NodeTransaction
    ) throws -> [Hash: UInt64] {
        guard let row = try transaction.zone(zone) else { throw ReplicaError.unknownZone(zone) }
        let held = state.participants.values.flatMap(\.capabilities)
        let grants = Set(held.compactMap { state.capabilities[$0]?.since })
        let directory = ZoneDirectory(accounts: accounts, ownDevice: device)
        return try controls.use(row, directory, verify: verify, in: transaction) { controls, _ in
            grants.reduce(into: [:]) { $0[$1] = controls.grantTimes[$1] }
        }
    }

    /// Returns the devices that are to hold a zone: those of its owner and of all accounts that may read it.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The devices, ascending.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func members(of zone: ZoneRow, in transaction: some NodeTransaction) throws -> [DeviceID] {
        let state = try ZoneRights(zone, of: self, in: transaction).state
        let readers = state.participants.filter { $0.value.rights.level >= .read }.map(\.key)
        return Set(state.owners + readers).flatMap { accounts[$0]?.activeDevices ?? [] }.sorted()
    }

    /// The most logs of one device that are kept in a zone while their rights are unknown.
    private static let unknownRightCountMax = 8

    /// Decides about a log that is not held yet.
    /// - Parameters:
    ///   - head: A head of it.
    ///   - zone: Its zone.
    ///   - transaction: The store.
    /// - Returns: The ruling.
    /// - Throws: `CommitError.waiting` while the log's account is unknown, or does not know the device, `CommitError.noRoom` when the log may
    ///   not begin, or an error of the store.
    func ruling(
        ofNew head: TreeHead,
        zone: ZoneRow,
        in transaction: some NodeTransaction
    ) throws -> LogRuling {
        let ruling = try rulingByRight(of: head, zone: zone, in: transaction)
        // A part that an ending states is taken in any case: others hold it.
        guard ruling.cut == nil else { return ruling }
        let room = LaneRoom(try transaction.logs(zone: zone.id), head.lane)
        let refusal = try room.refusal(toBegin: LogRow(head, key: head.key), as: ruling.role) {
            try transaction.isAwaited(head.key)
        }
        if let refusal { throw CommitError.noRoom(head.key, refusal) }
        return ruling
    }

    /// Decides about a log that is not held yet by its right alone.
    private func rulingByRight(
        of head: TreeHead,
        zone: ZoneRow,
        in transaction: some NodeTransaction
    ) throws -> LogRuling {
        let rights = try ZoneRights(zone, of: self, in: transaction)
        guard let account = rights.state.account(of: head.right) else {
            let row = LogRow(head, key: head.key)
            // The right was never effective, but the owner has made final a part of the logs under it.
            if case .at = rights.effectiveCut(of: row) { return rights.ruling(of: row) }
            // Control logs are kept until their right is known: else two devices that wait for each other would wait
            // for ever. Keys cost nothing to make, and a device can make any number of rights.
            let unknown = try transaction.logs(zone: zone.id).filter { $0.role == .unknown && $0.device == head.device }
            guard head.lane == .control, unknown.count < Self.unknownRightCountMax,
                accounts.values.contains(where: { $0.standing(of: head.device) == .active(.full) })
            else { throw CommitError.waiting(.capability(head.right)) }
            return LogRuling(role: .unknown)
        }
        switch rights.directory.standing(of: head.device, in: account) {
        // The sender may have another log of the account than this device: a longer one, or one by which the admission of the author is not
        // void yet. So the author is to blame for nothing, in its own account either.
        case .unknownAccount, .unknownDevice: throw CommitError.waiting(.account(account))
        case .active, .removed: break
        }
        return rights.ruling(of: LogRow(head, key: head.key))
    }
}

extension ZoneControls {
    /// Returns the state that results from the operations, without those of surplus logs.
    fileprivate func state(_ rows: [LogRow], _ directory: ZoneDirectory) -> ControlState {
        let whole = resolution.state
        guard LaneRoom.mayHaveSurplus(rows, .control), LaneRoom(rows, .control, cut: { _ in nil }).hasSurplus else {
            return whole
        }
        // The state of all operations decides which logs end for another reason; the result comes from the logs that
        // are not surplus.
        let room = LaneRoom(rows, .control) {
            whole.heldCut(of: $0.key.actorLane, device: $0.device, under: $0.right, directory: directory).controlCut
        }
        guard room.hasSurplus else { return whole }
        return resolution.state(without: Set(rows.filter(room.isSurplus).map(\.key.actorLane)))
    }
}

/// The decisions in one zone at one moment.
struct ZoneRights {
    let state: ControlState
    let directory: ZoneDirectory
    private let zone: ZoneID

    /// The epochs of the zone's key.
    let book: EpochBook

    init(_ zone: ZoneRow, of committer: Committer, in transaction: some NodeTransaction) throws {
        self.zone = zone.id
        let directory = ZoneDirectory(accounts: committer.accounts, ownDevice: committer.device)
        self.directory = directory
        (state, book) = try committer.controls.use(zone, directory, verify: committer.verify, in: transaction) {
            controls,
            rows in
            (controls.state(rows, directory), controls.book)
        }
    }

    /// Looks into the control log of a zone.
    /// - Throws: `ReplicaError.unknownZone`, or an error of the store.
    init(_ zone: ZoneID, of committer: Committer, in transaction: some NodeTransaction) throws {
        guard let row = try transaction.zone(zone) else { throw ReplicaError.unknownZone(zone) }
        try self.init(row, of: committer, in: transaction)
    }

    /// The schema in force; nil in development.
    var production: ProductionSchema? {
        ProductionSchema(state.promotions.map { SchemaPromotion(hash: $0.entry, bytes: $0.schema) })
    }

    /// Whether the zone is read by accounts that have no right in it, so that sealing it would hide nothing.
    var isReadByAll: Bool {
        let access = state.publicAccess
        return access.world.contains(.read) || access.authenticated.contains(.read)
    }

    /// The devices that are to read new writes, with their accounts: those of the owners and of all accounts that may
    /// read, except devices that only store.
    ///
    /// A device that moved from one account to another without being removed from the first is in both. It reads for
    /// an owner where it can, and for the first of the others by their ids.
    var readers: [DeviceID: AccountID] {
        let members =
            state.owners + state.participants.filter { $0.value.rights.level >= .read }.map(\.key).sorted()
        var readers: [DeviceID: AccountID] = [:]
        for account in members {
            guard let known = directory.accounts[account] else { continue }
            for device in known.activeDevices where known.devices[device]?.role != .relayOnly {
                if readers[device] == nil { readers[device] = account }
            }
        }
        return readers
    }

    /// Decides about a log, as far as it is held: once a data log has reached a stated end, all of it up to that end
    /// is effective.
    /// - Complexity: as of ``ControlState/cut(of:device:under:directory:)``, and O(leaves since a retained head) where an end is stated.
    func ruling(of row: LogRow, in transaction: some NodeTransaction) throws -> LogRuling {
        var ruling = ruling(of: row)
        if let end = statedEnd(of: row), try StoredLog(row).reaches(end, in: transaction) {
            ruling.cut = LogCut(size: end.size, root: end.root)
        }
        return ruling
    }

    /// The end of a data log by the operation that ended its right, if the owner has not confirmed so much; all up to
    /// there is effective once it is held.
    func statedEnd(of row: LogRow) -> (size: UInt64, root: Hash)? {
        guard row.key.lane == .data else { return nil }
        if let capability = state.capabilities[row.right]?.capability, capability.rights.level < .append { return nil }
        let open = state.openCut(of: row.key.actorLane, device: row.device, under: row.right, directory: directory)
        guard case .at(let size, let root) = open, !effectiveCut(of: row).admits(size) else { return nil }
        return (size, root)
    }

    func ruling(of row: LogRow) -> LogRuling {
        let role = role(of: row.right)
        guard row.key.lane == .control else { return LogRuling(role: role, cut: effectiveCut(of: row).logCut) }
        let held = state.heldCut(of: row.key.actorLane, device: row.device, under: row.right, directory: directory)
        let cut = held.controlCut
        let isFormer = role == .owner && !state.stands(row.device, under: row.right, directory: directory)
        guard role != .unknown, let counting = effectiveCut(of: row).controlCut,
            isFormer || counting.size < cut?.size ?? .max
        else {
            return LogRuling(role: role, cut: cut)
        }
        return LogRuling(role: .ended(role, at: counting.size), cut: cut)
    }

    /// The right and the role by which an account writes now; `.unknown` while it has none.
    func own(_ account: AccountID) -> (right: Hash, role: LogRole) {
        if let ownership = state.ownership(of: account) { return (ownership.right, .owner) }
        guard let right = state.participants[account]?.via else { return (.zero, .unknown) }
        return (right, role(of: right))
    }

    func role(of right: Hash) -> LogRole {
        if state.ownership(with: right) != nil { return .owner }
        guard let capability = state.capabilities[right]?.capability else { return .unknown }
        return .participant(WriteScope(capability))
    }

    /// Returns the effective size of a log, or that it is not known yet.
    func effectiveCut(of row: LogRow) -> EffectiveCut { cut(of: row, directory) }

    /// Returns the effective size of a log for stores of other devices than this one.
    func cutForOthers(of row: LogRow) -> EffectiveCut {
        cut(of: row, ZoneDirectory(accounts: directory.accounts, ownDevice: nil))
    }

    private func cut(of row: LogRow, _ directory: ZoneDirectory) -> EffectiveCut {
        // Data of an author without the right to write is not kept.
        if row.key.lane == .data, let capability = state.capabilities[row.right]?.capability,
            capability.rights.level < .append
        {
            return .zero
        }
        return state.cut(of: row.key.actorLane, device: row.device, under: row.right, directory: directory)
    }
}

extension EffectiveCut {
    /// The end of a data log; no records are taken until it is known.
    fileprivate var logCut: LogCut? {
        switch self {
        case .none: nil
        case .at(let size, let root): LogCut(size: size, root: root)
        case .zero, .waiting: .zero
        }
    }

    /// The end of a control log; the log is kept, without an effect, while it is not known.
    fileprivate var controlCut: LogCut? {
        if case .waiting = self { nil } else { logCut }
    }
}

/// The accounts as this store treats them.
struct ZoneDirectory: AccountDirectory {
    let accounts: [AccountID: AccountState]
    /// This device, which keeps the writes of its person until it is paired again under new keys.
    let ownDevice: DeviceID?

    func standing(of device: DeviceID, in account: AccountID) -> AccountStanding {
        accounts.standing(of: device, in: account)
    }

    func witnesses(of device: DeviceID, in account: AccountID) -> Set<DeviceID> {
        accounts.witnesses(of: device, in: account)
    }
}
