import Records
import Sync
import Wire

extension CheckpointUpkeep {
    /// Prunes, step by step, the operations that are not in the live set of a zone's adopted checkpoint.
    /// - Returns: The number of steps that changed the store.
    @discardableResult
    func pruneAll(
        _ zone: ZoneID,
        limit: Int = ReplicaLimits.prunedOperationCount,
        in transaction: inout some NodeTransaction
    ) throws -> Int {
        var count = 0
        var last: PruningStep?
        while let step = try pruningStep(of: zone, after: last, limit: limit, in: transaction) {
            if step.isChange, try prune(step, in: &transaction).number != nil { count += 1 }
            last = step
        }
        return count
    }
}
