package import Wire

// Sends the live set of the adopted checkpoint, and prunes operations that are not in it.
//
// A replica that comes back after all others have pruned a deletion and the operations that it deleted still holds
// the latter in full, with no gap that would reveal this: the logs are equal, yet the live set computed here matches
// no checkpoint's. A peer then has to send the live set.
extension Replica {
    /// Records that are read at a time with the bodies of all their operations.
    private static let bodiesPageCount = 64

    /// Returns a page of the live set of the adopted checkpoint.
    /// - Parameters:
    ///   - request: The peer's request.
    ///   - transaction: The store.
    /// - Returns: The page; an empty one while no checkpoint is adopted, when another one than requested is adopted
    ///   by now, or when the page would be too large.
    /// - Throws: Any error of the store.
    /// - Complexity: O(operations of the page's records), and O(control operations).
    package static func liveSetPage(
        _ request: LiveSetRequest,
        in transaction: some ReplicaTransaction
    ) throws -> LiveSetPage {
        let nothing = LiveSetPage(nothingOf: request.zone)
        guard let zone = try transaction.zone(request.zone), zone.state == .live, let adopted = zone.adopted,
            request.place.map({ $0.checkpoint == adopted.hash }) ?? true
        else { return nothing }
        let logs = try ZoneLogs(zone: zone, in: transaction)
        guard let previous = try previousSizes(adopted, logs: logs, in: transaction) else { return nothing }
        let sizes = adopted.dataSizes
        var records: [LiveSetPage.Record] = []
        var count = 0
        var isLast = true
        try transaction.forEachRecord(zone: zone.id, after: request.place?.after) { tag, operations in
            let live = LiveSetRecord(operations, sizes: sizes, previous: previous).live
            guard !live.isEmpty else { return true }
            guard count < Limits.liveSetPageDotCountMin else {
                isLast = false
                return false
            }
            records.append(LiveSetPage.Record(tag: tag, dots: live.map(\.dot)))
            count += live.count
            return true
        }
        guard count <= Limits.liveSetDotCountMax else { return nothing }
        return LiveSetPage(zone: zone.id, checkpoint: adopted.hash, records: records, isLast: isLast)
    }

    /// Compares a page with the operations that are live here under the same checkpoint.
    /// - Parameters:
    ///   - page: The peer's page.
    ///   - comparison: The result of comparing the pages before.
    ///   - transaction: The store.
    /// - Returns: The result for all pages so far; nil when the comparison cannot succeed: this replica does not know
    ///   the checkpoint, has adopted it or one that covers it, the page does not follow, or all pages together are
    ///   not the checkpoint's live set.
    /// - Throws: Any error of the store.
    /// - Complexity: O(operations of the page's records), and O(control operations).
    package static func compare(
        _ page: LiveSetPage,
        with comparison: LiveSetComparison,
        in transaction: some ReplicaTransaction
    ) throws -> LiveSetComparison? {
        guard comparison.isContinued(by: page), let zone = try transaction.zone(page.zone),
            let (checkpoint, previous) = try told(page.checkpoint, of: zone, in: transaction)
        else { return nil }
        let after = comparison.last
        var comparison = comparison
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
    /// - Parameters:
    ///   - comparison: The result of comparing all pages. The store may have changed since.
    ///   - transaction: The store.
    /// - Returns: The number of pruned operations, and the records that changed; nil, with nothing changed, when the
    ///   pages are not the checkpoint's live set.
    /// - Throws: Any error of the store.
    package static func letGo(
        _ comparison: LiveSetComparison,
        in transaction: inout some ReplicaTransaction
    ) throws -> (count: Int, changed: [RecordRow])? {
        guard var zone = try transaction.zone(comparison.zone),
            let (checkpoint, _) = try told(comparison.checkpoint, of: zone, in: transaction),
            comparison.isLiveSet(of: checkpoint)
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
        for tags in comparison.absent.keys.sorted().parts(of: bodiesPageCount) {
            let states: Set<OperationState> = [.live, .superseded, .pending, .restated]
            let held = try transaction.operations(zone: zone.id, tags: tags, states: states)
                .filter { sizes.covers($0.dot) }
            for (tag, operations) in Dictionary(grouping: held, by: \.operation.header.tag) {
                guard let absence = comparison.absent[tag] else { continue }
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
            try replaceByGaps(key, Set(dots.map { $0.counter &- 1 }), end: ends[actor] ?? .max, in: &transaction)
        }
        zone.waitFor(checkpoint, stands: true)
        try transaction.save(zone)
        var changed: [RecordRow] = []
        for tags in gone.keys.sorted().parts(of: bodiesPageCount) {
            let part = Dictionary(uniqueKeysWithValues: tags.map { ($0, gone[$0] ?? []) })
            try forget(part, zone: zone.id, in: &transaction)
            changed += try recount(tags, logs: logs, in: &transaction)
        }
        return (counters.values.reduce(0) { $0 + $1.count }, changed)
    }

    /// Whether a device of the owner's account other than this one, and not removed, states a checkpoint.
    ///
    /// A device that restates a checkpoint has computed its live set.
    package static func isSaid(
        _ checkpoint: Hash,
        of zone: ZoneID,
        byOtherThan device: DeviceID,
        in transaction: some ReplicaTransaction
    ) throws -> Bool {
        guard let zone = try transaction.zone(zone) else { return false }
        var isSaid = false
        let logs = try ZoneLogs(zone: zone, in: transaction)
        try logs.forEachControl(where: .standing, except: device, in: transaction) { control in
            if case .checkpoint(let said) = control, said.hash == checkpoint { isSaid = true }
        }
        return isSaid
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
        guard let checkpoint = try checkpoint(hash, logs: logs, in: transaction),
            let previous = try previousSizes(checkpoint, logs: logs, in: transaction)
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
