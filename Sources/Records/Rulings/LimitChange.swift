import Wire

/// The change of the ends of a zone's logs, which makes operations effective or ineffective.
struct LimitChange {
    let before: ZoneLogs
    let after: ZoneLogs

    /// Describes a change.
    /// - Parameters:
    ///   - before: The logs with their former ends.
    ///   - after: The logs with their new ones.
    init(from before: ZoneLogs, to after: ZoneLogs) {
        self.before = before
        self.after = after
    }

    /// Evaluates again every record with an operation that the limit of its log has passed.
    func recount(
        in transaction: inout some ReplicaTransaction
    ) throws -> (changed: [RecordRow], quarantinedCount: UInt64) {
        var after = try withHoles(in: &transaction)
        after = try waiting(after, in: &transaction)
        var tags: Set<RecordTag> = []
        var controls: [StateChange] = []
        var quarantinedCount: UInt64 = 0
        for row in after.rows {
            let key = row.key
            if key.lane == .data {
                if try hasOtherEnd(row, after, in: &transaction) {
                    let end = after.recordLimit(row)
                    tags.formUnion(try tagsNaming(key.actor, above: end, in: transaction))
                }
                // A log's role decides whether its own operations lie within their right, and likewise the operations
                // of append-only authors that name them.
                if let old = before[key], old.role != row.role {
                    tags.formUnion(try tagsNaming(key.actor, above: 0, in: transaction))
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
        assert(
            controls.allSatisfy { $0.key.lane == .control },
            "the states of data operations follow from their records"
        )
        if !controls.isEmpty { try transaction.setStates(controls) }
        let changed = tags.isEmpty ? [] : try RecordEvaluation(after).recount(tags.sorted(), in: &transaction)
        return (changed, quarantinedCount)
    }

    /// Whether the known fork point or the limit of a forked log changed.
    ///
    /// Records then have another state if one of their operations names an operation behind the fork.
    private func hasOtherEnd(
        _ row: LogRow,
        _ after: ZoneLogs,
        in transaction: inout some ReplicaTransaction
    ) throws -> Bool {
        let old = before[row.key]
        let isShorter = old.map { after.limit(row) < before.limit($0) } ?? false
        // Operations that were taken for the history that a checkpoint covers belong to the other one: they have to
        // be restated here after all.
        if isShorter, old?.isForked ?? false { try StoredLog(row).forgetRestated(in: &transaction) }
        return row.isForked
            && (old?.forkProof?.forkPoint != row.forkProof?.forkPoint || before.limit(old ?? row) != after.limit(row))
    }

    /// Records with operations that name operations behind the end of a log: it is unknown by now which of them their
    /// authors had seen.
    private func tagsNaming(
        _ actor: ActorID,
        above size: UInt64,
        in transaction: some ReplicaTransaction
    ) throws -> [RecordTag] {
        var tags: [RecordTag] = []
        var last: RecordTag?
        while true {
            let page = try transaction.summaries(zone: after.zone.id, after: last, limit: ReplicaLimits.pageRowCount)
            guard let end = page.last else { return tags }
            last = end.tag
            for operation in page where operation.vector[actor] > size && tags.last != operation.tag {
                tags.append(operation.tag)
            }
        }
    }
}
