import Capabilities
import Identity
import Records
import Wire

// Statements by a device of the owner in place of devices that can no longer be asked: how much of the logs is
// effective under rights that those devices had ended, and the checkpoint that they made.
// `docs/protocol/positions.md` has the rules.
extension Committer {
    /// The time for which nothing is stated about operations that may still be on their way, and for which a
    /// checkpoint that cannot be verified here holds the next one back.
    package static let confirmationMilliseconds: UInt64 = 24 * 60 * 60 * 1_000

    /// The statements of a device of an account in a zone, made because other devices can no longer be asked.
    struct Statements {
        /// Whether the device made a statement.
        var isSomethingSaid = false
        /// Whether the device has to make a statement if no other device makes it for a day.
        var isSomethingLater = false

        /// No statement is due.
        static let nothing = Statements()
    }

    /// Makes the statements that an active device has to make, and remembers since when some of them wait.
    /// - Returns: Whether a statement was made.
    /// - Throws: `ReplicaError`, or an error of the store.
    func makeStatements(
        _ row: ZoneRow,
        _ rights: ZoneRights,
        waits: Bool,
        in transaction: inout some NodeTransaction
    ) throws -> Bool {
        let removals = try stateRemovals(row, rights, waits: waits, in: &transaction)
        let confirmations = try confirm(row, rights, waits: waits, in: &transaction)
        var upkeep = try transaction.upkeep(zone: row.id)
        let isWaiting = upkeep.statementsHeldSince != nil
        if (removals.isSomethingLater || confirmations.isSomethingLater) != isWaiting {
            upkeep.statementsHeldSince = isWaiting ? nil : wallMilliseconds
            try transaction.save(upkeep)
        }
        return removals.isSomethingSaid || confirmations.isSomethingSaid
    }

    /// States how much is effective of logs under rights that ended, where no device of the owner has stated it.
    /// - Parameters:
    ///   - row: The zone.
    ///   - rights: The rights by the zone's control log.
    ///   - waits: Whether operations that may still be on their way are left out for now.
    ///   - transaction: The store.
    /// - Returns: Whether the device made a statement, or has to make one.
    /// - Throws: `ReplicaError`, or an error of the store.
    private func confirm(
        _ row: ZoneRow,
        _ rights: ZoneRights,
        waits: Bool,
        in transaction: inout some NodeTransaction
    ) throws -> Statements {
        var row = row
        let zone = row.id
        let (right, role) = rights.own(account.account)
        guard mayWrite, row.state == .live, role == .owner,
            rights.state.stands(device, under: right, directory: rights.directory)
        else { return .nothing }
        let open = rights.state.unconfirmedRights
        guard !open.isEmpty else { return .nothing }
        // A new owner writes under its own right.
        if row.right != right || row.role != role {
            (row.right, row.role) = (right, role)
            try transaction.save(row)
        }
        guard try mayConfirm(zone, in: transaction) else { return Statements(isSomethingLater: true) }
        let logs = try transaction.logs(zone: zone)
        let rows = Dictionary(uniqueKeysWithValues: logs.map { ($0.key.actorLane, $0) })
        let isBehind = row.isUnverified || !logs.contains { $0.key.lane == .data && $0.appliedSize > 0 }
        var corrections: [CutRaise] = []
        var isLater = false
        for ended in open where try ended.hasOldCorrection || isIncomplete(ended, rows, in: transaction) {
            let isReady = !isBehind && ended.places.allSatisfy { isApplied($0, rows) }
            guard isReady || !waits else {
                isLater = true
                continue
            }
            let cuts = try ZonePositions(of: zone).statable(in: transaction) { log in
                log.right == ended.right ? rights.effectiveCut(of: log).size : 0
            }
            corrections.append(CutRaise(capability: ended.right, cuts: cuts))
        }
        let said = try corrections.compactMap { correction in
            try commitControlIfRoom(.raiseCut(correction), zone: zone, in: &transaction)
        }
        return Statements(isSomethingSaid: !said.isEmpty, isSomethingLater: isLater)
    }

    /// Makes the statements that were delayed because they seemed to be on their way, once that has been long enough.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when nothing was due.
    /// - Throws: `ReplicaError`, or an error of the store.
    func confirmIfDue(_ zone: ZoneID, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        guard let since = try transaction.upkeep(zone: zone).statementsHeldSince,
            wallMilliseconds > since &+ Self.confirmationMilliseconds
        else { return CommitNotice() }
        return try tracking(zone, in: &transaction) { transaction in
            let outcome = try rule(zone, waits: false, in: &transaction)
            guard let outcome else { return CommitNotice() }
            var notice = CommitNotice(
                number: try transaction.nextCommitNumber(),
                hasRecordChanges: !outcome.changed.isEmpty
            )
            notice.quarantines = [zone]
            return notice
        }
    }

    /// Restates the adopted checkpoint of a zone where no active device states it any more.
    ///
    /// Its maker was removed, or transferred the zone. Operations pruned under it stay pruned, so it must remain
    /// effective: a device that has verified it states it from now on.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: Whether a statement was made.
    /// - Throws: `ReplicaError`, or an error of the store.
    func repeatCheckpoints(_ zone: ZoneID, in transaction: inout some NodeTransaction) throws -> Bool {
        guard mayWrite, let row = try transaction.zone(zone), row.state == .live, !row.isUnverified, row.role == .owner,
            row.adopted != nil, try mayConfirm(zone, in: transaction)
        else { return false }
        let unsaid = try Checkpoints(of: zone).unsaid(in: transaction)
        let said = try unsaid.compactMap { checkpoint in
            try commitControlIfRoom(.checkpoint(checkpoint), zone: zone, in: &transaction)
        }
        return !said.isEmpty
    }

    /// Whether this store's own control log can continue.
    func mayConfirm(_ zone: ZoneID, in transaction: some NodeTransaction) throws -> Bool {
        let key = LogKey(zone: zone, actor: try author(in: zone, transaction).actor, lane: .control)
        guard let own = try transaction.log(key) else { return true }
        return !own.isForked && own.cut == nil && own.role.mayAppend && own.appliedSize == own.size
    }

    /// Whether a statement that ended a right lists more of a log than is held here: the rest may never exist.
    private func isIncomplete(
        _ ended: UnconfirmedRight,
        _ rows: [ActorLane: LogRow],
        in transaction: some NodeTransaction
    ) throws -> Bool {
        try ended.positions.contains { position in
            guard position.size > 0 else { return false }
            guard let row = rows[position.key] else { return true }
            if position.lane == .control { return row.appliedSize < position.size }
            return try !StoredLog(row).reaches((position.size, position.root), in: transaction)
        }
    }

    private func isApplied(_ place: Dot, _ rows: [ActorLane: LogRow]) -> Bool {
        (rows[ActorLane(actor: place.actor, lane: .control)]?.appliedSize ?? 0) >= place.counter
    }
}
