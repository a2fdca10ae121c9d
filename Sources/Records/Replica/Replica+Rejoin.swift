import Wire

extension Replica {
    /// Takes a run whose first gap reaches back over leaves that are held here.
    ///
    /// That happens to a replica that was away, or stopped in the middle of a log, while everybody else adopted a
    /// checkpoint: nobody has the leaves any more that would continue its own. The log's end is then taken back to
    /// where the gap begins and continued by the run. What is held of the gap goes, so for each of its operations it
    /// must be certain that the checkpoint lets it go: another operation that is held or in the run covers it, or it
    /// is a tombstone that the checkpoint before covered too.
    ///
    /// An operation whose successor is none of these goes as well while other logs are not held as far as the checkpoint
    /// covers them: its successor is in one of those, and their runs may in turn wait for this one. Whatever the
    /// checkpoint covers all members hold that it waited for. Its record goes on showing what it showed until the
    /// successor comes, and a local write builds on that. When all is held, the live set shows whether something was
    /// hidden, or whether the successor was a tombstone that has been let go as well. What a peer has told of what lives helps then: what
    /// it does not name goes in the same step.
    ///
    /// What the operations that go had superseded goes with them.
    ///
    /// A log of the local device may have another history in the gap. What it wrote behind the place up to which others are
    /// known to hold the same is in nobody's checkpoint, explains nothing, and takes nothing along; the caller writes it
    /// again.
    /// - Returns: Nil when the run does not qualify; nothing has then changed.
    /// - Throws: `.missingSuccessor` for an operation that nothing supersedes, `.missingCheckpoint` while the one before the run's is not
    ///   known here.
    static func rejoin(
        _ run: Run,
        row: LogRow,
        logs: ZoneLogs,
        sharedSize: UInt64,
        liveSet: LiveSetComparison?,
        wallMilliseconds: UInt64,
        in transaction: inout some ReplicaTransaction
    ) throws -> Applied? {
        guard row.key.lane == .data, let gap = run.gap(over: row.size),
            let checkpoint = try checkpoint(run.checkpoint, logs: logs, in: transaction),
            let frontier = try frontier(of: row, at: gap.firstLeaf, in: transaction)
        else { return nil }
        guard let previous = try previousSizes(checkpoint, logs: logs, in: transaction) else {
            // It is in a control log that does not count here as far as it does for the sender, which breaks no rule.
            if PlantedBug.blameForUnknownPrevious.isActive { return nil }
            throw ReplicaError.missingCheckpoint(row.key, checkpoint.previous)
        }
        let verified = try verified(run, row: row, from: frontier, under: checkpoint, logs: logs)
        let removed = try operations(of: row, from: gap.firstLeaf, in: transaction)
        let shared = removed.filter { $0.dot.counter <= sharedSize }
        let unshared = Set(removed.lazy.map(\.dot).filter { $0.counter > sharedSize })
        let unexplained = try unexplained(
            shared,
            except: unshared,
            run: verified,
            final: checkpoint.dataSizes,
            previous: previous,
            logs: logs,
            in: transaction
        )
        let isComplete = logs.holds(checkpoint, with: verified)
        var logs = logs
        let shortened = try takeBack(row, to: frontier, in: &transaction)
        logs[row.key] = shortened
        let gone = try removed + forgetCovered(by: shared, checkpoint: checkpoint, logs: logs, in: &transaction)
        try forget(
            Dictionary(grouping: gone, by: \.operation.header.tag).mapValues { $0.map(\.dot) },
            zone: logs.zone.id,
            in: &transaction
        )
        var applied = try store(
            verified,
            row: shortened,
            logs: logs,
            wallMilliseconds: wallMilliseconds,
            in: &transaction
        )
        if isComplete, let operation = unexplained.first {
            if let liveSet, let gone = try letGo(liveSet, in: &transaction) { applied.changed += gone.changed }
            let sizes = checkpoint.dataSizes
            let live = try LiveSet(zone: logs.zone.id, sizes: sizes, previous: previous, in: transaction)
            guard live.root == checkpoint.liveRoot, live.count == checkpoint.liveCount else {
                throw ReplicaError.missingSuccessor(row.key, counter: operation.dot.counter)
            }
        }
        let after = try ZoneLogs(zone: try knownZone(logs.zone.id, in: transaction), in: transaction)
        let tags = Set(removed.map(\.operation.header.tag))
        let changed = try recount(tags.sorted(), logs: after, in: &transaction)
        applied.isTakenBack = true
        applied.changed = applied.changed.filter { !tags.contains($0.tag) } + changed
        return applied
    }

    /// Verifies a run from where its gap begins.
    private static func verified(
        _ run: Run,
        row: LogRow,
        from frontier: TreeFrontier,
        under checkpoint: Checkpoint,
        logs: ZoneLogs
    ) throws -> VerifiedRun {
        let verifier = RunVerifier(
            key: row.key,
            device: row.device,
            incarnation: row.incarnation,
            right: row.right,
            frontier: frontier,
            gapLimit: checkpoint.size(row.key.actorLane),
            tagKey: try tagKey(of: logs.zone)
        )
        do {
            return try verifier.verify(run)
        } catch {
            throw ReplicaError.invalidRun(row.key, error)
        }
    }

    /// Stops showing records of which nothing is live: what superseded them was let go as well.
    ///
    /// Called when a checkpoint's live set has shown that nothing more is to come of what it covers.
    /// - Parameters:
    ///   - records: Rows that no live operation stands behind.
    ///   - transaction: The store.
    /// - Throws: What the store throws.
    package static func withdraw(_ records: [RecordRow], in transaction: inout some ReplicaTransaction) throws {
        try transaction.save(records.map { RecordRow(vanished: $0, context: $0.context) }, bySync: true)
    }

    /// The operations of a log that are held from a place on.
    static func operations(
        of row: LogRow,
        from: UInt64,
        in transaction: some ReplicaTransaction
    ) throws -> [StoredOperation] {
        try transaction.items(row.key, from: from, to: row.size).compactMap {
            if case .operation(let stored) = $0.content { stored } else { nil }
        }
    }

    /// The operations of which nothing that is held says that they may go.
    /// - Parameters:
    ///   - removed: The operations.
    ///   - unshared: Operations that go as well, and explain nothing.
    ///   - run: The run that takes their place.
    ///   - final: What the checkpoint covers.
    ///   - previous: What the checkpoint before covered.
    ///   - logs: The zone's logs before the run.
    ///   - transaction: The store.
    /// - Returns: Those that nothing covers, and that are no settled tombstones.
    /// - Throws: What the store throws.
    private static func unexplained(
        _ removed: [StoredOperation],
        except unshared: Set<Dot>,
        run: VerifiedRun,
        final: VersionVector,
        previous: VersionVector,
        logs: ZoneLogs,
        in transaction: some ReplicaTransaction
    ) throws -> [StoredOperation] {
        let tags = Set(removed.map(\.operation.header.tag))
        // What still waits is applied along with the run, or counts as little as the run itself. What the checkpoint covers
        // behind a fork counts no more, and supersedes for the checkpoint all the same.
        var successors: [RecordTag: Domination] = [:]
        for held in try transaction.operations(
            zone: logs.zone.id,
            tags: tags.sorted(),
            states: [.live, .superseded, .pending, .quarantined, .restated]
        ) where !unshared.contains(held.dot) {
            guard held.state != .quarantined && held.state != .restated || final.covers(held.dot) else { continue }
            let header = held.operation.header
            successors[header.tag, default: Domination()].add(held.dot, vector: header.vector)
        }
        for (first, item) in run.items {
            guard case .record(let operation, _) = item, tags.contains(operation.header.tag) else { continue }
            let dot = Dot(actor: run.key.actor, counter: first &+ 1)
            successors[operation.header.tag, default: Domination()].add(dot, vector: operation.header.vector)
        }
        return removed.filter { operation in
            let (header, dot) = (operation.operation.header, operation.dot)
            if successors[header.tag]?.isCovered(dot) == true { return false }
            let isSettled = LiveSetRecord.lets(go: dot, vector: header.vector, sizes: final, previous: previous)
            return !(operation.isTombstone && isSettled)
        }
    }

    /// Takes a log's end back to an edge.
    static func takeBack(
        _ row: LogRow,
        to frontier: TreeFrontier,
        in transaction: inout some ReplicaTransaction
    ) throws -> LogRow {
        let items = try transaction.items(row.key, from: frontier.size, to: row.size)
        try transaction.replace(row.key, first: items.map(\.first), with: [])
        let heads = try transaction.heads(row.key, above: frontier.size, limit: .max)
        try transaction.deleteHeads(row.key, sizes: heads.map(\.size))
        var row = row
        row.byteCount = try transaction.head(row.key, atOrBelow: frontier.size)?.byteCount ?? 0
        row.size = frontier.size
        row.frontier = frontier
        row.appliedSize = min(row.appliedSize, frontier.size)
        if row.hole ?? 0 >= row.size { row.hole = nil }
        try transaction.save(row)
        return row
    }

    /// Forgets what operations had superseded before they go themselves, so that it cannot come back.
    ///
    /// Whoever superseded them may be forgotten by everybody, a deletion for instance: then nothing would ever say again
    /// that an older state of the record is not the newest. The checkpoint covers such a state along with them, so that it
    /// is in no live set and may be forgotten.
    /// - Returns: What was forgotten.
    private static func forgetCovered(
        by removed: [StoredOperation],
        checkpoint: Checkpoint,
        logs: ZoneLogs,
        in transaction: inout some ReplicaTransaction
    ) throws -> [StoredOperation] {
        let sizes = checkpoint.dataSizes
        var kept = try transaction.operations(
            zone: logs.zone.id,
            tags: Set(removed.map(\.operation.header.tag)).sorted(),
            states: [.live, .superseded, .pending]
        )
        kept.removeAll { !sizes.covers($0.dot) }
        var forgotten: [StoredOperation] = []
        var latest = removed
        var covering: [RecordTag: Domination] = [:]
        // A vector names all that its author had seen, unless the author lies: so what goes is asked again.
        while !latest.isEmpty {
            for operation in latest {
                let header = operation.operation.header
                covering[header.tag, default: Domination()].add(operation.dot, vector: header.vector)
            }
            latest = kept.filter { covering[$0.operation.header.tag]?.isCovered($0.dot) ?? false }
            forgotten += latest
            let dots = Set(latest.map(\.dot))
            kept.removeAll { dots.contains($0.dot) }
        }
        for (actor, operations) in Dictionary(grouping: forgotten, by: \.actor).sorted(by: { $0.key < $1.key }) {
            let key = LogKey(zone: logs.zone.id, actor: actor, lane: .data)
            let end = logs[key].map { logs.gapEnd($0) } ?? .max
            try replaceByGaps(key, Set(operations.map { $0.dot.counter &- 1 }), end: end, in: &transaction)
        }
        return forgotten
    }
}

extension Run {
    /// The gap that reaches from before a size to behind it.
    func gap(over size: UInt64) -> SubtreeGap? {
        for case .gap(let gap) in items where gap.firstLeaf < size && size < gap.endLeaf {
            return gap
        }
        return nil
    }
}

extension ZoneLogs {
    /// Whether all that a checkpoint covers is held once a run is stored.
    fileprivate func holds(_ checkpoint: Checkpoint, with run: VerifiedRun) -> Bool {
        checkpoint.logs.allSatisfy { log in
            guard log.lane == .data else { return true }
            let key = LogKey(zone: zone.id, actor: log.actor, lane: log.lane)
            return (key == run.key ? run.size : self[key]?.size ?? 0) >= log.size
        }
    }
}
