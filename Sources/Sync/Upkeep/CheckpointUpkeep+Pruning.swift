package import Records
package import Wire

// Pruning of the operations that the adopted checkpoints of zones do not let live.
extension CheckpointUpkeep {
    /// Returns the next step of pruning operations outside the live set of the adopted checkpoint of a zone.
    ///
    /// A snapshot is enough, and does not block the writer. The caller performs the step with ``prune(_:in:)`` if it
    /// is a change, and asks for the next one, until there is none.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - step: The step before; nil at the beginning.
    ///   - limit: The most operations to prune, unless more of one record depend on each other.
    ///   - transaction: A snapshot of the store.
    /// - Returns: Nil when all of them are pruned, or none may be pruned now.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func pruningStep(
        of zone: ZoneID,
        after step: PruningStep?,
        limit: Int = ReplicaLimits.prunedOperationCount,
        in transaction: some NodeTransaction
    ) throws -> PruningStep? {
        guard let adopted = try transaction.zone(zone)?.adopted,
            try transaction.upkeep(zone: zone).prunedUnder != adopted.hash
        else { return nil }
        return try Pruning(of: zone).step(after: step, limit: limit, in: transaction)
    }

    /// Performs a step of pruning operations outside the live set of the adopted checkpoint of a zone.
    ///
    /// After the last one it notes the checkpoint under which all are pruned.
    /// - Parameters:
    ///   - step: The step.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when nothing changed.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func prune(_ step: PruningStep, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        guard let (count, isWhole) = try step.prune(in: &transaction) else { return CommitNotice() }
        let isDone = step.isLast && isWhole
        guard count > 0 || isDone else { return CommitNotice() }
        if isDone { try change(step.zone, in: &transaction) { $0.prunedUnder = step.checkpoint } }
        return CommitNotice(number: try transaction.nextCommitNumber())
    }
}
