package import Wire

extension Replica {
    /// Applies rulings made outside of the replica: the roles of logs, and the sizes at which the logs end.
    ///
    /// Operations above a cut become ineffective: they are quarantined, the operations that only they superseded are
    /// live again, and the replica takes no more of those logs. A cut never reaches below the size that a checkpoint
    /// covers. Applying the same rulings again, or changed ones, leads to the state that the last call describes.
    /// - Parameters:
    ///   - rulings: The rulings, by log; logs that are not listed stay as they are.
    ///   - zone: The zone.
    ///   - wallMilliseconds: The wall clock, milliseconds since 1970.
    ///   - transaction: The store.
    /// - Returns: The changes.
    /// - Throws: `.unknownZone`.
    /// - Complexity: O(operations of the records that are affected).
    package static func rule(
        _ rulings: [LogKey: LogRuling],
        zone: ZoneID,
        wallMilliseconds: UInt64,
        in transaction: inout some ReplicaTransaction
    ) throws -> CutOutcome {
        let zoneRow = try knownZone(zone, in: transaction)
        let before = try ZoneLogs(zone: zoneRow, in: transaction)
        var after = before
        var outcome = CutOutcome()
        for var row in before.rows {
            guard let ruling = rulings[row.key], ruling != row.ruling else { continue }
            row.ruling = ruling
            after[row.key] = row
            try transaction.save(row)
            if let cut = ruling.cut, cut.size > 0, cut.size <= row.size,
                let held = try StoredLog(row).root(at: cut.size, in: transaction), held != cut.root
            {
                outcome.mismatched.append(row.key)
            }
        }
        // A control operation that is no longer effective loses its effects on the zone.
        let isControlMoved = after.sorted(.control).contains { row in
            let old = before[row.key] ?? row
            return row.role != old.role || after.appliedSize(row) != before.appliedSize(old)
        }
        if isControlMoved {
            after.zone = try rebuiltZone(after, in: transaction)
            try transaction.save(after.zone)
        }
        let recounted = try recountLogs(limitsBefore: before, after: after, in: &transaction)
        outcome.changed = recounted.changed
        outcome.quarantinedCount = recounted.quarantinedCount
        // Operations that waited for operations above the cut wait no longer.
        outcome.changed += try retryPending(zone: zone, wallMilliseconds: wallMilliseconds, in: &transaction).changed
        return outcome
    }

    /// Keeps empty rows of logs that are cut at zero and held nowhere here, as far as pending operations wait for them,
    /// and applies what is free then.
    ///
    /// Without such a row nothing says that the log ends at zero, and operations that need its operations wait for
    /// ever. Rows that nothing waits for are not kept: a peer can name any number of logs.
    /// - Parameters:
    ///   - rows: Empty rows with their cuts.
    ///   - zone: The zone.
    ///   - wallMilliseconds: The wall clock, milliseconds since 1970.
    ///   - transaction: The store.
    /// - Returns: The records that changed; `nil` when no row was kept.
    /// - Throws: `.unknownZone`.
    package static func noteEmptyLogs(
        _ rows: [LogRow],
        zone: ZoneID,
        wallMilliseconds: UInt64,
        in transaction: inout some ReplicaTransaction
    ) throws -> [RecordRow]? {
        let logs = try ZoneLogs(zone: try knownZone(zone, in: transaction), in: transaction)
        let awaited = try awaitedLogs(logs, in: transaction)
        let noted = rows.filter { awaited.contains($0.key) && logs[$0.key] == nil && $0.size == 0 && $0.cut?.size == 0 }
        guard !noted.isEmpty else { return nil }
        for row in noted { try transaction.save(row) }
        return try retryPending(zone: zone, wallMilliseconds: wallMilliseconds, in: &transaction).changed
    }

    /// Whether held operations wait for a log.
    /// - Parameters:
    ///   - key: The log.
    ///   - transaction: The store.
    /// - Returns: False for a log that no operation names.
    /// - Throws: `.unknownZone`, or errors of the store.
    /// - Complexity: O(logs), and of each that waits O(logs).
    package static func isAwaited(_ key: LogKey, in transaction: some ReplicaTransaction) throws -> Bool {
        let logs = try ZoneLogs(zone: try knownZone(key.zone, in: transaction), in: transaction)
        return try awaitedLogs(logs, in: transaction).contains(key)
    }

    /// The logs that are named by the newest heads of logs with pending operations; a head names what earlier ones do.
    private static func awaitedLogs(
        _ logs: ZoneLogs,
        in transaction: some ReplicaTransaction
    ) throws -> Set<LogKey> {
        var awaited: Set<LogKey> = []
        for row in logs.rows where row.appliedSize < row.size {
            guard let head = try transaction.head(row.key, atOrBelow: row.size) else { continue }
            for dot in head.signed.head.seen.entries {
                awaited.insert(LogKey(zone: logs.zone.id, actor: dot.actor, lane: row.key.lane))
            }
        }
        return awaited
    }

    /// The zone's row as its effective control operations make it.
    static func rebuiltZone(_ logs: ZoneLogs, in transaction: some ReplicaTransaction) throws -> ZoneRow {
        var zone = logs.zone
        if case .deleted = zone.state { zone.state = .live }
        zone.candidates = []
        zone.watermark = VersionVector()
        // Operations pruned under the adopted checkpoint are no longer held, whichever device stated it.
        if let adopted = zone.adopted { zone.makeFinal(adopted) }
        try logs.forEachControl(where: .standing, in: transaction) { zone.apply($0, stands: true) }
        try logs.forEachControl(where: .former, in: transaction) { zone.apply($0, stands: false) }
        zone.watermark = try settledWatermark(
            zone.watermark,
            trusted: logs.zone.watermark,
            logs: logs,
            in: transaction
        )
        return zone
    }

    // MARK: Recounting

    static func recount(
        limitsBefore: ZoneLogs,
        after: ZoneLogs,
        in transaction: inout some ReplicaTransaction
    ) throws -> [RecordRow] {
        try recountLogs(limitsBefore: limitsBefore, after: after, in: &transaction).changed
    }

    /// Evaluates again every record with an operation that the limit of its log has passed.
    static func recountLogs(
        limitsBefore before: ZoneLogs,
        after: ZoneLogs,
        in transaction: inout some ReplicaTransaction
    ) throws -> (changed: [RecordRow], quarantinedCount: UInt64) {
        var after = try withHoles(after, before: before, in: &transaction)
        after = try waiting(after, before: before, in: &transaction)
        var tags: Set<RecordTag> = []
        var controls: [StateChange] = []
        var quarantinedCount: UInt64 = 0
        for row in after.rows {
            let key = row.key
            if key.lane == .data {
                if try hasOtherEnd(row, before, after, in: &transaction) {
                    let end = after.recordLimit(row)
                    tags.formUnion(try tagsNaming(key.actor, above: end, zone: key.zone, in: transaction))
                }
                // A log's role decides whether its own operations lie within their right, and likewise the operations
                // of append-only authors that name them.
                if let old = before[key], old.role != row.role {
                    tags.formUnion(try tagsNaming(key.actor, above: 0, zone: key.zone, in: transaction))
                }
            }
            let old = before.recordSize(before[key] ?? row)
            let new = after.recordSize(row)
            guard old != new else { continue }
            if new < old { quarantinedCount &+= old &- new }
            var from = min(old, new)
            while from < max(old, new) {
                let to = min(max(old, new), from &+ UInt64(ReplicaLimits.pageRowCount))
                for item in try transaction.items(key, from: from, to: to) {
                    guard case .operation(let stored) = item.content else { continue }
                    if key.lane == .data {
                        tags.insert(stored.operation.header.tag)
                    } else {
                        let state: OperationState = new < old ? .quarantined : .live
                        controls.append(StateChange(key: key, counter: item.first &+ 1, state: state))
                    }
                }
                from = to
            }
        }
        if !controls.isEmpty { try transaction.setStates(controls) }
        let changed = tags.isEmpty ? [] : try recount(tags.sorted(), logs: after, in: &transaction)
        return (changed, quarantinedCount)
    }

    /// Whether the known fork point or the limit of a forked log changed.
    ///
    /// Records then have another state if one of their operations names an operation behind the fork.
    private static func hasOtherEnd(
        _ row: LogRow,
        _ before: ZoneLogs,
        _ after: ZoneLogs,
        in transaction: inout some ReplicaTransaction
    ) throws -> Bool {
        let old = before[row.key]
        let isShorter = old.map { after.limit(row) < before.limit($0) } ?? false
        // Operations that were taken for the history that a checkpoint covers belong to the other one: they have to
        // be restated here after all.
        if isShorter, old?.isForked ?? false { try forgetRestated(row, in: &transaction) }
        return row.isForked
            && (old?.forkProof?.forkPoint != row.forkProof?.forkPoint || before.limit(old ?? row) != after.limit(row))
    }

    /// Computes states and visible records from all retained operations of the tags.
    static func recount(
        _ tags: [RecordTag],
        logs: ZoneLogs,
        in transaction: inout some ReplicaTransaction
    ) throws -> [RecordRow] {
        var workspace = RecordWorkspace(logs)
        try workspace.load(tags, in: transaction)
        var changes: [StateChange] = []
        let operations = try transaction.operations(
            zone: logs.zone.id,
            tags: tags,
            states: [.live, .superseded, .quarantined, .restated, .void]
        )
        let byTag = Dictionary(grouping: operations, by: \.operation.header.tag)
        for tag in tags {
            var domination = Domination()
            var context = VersionVector()
            var counting: [StoredOperation] = []
            for operation in byTag[tag] ?? [] {
                let key = LogKey(zone: logs.zone.id, actor: operation.actor, lane: .data)
                let limit = logs[key].map { logs.recordLimit($0) } ?? 0
                guard operation.dot.counter <= limit else {
                    if operation.state != .restated { changes.append(operation, .quarantined, key) }
                    continue
                }
                guard try logs.allows(operation, transaction.keyring) || PlantedBug.countTheVoid.isActive else {
                    changes.append(operation, .void, key)
                    continue
                }
                counting.append(operation)
                context.merge(operation.operation.header.vector)
                domination.add(operation.dot, vector: operation.operation.header.vector)
            }
            var live: [(dot: Dot, opened: OpenedBody?)] = []
            var siblings: [Sibling] = []
            var isLocked = false
            for operation in counting {
                let key = LogKey(zone: logs.zone.id, actor: operation.actor, lane: .data)
                let isCovered = domination.isCovered(operation.dot)
                changes.append(operation, isCovered ? .superseded : .live, key)
                if isCovered {
                    isLocked = isLocked || transaction.isLocked(operation)
                    continue
                }
                let opened = try transaction.opened(operation, zone: logs.zone.id)
                isLocked = isLocked || opened == nil
                live.append((operation.dot, opened))
                guard let body = opened?.body else { continue }
                siblings.append(Sibling(actor: operation.actor, header: operation.operation.header, body: body))
            }
            // If the record is still visible, its operation was pruned under a checkpoint: a settled tombstone, or a
            // state whose successor has yet to arrive.
            let before = workspace.row(tag)
            if counting.isEmpty, before?.live.isEmpty ?? true { continue }
            let row = recounted(
                before,
                live: live,
                siblings: siblings,
                as: (logs.zone.id, tag, context),
                by: logs
            )
            if var row {
                row.isLocked = isLocked
                workspace.replace(row)
            }
        }
        if !changes.isEmpty { try transaction.setStates(changes) }
        return try workspace.save(bySync: true, in: &transaction)
    }

    /// - Returns: Nil for a record that there is nothing of.
    private static func recounted(
        _ before: RecordRow?,
        live: [(dot: Dot, opened: OpenedBody?)],
        siblings: [Sibling],
        as record: (zone: ZoneID, tag: RecordTag, context: VersionVector),
        by logs: ZoneLogs
    ) -> RecordRow? {
        let (zone, tag, context) = record
        let dots = live.map(\.dot).sorted()
        if live.count == 1, let only = siblings.first, let opened = live.first?.opened {
            return RecordRow(zone: zone, tag: tag, only: only, body: opened.bytes, context: context)
        }
        if let merged = Merge.merge(siblings, forks: logs.forkPoints, latestTypes: logs.latestTypes) {
            return RecordRow(zone: zone, tag: tag, merged: merged, live: dots, context: context)
        }
        guard live.isEmpty else { return RecordRow(locked: before, zone: zone, tag: tag, live: dots, context: context) }
        return before.map { RecordRow(vanished: $0, context: context) }
    }
}

extension [StateChange] {
    /// Appends a change unless the operation has the state already.
    fileprivate mutating func append(_ operation: StoredOperation, _ state: OperationState, _ key: LogKey) {
        guard operation.state != state else { return }
        append(StateChange(key: key, counter: operation.dot.counter, state: state))
    }
}
