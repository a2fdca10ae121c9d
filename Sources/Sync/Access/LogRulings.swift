import Capabilities
import Identity
import Records
import Wire

/// The rulings on a zone's logs: each log's role, and where it ends by the control log and the
/// accounts' logs.
struct LogRulings {
    /// The most logs of one device that are kept in a zone while their rights are unknown.
    private static let unknownRightCountMax = 8

    let committer: Committer

    /// Works within one transaction.
    init(_ committer: Committer) {
        self.committer = committer
    }

    /// Cuts the logs of a zone where its control log and the accounts' logs say; doing it again
    /// changes nothing.
    ///
    /// The logs of a device that the account no longer knows, since the entry that added it is no
    /// longer effective, end at zero. A removal that is no longer effective lifts its cuts again.
    ///
    /// An active device also makes the ``OwedStatements`` in the same transaction, and restates the
    /// checkpoint adopted here.
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
    ) throws -> RulingOutcome? {
        guard let row = try transaction.zone(zone) else { return nil }
        let rights = try ZoneRights(row, of: committer, in: transaction)
        var outcome: RulingOutcome?
        if try OwedStatements(committer).make(row, rights, waits: waits, in: &transaction) {
            outcome = try applyRights(zone, in: &transaction) ?? RulingOutcome()
        } else {
            outcome = try applyRights(zone, rights, in: &transaction)
        }
        if try CheckpointUpkeep(committer).restate(zone, in: &transaction) {
            outcome.add(try applyRights(zone, in: &transaction) ?? RulingOutcome())
        }
        return outcome
    }

    private func applyRights(_ zone: ZoneID, in transaction: inout some NodeTransaction) throws -> RulingOutcome? {
        guard let row = try transaction.zone(zone) else { return nil }
        return try applyRights(zone, ZoneRights(row, of: committer, in: transaction), in: &transaction)
    }

    /// Applies given rights to the logs, and then the consequences of the logs' ends.
    private func applyRights(
        _ zone: ZoneID,
        _ first: ZoneRights,
        in transaction: inout some NodeTransaction
    ) throws -> RulingOutcome? {
        let ends = try cutUntilStable(zone, first, in: &transaction)
        let rights = ends.rights
        var outcome = ends.outcome
        if let changed = try ZoneEvaluation(of: zone).enforce(rights.production, in: &transaction) {
            outcome.add(changed: changed)
        }
        let (right, role) = rights.own(committer.account.account)
        if var row = try transaction.zone(zone), row.right != right || row.role != role {
            (row.right, row.role) = (right, role)
            try transaction.save(row)
            outcome.add(RulingOutcome())
        }
        // Operations above the new end of a log are not passed on any more.
        let graph = try outcome == nil ? rights.graph : ZoneRights(zone, of: committer, in: transaction).graph
        if let changed = try EpochKeys(committer).openKeys(rights, graph, zone: zone, in: &transaction) {
            outcome.add(changed: changed)
        }
        return outcome
    }

    /// Cuts the logs until no right that follows from the rest of the control logs gives them other
    /// ends.
    ///
    /// As long as the right of a control log is unknown, the log is read as far as any other. Once
    /// it is known, more or less of the log may be effective, and another right may become known by
    /// that. A right depends only on the rights from which it was passed on, by grant or transfer,
    /// and on statements under those: never on itself. So each round decides one more right, and
    /// there are no more rounds than logs.
    /// - Returns: The rights by which the logs end, and the changes; `nil` for none.
    private func cutUntilStable(
        _ zone: ZoneID,
        _ first: ZoneRights,
        in transaction: inout some NodeTransaction
    ) throws -> (rights: ZoneRights, outcome: RulingOutcome?) {
        var rights = first
        var (outcome, hasOtherEnds) = try cut(zone, rights, in: &transaction)
        // Not by recursion: an ownership that is passed on a thousand times must not exhaust the
        // stack.
        var roundsLeft = try hasOtherEnds ? transaction.logs(zone: zone).count : 0
        while hasOtherEnds, roundsLeft > 0, let row = try transaction.zone(zone) {
            roundsLeft -= 1
            rights = try ZoneRights(row, of: committer, in: transaction)
            let next = try cut(zone, rights, in: &transaction)
            outcome.add(next.outcome)
            hasOtherEnds = next.hasOtherEnds
        }
        assert(!hasOtherEnds, "the ends of logs are found in as many rounds as there are logs")
        return (rights, outcome)
    }

    /// Cuts the logs of a zone where given rights say.
    /// - Returns: The changes, `nil` for none; and whether control logs have other ends than those
    ///   with which the rights were computed.
    private func cut(
        _ zone: ZoneID,
        _ rights: ZoneRights,
        in transaction: inout some NodeTransaction
    ) throws -> (outcome: RulingOutcome?, hasOtherEnds: Bool) {
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
        let outcome = try RulingApplier(of: zone, wallMilliseconds: committer.wallMilliseconds)
            .rule(changed, in: &transaction)
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

    // MARK: Logs that are not held yet

    /// Decides about a log that is not held yet.
    /// - Parameters:
    ///   - head: A head of it.
    ///   - zone: Its zone.
    ///   - transaction: The store.
    /// - Returns: The ruling.
    /// - Throws: `CommitError.waiting` while the log's account is unknown, or does not know the
    ///   device, `CommitError.noRoom` when the log may not begin, or an error of the store.
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
        let rights = try ZoneRights(zone, of: committer, in: transaction)
        guard let account = rights.state.account(of: head.right) else {
            let row = LogRow(head, key: head.key)
            // The right was never effective, but the owner has made final a part of the logs under
            // it.
            if case .at = rights.effectiveCut(of: row) { return rights.ruling(of: row) }
            // Control logs are kept until their right is known: else two devices that wait for each
            // other would wait for ever. Keys cost nothing to make, and a device can make any
            // number of rights.
            guard head.lane == .control,
                committer.accounts.values.contains(where: { $0.standing(of: head.device) == .active(.full) })
            else { throw CommitError.waiting(.capability(head.right)) }
            let unknown = try transaction.logs(zone: zone.id).filter { $0.role == .unknown && $0.device == head.device }
            guard unknown.count < Self.unknownRightCountMax else {
                throw CommitError.noRoom(head.key, .tooManyUnknownRights)
            }
            return LogRuling(role: .unknown)
        }
        switch rights.directory.standing(of: head.device, in: account) {
        // The sender may have another log of the account than this device: a longer one, or one by
        // which the admission of the author is not void yet. So the author is to blame for nothing,
        // in its own account either.
        case .unknownAccount, .unknownDevice: throw CommitError.waiting(.account(account))
        case .active, .removed: break
        }
        return rights.ruling(of: LogRow(head, key: head.key))
    }
}

extension RulingOutcome? {
    /// Adds the changes of a further ruling on the same zone, if it made any.
    mutating func add(_ next: RulingOutcome?) {
        guard let next else { return }
        var whole = self ?? RulingOutcome()
        whole.add(next)
        self = whole
    }

    /// Adds records whose visible state changed; an empty list is a change of something else.
    mutating func add(changed: [RecordRow]) {
        var next = RulingOutcome()
        next.changed = changed
        add(next)
    }
}
