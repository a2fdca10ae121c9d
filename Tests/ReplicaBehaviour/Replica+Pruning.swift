package import Records
package import Wire

/// What adopting a checkpoint and forgetting at once what it does not let live comes to.
package enum AdoptionAndPruning: Equatable, Sendable {
    /// As of `Adoption`.
    case none
    /// It is adopted; so many operations were dropped.
    case adopted(Checkpoint, droppedCount: Int)
    /// As of `Adoption`.
    case mismatch(Checkpoint)
    /// As of `Adoption`.
    case completed
}

extension Replica {
    /// Adopts a waiting checkpoint and forgets at once, in steps, what it does not let live.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: What became of it; call again while it is `.adopted`.
    /// - Throws: What the replica throws.
    package static func adoptAndPrune(
        zone: ZoneID,
        in transaction: inout some ReplicaTransaction
    ) throws -> AdoptionAndPruning {
        switch try adoptCheckpoint(zone: zone, in: &transaction) {
        case .none: .none
        case .mismatch(let checkpoint): .mismatch(checkpoint)
        case .completed: .completed
        case .adopted(let checkpoint): .adopted(checkpoint, droppedCount: try pruneAll(zone: zone, in: &transaction))
        }
    }

    /// Forgets in steps what the adopted checkpoint does not let live.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - limit: How many operations go in a step.
    ///   - transaction: The store.
    /// - Returns: How many operations went.
    /// - Throws: What the replica throws.
    @discardableResult
    package static func pruneAll(
        zone: ZoneID,
        limit: Int = ReplicaLimits.prunedOperationCount,
        in transaction: inout some ReplicaTransaction
    ) throws -> Int {
        var count = 0
        var last: PruningStep?
        while let step = try pruningStep(zone: zone, after: last, limit: limit, in: transaction) {
            count += try prune(step, in: &transaction)?.count ?? 0
            if step.isLast { break }
            last = step
        }
        return count
    }
}
