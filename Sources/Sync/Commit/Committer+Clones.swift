import Records
import Wire

// Evidence that this device's keys are in use twice.
extension Committer {
    /// Whether a head proves that a copy of this device writes.
    ///
    /// It does if this device signed it in another lifetime than the store's present one, and it has seen operations
    /// of the present one. A lifetime that has ended cannot have seen the one that followed it, so a store that was
    /// restored, moved or rolled back proves nothing here. No other device can make such a head, since this device's
    /// keys sign it.
    /// - Parameters:
    ///   - head: A head whose signature is valid.
    ///   - transaction: The store.
    /// - Returns: False also while no lifetime has begun.
    /// - Throws: Any error of the store.
    /// - Complexity: O(1) but for heads by this device; of these O(logs of the zone).
    func provesClone(_ head: TreeHead, in transaction: some NodeTransaction) throws -> Bool {
        guard head.device == device else { return false }
        let present = try transaction.incarnation()
        guard head.incarnation != present else { return false }
        return try transaction.logs(zone: head.zone).contains { row in
            row.device == device && row.incarnation == present && row.key.lane == head.lane
                && head.seen[row.key.actor] > 0
        }
    }
}
