package import Records
package import Wire

/// The result of adopting a checkpoint and pruning at once the operations that are not in its live set.
package enum AdoptionAndPruning: Equatable, Sendable {
    /// See `Adoption`.
    case none
    /// The checkpoint is adopted; so many operations were pruned.
    case adopted(Checkpoint, droppedCount: Int)
    /// See `Adoption`.
    case mismatch(Checkpoint)
    /// See `Adoption`.
    case completed
}

extension Checkpoints {
    /// Adopts a waiting checkpoint and prunes at once, in steps, the operations that are not in its live set.
    /// - Parameter transaction: The store.
    /// - Returns: The outcome; call again while it is `.adopted`.
    /// - Throws: An error of the replica.
    package func adoptAndPrune(in transaction: inout some ReplicaTransaction) throws -> AdoptionAndPruning {
        switch try adopt(in: &transaction) {
        case .none: .none
        case .mismatch(let checkpoint): .mismatch(checkpoint)
        case .completed: .completed
        case .adopted(let checkpoint):
            .adopted(checkpoint, droppedCount: try Pruning(of: zone).pruneAll(in: &transaction))
        }
    }
}

extension Pruning {
    /// Prunes in steps the operations that are not in the live set of the adopted checkpoint.
    /// - Parameters:
    ///   - limit: The number of operations that a step prunes at most.
    ///   - transaction: The store.
    /// - Returns: The number of pruned operations.
    /// - Throws: An error of the replica.
    @discardableResult
    package func pruneAll(
        limit: Int = ReplicaLimits.prunedOperationCount,
        in transaction: inout some ReplicaTransaction
    ) throws -> Int {
        var count = 0
        var last: PruningStep?
        while let step = try step(after: last, limit: limit, in: transaction) {
            count += try step.prune(in: &transaction)?.count ?? 0
            if step.isLast { break }
            last = step
        }
        return count
    }
}
