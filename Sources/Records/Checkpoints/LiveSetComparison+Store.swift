package import Wire

// Sends the live set of the adopted checkpoint, and prunes operations that are not in it.
//
// A replica that comes back after all others have pruned a deletion and the operations that it deleted still holds
// the latter in full, with no gap that would reveal this: the logs are equal, yet the live set computed here matches
// no checkpoint's. A peer then has to send the live set.
extension LiveSetComparison {
    /// Records that are read at a time with the bodies of all their operations.
    private static let bodiesPageCount = 64

    /// Compares the next page with the operations that are live here under the same checkpoint.
    /// - Parameters:
    ///   - page: The peer's page.
    ///   - transaction: The store.
    /// - Returns: The result for all pages so far; nil when the comparison cannot succeed: this replica does not know
    ///   the checkpoint, has adopted it or one that covers it, the page does not follow, or all pages together are
    ///   not the checkpoint's live set.
    /// - Throws: Any error of the store.
    /// - Complexity: O(operations of the page's records), and O(control operations).
    package func compared(
        with page: LiveSetPage,
        in transaction: some ReplicaTransaction
    ) throws -> LiveSetComparison? {
        guard isContinued(by: page), let zone = try transaction.zone(page.zone),
            let (checkpoint, previous) = try Self.told(page.checkpoint, of: zone, in: transaction)
        else { return nil }
        let after = last
        var comparison = self
        comparison.append(page)
        guard comparison.count <= checkpoint.liveCount, !comparison.isWhole || comparison.isLiveSet(of: checkpoint)
        else { return nil }
        let sizes = checkpoint.dataSizes
        let end = page.isLast ? nil : page.records.last?.tag
        // A decoded page has each record once; one that has not gives another root.
        let named = Dictionary(page.records.map { ($0.tag, $0.dots) }) { first, _ in first }
        try transaction.forEachRecord(zone: zone.id, after: after) { tag, operations in
            if let end, end < tag { return false }
            let record = LiveSetRecord(operations, sizes: sizes, previous: previous)
            // No replica may prune operations that are restated, or may have to be.
            let live = record.live.filter { [.live, .superseded, .pending].contains($0.state) }.map(\.dot)
            comparison.note(tag, live: live, superseded: record.dropped, named: named[tag] ?? [])
            return !comparison.isFull
        }
        return comparison
    }

    /// Prunes operations that are live here under a checkpoint but missing from its live set.
    ///
    /// Prunes record by record. Of each record it prunes either all operations that the checkpoint covers and that
    /// are not in its live set, or none: otherwise an older state would be shown again. It prunes nothing in a log
    /// that is not held as far as the checkpoint covers it, or that has another root there, because operations of
    /// another history are not those that the checkpoint covers. It prunes nothing that is pending or cannot be read,
    /// because such an operation may be void, and void operations are kept. A replica without gaps prunes nothing,
    /// because it can compute the live set itself. The records keep their visible state until the replica is
    /// complete, as when a log is truncated. To complete it, the checkpoint is tried again, even if this replica had
    /// computed another live set before.
    /// - Parameter transaction: The store, which may have changed since the pages were compared.
    /// - Returns: The number of pruned operations, and the records that changed; nil, with nothing changed, when the
    ///   pages are not the checkpoint's live set.
    /// - Throws: Any error of the store.
    package func pruneAbsent(
        in transaction: inout some ReplicaTransaction
    ) throws -> (count: Int, changed: [RecordRow])? {
        guard var zone = try transaction.zone(self.zone),
            let (checkpoint, _) = try Self.told(self.checkpoint, of: zone, in: transaction),
            isLiveSet(of: checkpoint)
        else { return nil }
        guard zone.isUnverified else { return (0, []) }
        let logs = try ZoneLogs(zone: zone, in: transaction)
        var ends: [ActorID: UInt64] = [:]
        for log in checkpoint.logs where log.size > 0 && log.lane == .data {
            guard let row = logs[LogKey(zone: zone.id, actor: log.actor, lane: .data)], row.heldSize >= log.size,
                try StoredLog(row).root(at: log.size, in: transaction) == log.root
            else { continue }
            ends[log.actor] = logs.gapEnd(row)
        }
        let sizes = checkpoint.dataSizes
        var gone: [RecordTag: [Dot]] = [:]
        for tags in absent.keys.sorted().parts(of: Self.bodiesPageCount) {
            let states: Set<OperationState> = [.live, .superseded, .pending, .restated]
            let held = try transaction.operations(zone: zone.id, tags: tags, states: states)
                .filter { sizes.covers($0.dot) }
            for (tag, operations) in Dictionary(grouping: held, by: \.operation.header.tag) {
                guard let absence = absent[tag] else { continue }
                let unnamed = operations.filter { !absence.named.contains($0.dot) }
                // Between two pages, or before the run that needs the list, a log may have grown, or gone on as another history.
                let mayGo = unnamed.allSatisfy {
                    absence.gone.contains($0.dot) && ends[$0.actor] != nil && $0.state != .pending
                        && !transaction.isLocked($0)
                }
                if mayGo, !unnamed.isEmpty { gone[tag] = unnamed.map(\.dot) }
            }
        }
        let counters = Dictionary(grouping: gone.values.joined(), by: \.actor)
        for (actor, dots) in counters.sorted(by: { $0.key < $1.key }) {
            let key = LogKey(zone: zone.id, actor: actor, lane: .data)
            try LeafPruning(key, end: ends[actor] ?? .max).prune(Set(dots.map { $0.counter &- 1 }), in: &transaction)
        }
        let standing = try logs.standingCheckpoints(for: .checkpoint(checkpoint), in: transaction)
        zone.waitForCompared(checkpoint, standing: standing)
        try transaction.save(zone)
        var changed: [RecordRow] = []
        for tags in gone.keys.sorted().parts(of: Self.bodiesPageCount) {
            let part = Dictionary(uniqueKeysWithValues: tags.map { ($0, gone[$0] ?? []) })
            try Pruning(of: zone.id).forget(part, in: &transaction)
            changed += try RecordEvaluation(logs).recount(tags, in: &transaction)
        }
        return (counters.values.reduce(0) { $0 + $1.count }, changed)
    }

    /// A checkpoint whose live set a peer sends, and the log sizes that the previous one covered.
    /// - Returns: Nil when this replica has no use for it, or does not know it.
    private static func told(
        _ hash: Hash,
        of zone: ZoneRow,
        in transaction: some ReplicaTransaction
    ) throws -> (Checkpoint, previous: VersionVector)? {
        guard zone.state == .live else { return nil }
        let logs = try ZoneLogs(zone: zone, in: transaction)
        guard let checkpoint = try KnownCheckpoints(logs).named(hash, in: transaction),
            let previous = try KnownCheckpoints(logs).previousSizes(checkpoint, in: transaction)
        else { return nil }
        if let adopted = zone.adopted, adopted.dominates(checkpoint) { return nil }
        return (checkpoint, previous)
    }
}

extension Array {
    /// Consecutive parts of at most `count` elements.
    fileprivate func parts(of count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}
