package import Wire

/// Receives one run of a log from a peer: verifies it, stores it, and applies the operations that are ready.
///
/// The run continues the log where it ends here; a part that is held already is checked and skipped. Operations
/// are applied when everything that their author had seen is held; until then they are stored as pending, and
/// every growth of a log retries the pending ones. A run that breaks a rule changes nothing.
///
/// The log's row and the zone's logs are passed along, and not kept: a run that closes a hole or rolls a log back works
/// with several states of the same log, and reads the logs again after each.
package struct RunReceiver {
    let run: Run
    private let actor: ActorID
    private let ruling: LogRuling
    let sharedSize: UInt64
    let keeps: KeptAboveCut
    let liveSet: LiveSetComparison?
    let wallMilliseconds: UInt64

    /// Prepares to receive a run.
    /// - Parameters:
    ///   - run: The run as decoded from the peer's bytes.
    ///   - actor: The actor derived from the head's device, incarnation and right.
    ///   - ruling: The ruling on the actor's log; used when the log is new here.
    ///   - sharedSize: The size up to which others hold the same log, for a log of the local device that may have
    ///     another history elsewhere. Should the log be truncated, the operations behind this size do not show what
    ///     others pruned. The caller writes them again.
    ///   - keeps: The part of a run above the log's cut that is kept as quarantined, as far as there is room for it.
    ///   - liveSet: The operations that are live here but not under a checkpoint, by a comparison with a peer's live
    ///     set.
    ///   - wallMilliseconds: The wall clock, milliseconds since 1970.
    package init(
        _ run: Run,
        actor: ActorID,
        ruling: LogRuling = LogRuling(),
        sharedSize: UInt64 = .max,
        keeps: KeptAboveCut = .nothing,
        liveSet: LiveSetComparison? = nil,
        wallMilliseconds: UInt64
    ) {
        self.run = run
        self.actor = actor
        self.ruling = ruling
        self.sharedSize = sharedSize
        self.keeps = keeps
        self.liveSet = liveSet
        self.wallMilliseconds = wallMilliseconds
    }

    /// Verifies the run, stores it, and applies what is ready.
    /// - Parameter transaction: The store.
    /// - Returns: The outcome.
    /// - Throws: `.unknownZone`, `.zoneClosed`, `.pendingFull`, `.controlLogFull`, `.invalidRun` (with `.rootMismatch` for a run that
    ///   contradicts what is held without proving where), `.missingSuccessor`, `.missingCheckpoint`.
    /// - Complexity: O(bytes of the run), one signature check.
    package func receive(in transaction: inout some ReplicaTransaction) throws -> ReceivedRun {
        let head = run.signedHead.head
        let zone = try transaction.knownZone(head.zone)
        if case .deleted = zone.state, head.lane == .data { throw ReplicaError.zoneClosed(zone.id) }
        let logs = try ZoneLogs(zone: zone, in: transaction)
        let key = LogKey(zone: zone.id, actor: actor, lane: head.lane)
        let isNew = logs[key] == nil
        var row = logs[key] ?? LogRow(head, key: key, ruling: ruling)
        // The log becomes effective with this run: operations that wait for it, and those it waits for, must not find
        // a log that ends earlier.
        if case .upTo(head.size) = keeps, row.size <= logs.limit(row) {
            row.cut = LogCut(size: head.size, root: head.root)
        }
        if run.isSkeleton {
            return try answerSkeleton(row, in: &transaction)
        }
        let bound = row.budgetLimit(transaction.controlBounds)
        if row.heldSize >= bound, head.size > bound { return .beyondBudget }
        if row.heldSize >= logs.limit(row) {
            if let kept = try keep(row, logs: logs, in: &transaction) { return .stored(kept) }
            if let receipt = try takeCovered(row, logs: logs, in: &transaction) { return receipt }
            // No other device knows of the log: nothing waits for it, and a device could invent any number of logs.
            if case .deposit = keeps { return .beyondCut(size: logs.limit(row), freed: nil) }
            return try answer(beyond: row, isNew: isNew, logs, in: &transaction)
        }
        if let hole = row.hole {
            return try fill(row, from: hole, logs: logs, in: &transaction)
        }
        let verifier = try verifier(
            of: row,
            from: row.frontier,
            gapLimit: try gapLimit(key, logs: logs, in: transaction),
            end: row.cut == nil || row.isForked || key.lane == .control ? .max : logs.limit(row),
            zone: zone
        )
        let verified: VerifiedRun
        do {
            verified = try verifier.verify(run)
        } catch {
            if case .forgotten = error,
                let applied = try rejoin(row, logs: logs, in: &transaction)
            {
                return .stored(applied)
            }
            return try answer(error, row: row, in: &transaction)
        }
        return .stored(try store(verified, row: row, logs: logs, in: &transaction))
    }

    /// The check of the run behind an edge of its log.
    /// - Parameters:
    ///   - row: The log.
    ///   - edge: The place from which on the run is taken.
    ///   - gapLimit: The number of leaves that the run's checkpoint covers; zero for none.
    ///   - end: The size at which the log is cut.
    ///   - zone: The log's zone.
    /// - Returns: The check.
    /// - Throws: `.damaged` for a tag key of the wrong length.
    func verifier(
        of row: LogRow,
        from edge: TreeFrontier,
        gapLimit: UInt64,
        end: UInt64 = .max,
        zone: ZoneRow
    ) throws -> RunVerifier {
        RunVerifier(
            key: row.key,
            device: row.device,
            incarnation: row.incarnation,
            right: row.right,
            frontier: edge,
            gapLimit: gapLimit,
            end: end,
            tagKey: try zone.recordTagKey()
        )
    }

    /// Refuses a run that lies behind the end of its log.
    private func answer(
        beyond row: LogRow,
        isNew: Bool,
        _ logs: ZoneLogs,
        in transaction: inout some ReplicaTransaction
    ) throws -> ReceivedRun {
        if let proof = row.forkProof { return .beyondFork(proof, stopped: nil) }
        guard isNew else { return .beyondCut(size: logs.limit(row), freed: nil) }
        // An empty row tells others, and our own pending operations, that nothing of the log is to be waited for.
        try transaction.save(row)
        let freed = try RulingApplier(of: logs.zone.id, wallMilliseconds: wallMilliseconds).retryPending(
            in: &transaction
        )
        return .beyondCut(size: logs.limit(row), freed: freed)
    }

    /// Stores a verified run and applies the operations that are ready.
    func store(
        _ run: VerifiedRun,
        row: LogRow,
        logs: ZoneLogs,
        in transaction: inout some ReplicaTransaction
    ) throws -> AppliedOperations {
        try StoredLog(row).checkSeen(run, in: transaction)
        if row.key.lane == .control, row.byteCount &+ run.byteCount > logs.controlBounds.byteCount {
            throw ReplicaError.controlLogFull(row.key)
        }
        let isContinued = isContinued(row, by: run, logs)
        var row = row
        var applier = ZoneApplier(logs, transaction.keyring)
        let limit = logs.recordLimit(row)
        assert(run.from == row.size, "a run is stored where the log ends")
        assert(run.key == row.key, "a run is stored in its log")
        // The log holds the run from here on, for whatever waits for it.
        var grown = row
        grown.size = run.size
        let isReady = row.appliedSize == row.size && logs.isApplied(run.signedHead.head.seen, run.key.lane)
        grown.appliedSize = isReady ? run.size : row.size
        applier.logs[run.key] = grown
        if isReady {
            try applier.apply(run, of: row, limit: limit, in: transaction)
        } else {
            try checkPendingRoom(row, run, in: transaction)
        }
        try appendAndDrain(run, isReady: isReady, row: &row, applier: &applier, in: &transaction)
        if run.hasGaps, !applier.logs.zone.isUnverified {
            applier.logs.zone.isUnverified = true
            try transaction.save(applier.logs.zone)
        }
        var applied = try applier.finish(wallMilliseconds: wallMilliseconds, in: &transaction)
        if applied.hasControlChanges || isContinued {
            try applier.logs.saveEffectiveWatermark(before: logs, in: &transaction)
            applied.changed += try LimitChange(from: logs, to: applier.logs).recount(in: &transaction).changed
        }
        // If this is the other history, the log ends earlier than it seemed, and nothing waits for more of it.
        if isContinued {
            applied.add(
                try RulingApplier(of: logs.zone.id, wallMilliseconds: wallMilliseconds).retryPending(in: &transaction)
            )
        }
        applied.storedCount = UInt64(run.items.count)
        applied.size = run.size
        assert(row.size == run.size && row.frontier == run.frontier, "the log ends with the run that was stored")
        return applied
    }

    private func appendAndDrain(
        _ run: VerifiedRun,
        isReady: Bool,
        row: inout LogRow,
        applier: inout ZoneApplier,
        in transaction: inout some ReplicaTransaction
    ) throws {
        func append(in transaction: inout some ReplicaTransaction) throws {
            row = try StoredLog(row).append(
                applier.storedItems(run, of: row, isPending: !isReady),
                under: run.signedHead,
                frontier: run.frontier,
                byteCount: run.byteCount,
                isApplied: isReady,
                in: &transaction
            )
            applier.logs[run.key] = row
            try transaction.save(row)
        }
        if isReady {
            // Operations that the growth sets free may supersede operations of the run, whose states are known
            // afterwards.
            try applier.drain(run.key.lane, in: &transaction)
            try append(in: &transaction)
        } else {
            // The run may wait for one that waits for it: both are held now.
            try append(in: &transaction)
            try applier.drain(run.key.lane, in: &transaction)
        }
    }

    private func checkPendingRoom(
        _ row: LogRow,
        _ run: VerifiedRun,
        in transaction: some ReplicaTransaction
    ) throws {
        let appliedByteCount = try transaction.head(row.key, atOrBelow: row.appliedSize)?.byteCount ?? 0
        let pendingByteCount = row.byteCount &- appliedByteCount &+ run.byteCount
        guard
            run.size &- row.appliedSize <= ReplicaLimits.pendingOperationCountMax,
            pendingByteCount <= ReplicaLimits.pendingByteCountMax
        else { throw ReplicaError.pendingFull(row.key) }
    }

    /// The size of a log that the checkpoint named by a run covers; zero for a run without gaps in the part that is
    /// not held.
    func gapLimit(
        _ key: LogKey,
        logs: ZoneLogs,
        in transaction: some ReplicaTransaction
    ) throws -> UInt64 {
        guard !run.checkpoint.isZero, key.lane == .data, run.hasGaps(behind: logs[key]?.heldSize ?? 0) else { return 0 }
        guard let checkpoint = try KnownCheckpoints(logs).named(run.checkpoint, in: transaction) else {
            throw ReplicaError.missingCheckpoint(key, run.checkpoint)
        }
        return checkpoint.size(key.actorLane)
    }

    /// The refusal of a run with an error of the verifier.
    ///
    /// The sender of a gap that no checkpoint allows may know a cut of the log that is not known here, or a later one than it: above its
    /// cut, operations are missing that were purged, or pruned by their author alone.
    func refusal(_ error: RunError, of key: LogKey) -> ReplicaError {
        if case .gapNotCovered = error { .missingCheckpoint(key, run.checkpoint) } else { .invalidRun(key, error) }
    }

    /// Turns the verifier's refusal into an answer: some are no fault, and some hide a fork.
    func answer(
        _ error: RunError,
        row: LogRow,
        in transaction: inout some ReplicaTransaction
    ) throws -> ReceivedRun {
        switch error {
        case .misplaced(let held):
            return .misplaced(held: held)
        case .alreadyHeld(let size):
            let head = run.signedHead.head
            guard let held = try StoredLog(row).root(at: head.size, in: transaction), held != head.root else {
                return .alreadyHeld(size: size)
            }
        case .rootMismatch:
            break
        case .invalidOperation(_, .batch):
            // Another history may have a batch where ours ends; its author broke no rule.
            guard try !ForkEvidence(row).continues(run, in: transaction) else { throw refusal(error, of: row.key) }
        default:
            throw refusal(error, of: row.key)
        }
        guard let proof = try ForkEvidence(row).proof(from: run, in: transaction) else {
            throw ReplicaError.invalidRun(row.key, .rootMismatch)
        }
        return try fork(row, proof, in: &transaction)
    }

    /// Compares the run, a peer's skeleton of a log, with the held log.
    private func answerSkeleton(_ row: LogRow, in transaction: inout some ReplicaTransaction) throws -> ReceivedRun {
        let head = run.signedHead.head
        guard row.isNamed(by: head), run.signedHead.hasValidSignature else {
            throw ReplicaError.invalidRun(row.key, .badSignature)
        }
        guard let proof = try ForkEvidence(row).proof(fromSkeleton: run, in: transaction) else {
            return .alreadyHeld(size: row.size)
        }
        return try fork(row, proof, in: &transaction)
    }

    private func fork(
        _ row: LogRow,
        _ proof: ForkProof,
        in transaction: inout some ReplicaTransaction
    ) throws -> ReceivedRun {
        if let held = row.forkProof, held.forkPoint <= proof.forkPoint {
            return .beyondFork(held, stopped: try stopContinuing(row, in: &transaction))
        }
        try RulingApplier(of: row.key.zone, wallMilliseconds: wallMilliseconds).end(row, by: proof, in: &transaction)
        return .forked(proof)
    }

    /// Whether a run brings a forked log up to the size that a checkpoint covers behind the fork: then the run shows
    /// whether it belongs to the covered history.
    private func isContinued(_ row: LogRow, by run: VerifiedRun, _ logs: ZoneLogs) -> Bool {
        let size = logs.zone.watermark[row.key.actor]
        guard row.key.lane == .data, let proof = row.forkProof else { return false }
        return size > proof.forkPoint && row.size < size && run.size >= size
    }
}

extension Run {
    /// Whether leaves from a size on are missing under a checkpoint.
    fileprivate func hasGaps(behind size: UInt64) -> Bool {
        items.contains {
            if case .gap(let gap) = $0 { return gap.endLeaf > size }
            return false
        }
    }
}
