import Wire

extension RunReceiver {
    /// Takes the run if its first gap reaches back over leaves that are held here.
    ///
    /// A replica needs this if it was away, or stopped in the middle of a log, while all others adopted a checkpoint:
    /// no replica has the leaves any more that would continue its own log. The log is then truncated to the beginning
    /// of the gap and continued with the run. The operations held in the gap are pruned, so it must be certain for
    /// each of them that the checkpoint allows it: another operation that is held or in the run covers it, or it is a
    /// tombstone that the previous checkpoint covered too.
    ///
    /// An operation with no such successor is pruned as well while other logs are not held as far as the checkpoint
    /// covers them: its successor is in one of those, and their runs may in turn wait for this one. All members hold
    /// everything that the checkpoint covers, because the checkpoint waited for that. The operation's record keeps
    /// its visible state until the successor arrives, and a local write builds on that state. When everything is
    /// held, the live set shows whether a successor was withheld, or was a tombstone that has been pruned as well.
    /// The live set that a peer sent helps then: operations that it does not name are pruned in the same step.
    ///
    /// Operations that the pruned ones had superseded are pruned along with them.
    ///
    /// A log of the local device may have another history in the gap. Operations behind the size up to which others
    /// are known to hold the same log are in no checkpoint. They neither explain why another operation may be pruned
    /// nor cause superseded ones to be pruned; the caller writes them again.
    /// - Returns: Nil when the run does not qualify; nothing has then changed.
    /// - Throws: `.missingSuccessor` for an operation that nothing supersedes, `.missingCheckpoint` while the one
    ///   before the run's is not known here.
    func rejoin(
        _ row: LogRow,
        logs: ZoneLogs,
        in transaction: inout some ReplicaTransaction
    ) throws -> AppliedOperations? {
        guard row.key.lane == .data, let gap = run.gap(over: row.size),
            let checkpoint = try KnownCheckpoints(logs).named(run.checkpoint, in: transaction),
            let frontier = try StoredLog(row).frontier(at: gap.firstLeaf, in: transaction)
        else { return nil }
        guard let previous = try KnownCheckpoints(logs).previousSizes(checkpoint, in: transaction) else {
            // It is in a control log of which less is effective here than for the sender, which breaks no rule.
            throw ReplicaError.missingCheckpoint(row.key, checkpoint.previous)
        }
        let verified = try verified(row, from: frontier, under: checkpoint, logs: logs)
        let removed = try StoredLog(row).operations(from: gap.firstLeaf, in: transaction)
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
        assert(verified.from == gap.firstLeaf, "a run that begins with a gap is taken from the gap on")
        let isComplete = logs.holds(checkpoint, with: verified)
        var logs = logs
        let shortened = try StoredLog(row).rollBack(to: frontier, in: &transaction)
        logs[row.key] = shortened
        let gone = try removed + forgetCovered(by: shared, checkpoint: checkpoint, logs: logs, in: &transaction)
        try Pruning(of: logs.zone.id).forget(
            Dictionary(grouping: gone, by: \.operation.header.tag).mapValues { $0.map(\.dot) },
            in: &transaction
        )
        var applied = try store(verified, row: shortened, logs: logs, in: &transaction)
        if isComplete, let operation = unexplained.first {
            if let liveSet, let gone = try liveSet.pruneAbsent(in: &transaction) { applied.changed += gone.changed }
            let sizes = checkpoint.dataSizes
            let live = try LiveSet(zone: logs.zone.id, sizes: sizes, previous: previous, in: transaction)
            guard live.root == checkpoint.liveRoot, live.count == checkpoint.liveCount else {
                throw ReplicaError.missingSuccessor(row.key, counter: operation.dot.counter)
            }
        }
        let after = try ZoneLogs(zone: try transaction.knownZone(logs.zone.id), in: transaction)
        let tags = Set(removed.map(\.operation.header.tag))
        applied.note(try RecordEvaluation(after).recount(tags.sorted(), in: &transaction))
        applied.isTakenBack = true
        return applied
    }

    /// Verifies the run from where its gap begins.
    private func verified(
        _ row: LogRow,
        from frontier: TreeFrontier,
        under checkpoint: Checkpoint,
        logs: ZoneLogs
    ) throws -> VerifiedRun {
        let gapLimit = checkpoint.size(row.key.actorLane)
        let verifier = try verifier(of: row, from: frontier, gapLimit: gapLimit, zone: logs.zone)
        do {
            return try verifier.verify(run)
        } catch {
            throw refusal(error, of: row.key)
        }
    }

    /// Returns the operations for which nothing that is held shows that they may be pruned.
    /// - Parameters:
    ///   - removed: The operations to prune.
    ///   - unshared: Operations that are pruned as well, and cannot serve as successors.
    ///   - run: The run that takes their place.
    ///   - final: The log sizes that the checkpoint covers.
    ///   - previous: The log sizes that the previous checkpoint covered.
    ///   - logs: The zone's logs before the run.
    ///   - transaction: The store.
    /// - Returns: The operations that nothing covers, and that are no settled tombstones.
    /// - Throws: Any error of the store.
    private func unexplained(
        _ removed: [StoredOperation],
        except unshared: Set<Dot>,
        run: VerifiedRun,
        final: VersionVector,
        previous: VersionVector,
        logs: ZoneLogs,
        in transaction: some ReplicaTransaction
    ) throws -> [StoredOperation] {
        let tags = Set(removed.map(\.operation.header.tag))
        // Operations that are still pending are applied along with the run, or are as ineffective as the run itself.
        // Operations that the checkpoint covers behind a fork are ineffective, yet supersede others for the
        // checkpoint.
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
            let isSettled = LiveSetRecord.mayPrune(dot, vector: header.vector, sizes: final, previous: previous)
            return !(operation.isTombstone && isSettled)
        }
    }

    /// Prunes the operations that the removed ones had superseded, so that they cannot become visible again.
    ///
    /// All replicas may have pruned the successors of the removed operations, a deletion for instance: then no
    /// operation would ever show again that an older state of the record is not the newest. The checkpoint covers
    /// such a state along with the removed operations, so that it is in no live set and may be pruned.
    /// - Returns: The pruned operations.
    private func forgetCovered(
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
        // A vector names everything that its author had seen, unless the author lies: so the pruned operations are
        // checked in turn.
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
            try LeafPruning(key, end: end).prune(Set(operations.map { $0.dot.counter &- 1 }), in: &transaction)
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
