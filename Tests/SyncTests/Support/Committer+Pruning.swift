import Records
import Sync
import Wire

extension Committer {
    /// Forgets, step by step, what the adopted checkpoint of a zone does not let live.
    /// - Returns: How many steps changed the store.
    @discardableResult
    func pruneAll(
        _ zone: ZoneID,
        limit: Int = ReplicaLimits.prunedOperationCount,
        in transaction: inout some NodeTransaction
    ) throws -> Int {
        var count = 0
        var last: PruningStep?
        while let step = try pruningStep(zone, after: last, limit: limit, in: transaction) {
            if step.isChange, try prune(step, in: &transaction).number != nil { count += 1 }
            last = step
        }
        return count
    }
}
