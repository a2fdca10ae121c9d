import Identity
import Records
package import Wire

/// The work on the checkpoints of zones: one is made when all active devices have acknowledged enough, and adopted when
/// this store holds the covered logs; then all operations outside the live set are pruned.
///
/// Checkpoints are computed in snapshots: they read all that is retained of a zone, and must not occupy the only
/// writer.
package struct CheckpointUpkeep: Sendable {
    /// The number of records that one transaction withdraws.
    private static let withdrawnCount = 96
    /// The number of records that are examined for that in one snapshot.
    private static let withdrawalScanCount = 8 * withdrawalPageCount
    private static let withdrawalPageCount = 1_000

    let committer: Committer
    private let statements: ControlStatements

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
        statements = ControlStatements(committer)
    }

    /// The next piece of work on the checkpoints of a zone.
    ///
    /// The caller does it with ``perform(_:in:)``, and asks for the next one, until there is none or a ``CheckpointRound`` is over.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: A snapshot of the store.
    /// - Returns: Nil when there is nothing to do.
    /// - Throws: `ReplicaError`, or an error of the store.
    /// - Complexity: O(logs), and O(retained operations) where a checkpoint is due, or waits and may be adopted.
    package func work(
        on zone: ZoneID,
        in transaction: some NodeTransaction
    ) throws -> CheckpointWork? {
        guard let row = try transaction.zone(zone), !row.isDeleted,
            let outcome = try withdrawal(row, in: transaction) ?? adoption(row, in: transaction)
                ?? making(row, in: transaction)
        else { return nil }
        return CheckpointWork(
            zone: zone,
            outcome: outcome,
            stamp: try CheckpointStamp(zone: zone, in: transaction),
            turnCount: try ZoneTurns(of: zone).count(in: transaction)
        )
    }

    /// Does a piece of work.
    /// - Parameters:
    ///   - work: The work.
    ///   - transaction: The store, which may have changed since the work was computed.
    /// - Returns: The result; the notice has no number when nothing of the store's own changed.
    /// - Throws: `ReplicaError`, or an error of the store.
    /// - Complexity: O(logs · devices); O(control log) once, where its meaning is not kept in memory.
    package func perform(
        _ work: CheckpointWork,
        in transaction: inout some NodeTransaction
    ) throws -> Changed<CheckpointStep> {
        guard try ZoneTurns(of: work.zone).count(in: transaction) == work.turnCount else { return Changed(.stale) }
        if case .withdrawn(let tags, let behind, let next) = work.outcome {
            guard try Self.withdrawalPlace(work.zone, in: transaction) == behind,
                try transaction.zone(work.zone)?.isUnverified == false
            else { return Changed(.stale) }
            return try committer.tracking(work.zone, in: &transaction) {
                Changed(.done, notice: try withdraw(tags, next: next, zone: work.zone, in: &$0))
            }
        }
        guard try work.stamp.stands(in: transaction) else { return Changed(.stale) }
        switch work.outcome {
        case .withdrawn:
            return Changed(.stale)
        case .adopted(let row):
            assert(row.id == work.zone, "the row is saved in place of the one that the stamp compared")
            return try committer.tracking(work.zone, in: &transaction) { transaction in
                let wasUnverified = try transaction.zone(work.zone)?.isUnverified ?? false
                try transaction.save(row)
                if wasUnverified, !row.isUnverified { try beginWithdrawal(work.zone, in: &transaction) }
                return Changed(.done, notice: CommitNotice(number: try transaction.nextCommitNumber()))
            }
        case .awaited:
            try change(work.zone, in: &transaction) { $0.checkpointHeldSince = committer.wallMilliseconds }
            return Changed(.done)
        case .notAwaited:
            try change(work.zone, in: &transaction) { $0.checkpointHeldSince = nil }
            return Changed(.done)
        case .made(let checkpoint, let occasion):
            return try say(checkpoint, on: occasion, zone: work.zone, in: &transaction)
        }
    }

    // MARK: Making one

    /// The next step towards a checkpoint, if one is due.
    private func making(_ row: ZoneRow, in transaction: some NodeTransaction) throws -> CheckpointWork.Outcome? {
        guard committer.mayWrite, committer.isCurrent(row), row.state == .live, !row.isUnverified, row.role == .owner
        else { return nil }
        let zone = row.id
        let now = committer.wallMilliseconds
        let last = try lastCheckpoint(zone, in: transaction)
        guard try Checkpoints(of: zone).mayBeDue(nowMilliseconds: now, lastMilliseconds: last, in: transaction) else {
            return nil
        }
        let own = try statements.ownLog(in: zone, transaction)
        let isDaily = now &- last >= ReplicaLimits.checkpointIntervalMilliseconds
        guard
            try ControlBudget(of: row.role, within: transaction.controlBounds)
                .admitsCheckpoint(isDaily: isDaily, behind: transaction.log(own)?.size ?? 0)
        else { return nil }
        // A checkpoint of an active device that covers operations that do not exist here is waited for a day at most.
        let since = try transaction.upkeep(zone: zone).checkpointHeldSince
        if try Checkpoints(of: zone).coverUnknownOperations(in: transaction) {
            guard let since else { return .awaited }
            guard now >= since &+ OwedStatements.waitMilliseconds else { return nil }
        } else if since != nil {
            return .notAwaited
        }
        let occasion = try occasion(row, in: transaction)
        let due = try Checkpoints(of: zone).due(
            acknowledged: occasion.acknowledged,
            activeDevices: Set(occasion.members).subtracting(occasion.lapsed),
            ownDevice: committer.device,
            lapsed: Array(occasion.lapsed.prefix(Limits.lapsedDeviceCountMax)),
            nowMilliseconds: now,
            lastMilliseconds: last,
            in: transaction
        )
        return due.map { .made($0, occasion) }
    }

    /// The facts beside a zone's own rows that decide whether a checkpoint is due there.
    private func occasion(_ row: ZoneRow, in transaction: some NodeTransaction) throws -> CheckpointOccasion {
        let members = try ZoneViews(committer).members(of: row, in: transaction)
        var acknowledged: [DeviceID: [LogKey: UInt64]] = [:]
        for row in try transaction.acknowledgements(zone: row.id) {
            acknowledged[row.device, default: [:]][row.key] = row.size
        }
        return CheckpointOccasion(
            members: members,
            lapsed: try DeviceTimes(committer).lapsed(members, in: transaction),
            lastMilliseconds: try lastCheckpoint(row.id, in: transaction),
            acknowledged: acknowledged
        )
    }

    /// The time at which the last checkpoint of a zone was made.
    private func lastCheckpoint(_ zone: ZoneID, in transaction: some NodeTransaction) throws -> UInt64 {
        let noted = try transaction.upkeep(zone: zone).checkpointMilliseconds
        // A checkpoint in the future was made while this clock was ahead. An additional checkpoint does no harm.
        return noted > committer.wallMilliseconds ? 0 : noted
    }

    private func say(
        _ checkpoint: Checkpoint,
        on occasion: CheckpointOccasion,
        zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> Changed<CheckpointStep> {
        guard committer.mayWrite, let row = try transaction.zone(zone),
            occasion.stands(at: try self.occasion(row, in: transaction))
        else { return Changed(.stale) }
        assert(
            checkpoint.previous == row.adopted?.hash ?? .zero,
            "a checkpoint follows the one that is adopted here"
        )
        assert(!row.isUnverified, "checkpoints are made by replicas that are complete")
        return try committer.tracking(zone, in: &transaction) { transaction in
            guard try statements.commitIfRoom(.checkpoint(checkpoint), zone: zone, in: &transaction) != nil else {
                return Changed(.noRoom)
            }
            try change(zone, in: &transaction) { $0.checkpointMilliseconds = committer.wallMilliseconds }
            let hasChanges = try adoptSoon(zone, in: &transaction)
            // A grant that it covers may become effective, and a cut may be raised: that has effects here as
            // anywhere.
            let ruled = try LogRulings(committer).rule(zone, in: &transaction)
            var notice = CommitNotice(
                number: try transaction.nextCommitNumber(),
                feed: hasChanges ? .anything : FeedGrowth(ruled?.changed ?? [])
            )
            if ruled != nil { notice.quarantines = [zone] }
            return Changed(.made(checkpoint), notice: notice)
        }
    }

    /// Restates the adopted checkpoint of a zone where no active device states it any more.
    ///
    /// A device that has not seen the checkpoint may remove its maker, whose log ends below it then. Operations
    /// pruned under it stay pruned, and a replica that has not learnt of it takes no run with such a gap: a device
    /// that holds the checkpoint has to state it.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when it is stated, or this device may not state it.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func sayAgain(
        _ zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        try committer.tracking(zone, in: &transaction) { transaction in
            guard try restate(zone, in: &transaction) else { return CommitNotice() }
            let outcome = try LogRulings(committer).rule(zone, in: &transaction)
            return CommitNotice(
                number: try transaction.nextCommitNumber(),
                feed: FeedGrowth(outcome?.changed ?? [])
            )
        }
    }

    /// Makes the statement of the adopted checkpoint where no active device makes it any more, without its effects.
    ///
    /// Its maker was removed, or transferred the zone. Operations pruned under it stay pruned, so it must remain
    /// effective: a device that has verified it states it from now on.
    /// - Returns: Whether a statement was made.
    /// - Throws: `ReplicaError`, or an error of the store.
    func restate(_ zone: ZoneID, in transaction: inout some NodeTransaction) throws -> Bool {
        guard committer.mayWrite, let row = try transaction.zone(zone), row.state == .live, !row.isUnverified,
            row.role == .owner, row.adopted != nil, try statements.mayContinue(in: zone, transaction)
        else { return false }
        let said = try Checkpoints(of: zone).unsaid(in: transaction).compactMap { checkpoint in
            try statements.commitIfRoom(.checkpoint(checkpoint), zone: zone, in: &transaction)
        }
        return !said.isEmpty
    }

    // MARK: Adopting one

    private func adoption(_ row: ZoneRow, in transaction: some NodeTransaction) throws -> CheckpointWork.Outcome? {
        guard row.isUnverified || !row.candidates.isEmpty else { return nil }
        let (adoption, row) = try Checkpoints(of: row.id).adoption(in: transaction)
        return adoption == .none ? nil : .adopted(row)
    }

    /// Adopts the checkpoints of a small zone whose logs this store holds; those of a large one are left to ``work(on:in:)``.
    ///
    /// This makes an incomplete zone complete: content that was shown only because a successor was to come has none.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: Whether a reader sees other records than before.
    /// - Throws: `ReplicaError`, or an error of the store.
    func adoptSoon(_ zone: ZoneID, in transaction: inout some NodeTransaction) throws -> Bool {
        let wasUnverified = try transaction.zone(zone)?.isUnverified ?? false
        // One that shows another live set here is not asked again, and must not keep the others from their turn.
        while try Checkpoints(of: zone).adoptsSoon(limit: committer.soonAdoptedCount, in: transaction),
            try Checkpoints(of: zone).adopt(in: &transaction) != .none
        {}
        guard wasUnverified, try transaction.zone(zone)?.isUnverified == false else { return false }
        var hasChanges = false
        var last: String?
        while true {
            let page = try transaction.records(zone: zone, after: last, limit: 1_000)
            let superseded = page.records.filter(\.live.isEmpty)
            if !superseded.isEmpty {
                try transaction.withdraw(superseded)
                hasChanges = true
            }
            guard page.more, let name = page.records.last?.name else { return hasChanges }
            last = name
        }
    }

    // MARK: Withdrawn records of a complete zone

    /// The next records to stop showing in a zone since it was proven complete: their content was shown only because
    /// a successor was to come, and has none.
    private func withdrawal(_ row: ZoneRow, in transaction: some NodeTransaction) throws -> CheckpointWork.Outcome? {
        // A zone that is no longer complete will be again, and the withdrawal begins again then.
        guard !row.isUnverified, let behind = try Self.withdrawalPlace(row.id, in: transaction) else { return nil }
        var tags: [RecordTag] = []
        var last = behind
        for _ in 0..<Self.withdrawalScanCount / Self.withdrawalPageCount {
            let page = try transaction.records(
                zone: row.id,
                after: last.isEmpty ? nil : last,
                limit: Self.withdrawalPageCount
            )
            for record in page.records {
                guard tags.count < Self.withdrawnCount else { return .withdrawn(tags, behind: behind, next: last) }
                if record.live.isEmpty { tags.append(record.tag) }
                last = record.name
            }
            guard page.more else { return .withdrawn(tags, behind: behind, next: nil) }
        }
        return .withdrawn(tags, behind: behind, next: last)
    }

    private func withdraw(
        _ tags: [RecordTag],
        next: String?,
        zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        try change(zone, in: &transaction) { $0.withdrawalPlace = next }
        var notice = CommitNotice()
        let superseded = try transaction.records(zone: zone, tags: tags).filter { !$0.isDeleted && $0.live.isEmpty }
        guard !superseded.isEmpty else { return notice }
        try transaction.withdraw(superseded.sorted { $0.name < $1.name })
        notice.number = try transaction.nextCommitNumber()
        notice.feed = FeedGrowth(superseded)
        return notice
    }

    /// Notes that records of a zone must be examined, from the first one on.
    func beginWithdrawal(_ zone: ZoneID, in transaction: inout some NodeTransaction) throws {
        try change(zone, in: &transaction) { $0.withdrawalPlace = "" }
    }

    /// Returns the place that the withdrawal of replaced records has reached in a zone that was proven complete.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store, or a snapshot of it.
    /// - Returns: The name of the record behind which the next step begins, empty for the first record; nil when
    ///   nothing is left to withdraw.
    /// - Throws: An error of the store.
    package static func withdrawalPlace(_ zone: ZoneID, in transaction: some NodeTransaction) throws -> String? {
        try transaction.upkeep(zone: zone).withdrawalPlace
    }

    /// Changes the state of a zone's upkeep.
    func change(
        _ zone: ZoneID,
        in transaction: inout some NodeTransaction,
        _ body: (inout UpkeepRow) -> Void
    ) throws {
        var row = try transaction.upkeep(zone: zone)
        body(&row)
        try transaction.save(row)
    }
}
