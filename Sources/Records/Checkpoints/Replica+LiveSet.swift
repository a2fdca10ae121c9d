package import Wire

// Telling what lives under the adopted checkpoint, and letting go of what does not.
//
// Who comes back after all others have forgotten a deletion, and what it deleted, holds the latter whole, beside no gap that would say so:
// the logs are equal, and no checkpoint's live set is the one computed here. What lives has to be told then.
extension Replica {
    /// Live operations in one page; it has more by those of its last record.
    static let liveSetPageDotCount = 4_096
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
            guard count < liveSetPageDotCount else {
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
    ///   that covers it, the page does not follow, or the pages name more than lives.
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
        let sizes = checkpoint.dataSizes
        let end = page.isLast ? nil : page.records.last?.tag
        var held: [RecordTag: (live: [Dot], dropped: [Dot])] = [:]
        try transaction.forEachRecord(zone: zone.id, after: comparison.last) { tag, operations in
            if let end, end < tag { return false }
            let record = LiveSetRecord(operations, sizes: sizes, previous: previous)
            // What is restated, or may have to be, is nobody's to let go.
            let live = record.live.filter { [.live, .superseded, .pending].contains($0.state) }
            if !live.isEmpty { held[tag] = (live.map(\.dot), record.dropped) }
            return true
        }
        var comparison = comparison
        return comparison.add(page, held: held) && comparison.count <= checkpoint.liveCount ? comparison : nil
    }

    /// Lets go of what is live here under a checkpoint and not in its live set.
    ///
    /// Of logs alone that are held as far as the checkpoint covers them, and have its roots: what is held of another history is not
    /// what the checkpoint speaks of. And nothing by a replica that lacks nothing: it knows by itself what lives. The records go on
    /// showing what they showed until the replica is complete, as when a log is taken back; for that the checkpoint is asked again,
    /// also if another live set was found here before.
    /// - Parameters:
    ///   - comparison: What came of all pages.
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
        let gone = try held(comparison.absent, within: Set(ends.keys), zone: zone.id, in: transaction)
        let counters = Dictionary(grouping: gone.values.joined(), by: \.actor)
        for (actor, dots) in counters.sorted(by: { $0.key < $1.key }) {
            let key = LogKey(zone: zone.id, actor: actor, lane: .data)
            try replaceByGaps(key, Set(dots.map { $0.counter &- 1 }), end: ends[actor] ?? .max, in: &transaction)
        }
        try forget(gone, zone: zone.id, in: &transaction)
        zone.waitFor(checkpoint)
        try transaction.save(zone)
        let changed = try recount(gone.keys.sorted(), logs: logs, in: &transaction)
        return (counters.values.reduce(0) { $0 + $1.count }, changed)
    }

    /// Which of some operations are held of their records.
    ///
    /// Between two pages, or before the run that needs the list, a log may have been taken back and gone on as another history: then
    /// its counters mean other operations.
    private static func held(
        _ dots: [RecordTag: [Dot]],
        within actors: Set<ActorID>,
        zone: ZoneID,
        in transaction: some ReplicaTransaction
    ) throws -> [RecordTag: [Dot]] {
        var held: [RecordTag: [Dot]] = [:]
        let tags = dots.keys.sorted()
        for start in stride(from: 0, to: tags.count, by: bodiesPageCount) {
            let page = Array(tags[start..<min(tags.count, start + bodiesPageCount)])
            let states: Set<OperationState> = [.live, .superseded, .pending, .restated]
            for operation in try transaction.operations(zone: zone, tags: page, states: states)
            where actors.contains(operation.actor) {
                let tag = operation.operation.header.tag
                if dots[tag]?.contains(operation.dot) == true { held[tag, default: []].append(operation.dot) }
            }
        }
        return held
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
