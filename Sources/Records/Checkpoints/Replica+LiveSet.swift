package import Wire

// Telling what lives under the adopted checkpoint, and letting go of what does not.
//
// Who comes back after all others have forgotten a deletion, and what it deleted, holds the latter whole, beside no gap that would say so:
// the logs are equal, and no checkpoint's live set is the one computed here. What lives has to be told then.
extension Replica {
    /// Records that are read at a time with the bodies of all their operations.
    private static let bodiesPageCount = 64

    /// A page of what lives under the adopted checkpoint.
    /// - Parameters:
    ///   - request: What a peer asks for.
    ///   - transaction: The store.
    /// - Returns: The page; one that tells nothing while no checkpoint is adopted, or another one by now, or when the page would be too large.
    /// - Throws: What the store throws.
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

    /// Compares a page with what is live here under the same checkpoint.
    /// - Parameters:
    ///   - page: What a peer told.
    ///   - comparison: What came of the pages before.
    ///   - transaction: The store.
    /// - Returns: What came of all of them; nil when nothing can come of it: this replica does not know the checkpoint, has adopted it or one
    ///   that covers it, the page does not follow, or all together are not the checkpoint's live set.
    /// - Throws: What the store throws.
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
            // What is restated, or may have to be, is nobody's to let go.
            let live = record.live.filter { [.live, .superseded, .pending].contains($0.state) }.map(\.dot)
            comparison.note(tag, live: live, superseded: record.dropped, named: named[tag] ?? [])
            return !comparison.isFull
        }
        return comparison
    }

    /// Lets go of what is live here under a checkpoint and not in its live set.
    ///
    /// A record at a time, and of each all that the checkpoint covers and does not let live, or nothing: else an older state would be shown
    /// again. Nothing goes of a log that is not held as far as the checkpoint covers it, or has another root there, since what is held of
    /// another history is not what the checkpoint speaks of; nothing that waits or cannot be read, since it may be void, and what
    /// is void is kept; and nothing by a replica that lacks nothing, which knows by itself what lives. The records go on showing what they
    /// showed until the replica is complete, as when a log is taken back; for that the checkpoint is asked again, also if another live set
    /// was found here before.
    /// - Parameters:
    ///   - comparison: What came of all pages. The store may have changed since.
    ///   - transaction: The store.
    /// - Returns: How many operations went, and the records that changed; nil when the pages are not the checkpoint's live set. Nothing has
    ///   changed then.
    /// - Throws: What the store throws.
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
                try root(of: row, at: log.size, in: transaction) == log.root
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

    /// Whether a device other than this one, which the owner's account still has, says a checkpoint.
    ///
    /// Whoever says one again has computed its live set.
    package static func isSaid(
        _ checkpoint: Hash,
        of zone: ZoneID,
        byOtherThan device: DeviceID,
        in transaction: some ReplicaTransaction
    ) throws -> Bool {
        guard let zone = try transaction.zone(zone) else { return false }
        var isSaid = false
        let logs = try ZoneLogs(zone: zone, in: transaction)
        try forEachControl(logs, where: .standing, except: device, in: transaction) { control in
            if case .checkpoint(let said) = control, said.hash == checkpoint { isSaid = true }
        }
        return isSaid
    }

    /// A checkpoint that a peer tells the live set of, and what the one before it covered.
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
