package import Wire

/// One step of the pass that prunes, record by record, operations which are not in the adopted checkpoint's live set.
///
/// A step is found in a snapshot that is read beside the writer, and carried out in a transaction of its own. That
/// transaction reads only the step's records, and reads them again: it decides which of their operations are pruned.
package struct PruningStep: Equatable, Sendable {
    /// The zone.
    package let zone: ZoneID
    /// The adopted checkpoint.
    package let checkpoint: Hash
    /// The records whose operations are pruned; none in a step that found nothing.
    package let records: [RecordTag]
    /// Whether the step is the last one of the pass.
    package let isLast: Bool
    /// The maximum number of pruned operations, unless more of one record depend on each other.
    let limit: Int
    /// The log sizes that the previous checkpoint covered.
    let previous: VersionVector
    /// The last record that is done with this step; nil for none.
    let last: RecordTag?

    /// Whether the step changes the store.
    package var isChange: Bool { isLast || !records.isEmpty }
}

/// The operations of one record that are pruned in one step.
///
/// If a record has more of them than one step takes, then between two steps each operation to be pruned is still
/// superseded by a remaining one, and no remaining operation depends on a pruned one. So the live set is the same
/// after each step.
package struct PrunedRecord {
    /// The pruned operations.
    package private(set) var dots: [Dot] = []
    /// The tombstones among them that nothing supersedes.
    package private(set) var settled: [Dot] = []
    /// Whether nothing of the record is left for another step.
    package private(set) var isWhole = true

    /// Decides which of a record's operations to prune.
    /// - Parameters:
    ///   - operations: All retained operations of the record, ascending by dot.
    ///   - sizes: The log sizes that the adopted checkpoint covers.
    ///   - previous: The log sizes that the previous checkpoint covered.
    ///   - limit: The maximum number of operations pruned in one step, unless more depend on each other.
    package init(
        _ operations: some Collection<OperationSummary>,
        sizes: VersionVector,
        previous: VersionVector,
        limit: Int
    ) {
        let record = LiveSetRecord(operations, sizes: sizes, previous: previous)
        guard !record.dropped.isEmpty else { return }
        let settled = Set(record.settled)
        let superseded = Set(record.dropped).subtracting(settled)
        // After a fork became known something may be shown again that another one, behind the fork, had superseded.
        let isShown = operations.contains { $0.state == .live && superseded.contains($0.dot) }
        if isShown { return }
        guard record.dropped.count > limit else {
            dots = record.dropped
            self.settled = record.settled
            return
        }
        isWhole = false
        var staying = Domination()
        for operation in operations
        where operation.state != .void && sizes.covers(operation.dot) && !superseded.contains(operation.dot) {
            staying.add(operation.dot, vector: operation.vector)
        }
        // One whose author claimed to have seen less than an operation that it supersedes would leave that one without a successor.
        let indirect = record.dropped.filter { superseded.contains($0) && !staying.isCovered($0) }
        let direct = record.dropped.filter { superseded.contains($0) && staying.isCovered($0) }
        dots = indirect + direct.prefix(max(limit - indirect.count, 0))
        assert(Set(dots).isDisjoint(with: settled), "a deletion is pruned behind the operations that it deletes")
        guard dots.isEmpty else { return }
        dots = Array(record.settled.prefix(limit))
        self.settled = dots
    }
}
