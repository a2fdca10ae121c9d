import Wire

/// Evaluates records again: the states of their operations, and the visible rows.
struct RecordEvaluation {
    private let logs: ZoneLogs

    /// Evaluates with the logs of a zone.
    init(_ logs: ZoneLogs) {
        self.logs = logs
    }

    /// Computes states and visible records from all retained operations of the tags.
    func recount(
        _ tags: [RecordTag],
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
        assert(operations.allSatisfy { $0.state != .pending }, "an operation that waits is in no record")
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
                guard try logs.allows(operation, transaction.keyring) else {
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
                as: (logs.zone.id, tag, context)
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
    private func recounted(
        _ before: RecordRow?,
        live: [(dot: Dot, opened: OpenedBody?)],
        siblings: [Sibling],
        as record: (zone: ZoneID, tag: RecordTag, context: VersionVector)
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
