import Wire

// Adopting a checkpoint that others made, or this device.
extension Checkpoints {
    /// Adopts the furthest waiting checkpoint that is covered by the operations applied here.
    ///
    /// As ``adoption(in:)`` finds it. From then on superseded operations whose successor is covered too may be replaced by subtree
    /// hashes, and tombstones that the checkpoint before covered as well (``Pruning/step(after:limit:in:)``).
    /// - Parameter transaction: The store.
    /// - Returns: The outcome; call again while it is not `.none`.
    /// - Throws: `.unknownZone`.
    /// - Complexity: As of ``adoption(in:)``.
    package func adopt(in transaction: inout some ReplicaTransaction) throws -> Adoption {
        let (adoption, row) = try adoption(in: transaction)
        if adoption != .none { try transaction.save(row) }
        return adoption
    }

    /// Finds the furthest waiting checkpoint that is covered by the operations applied here, and computes whether it
    /// may be adopted.
    ///
    /// A checkpoint may be adopted only if it extends the previously adopted one, its roots equal those of the logs
    /// held here, and its live set equals the one computed here.
    ///
    /// A replica with unproven gaps adopts only a checkpoint that covers all of them, and is complete afterwards.
    /// - Parameter transaction: The store, or a snapshot of it.
    /// - Returns: The outcome, and the zone's row after it: nothing else in the store changes.
    /// - Throws: `.unknownZone`.
    /// - Complexity: O(retained operations); O(leaves up to the first gap) while there is one behind all that waits.
    package func adoption(
        in transaction: some ReplicaTransaction
    ) throws -> (adoption: Adoption, zone: ZoneRow) {
        var zone = try transaction.knownZone(self.zone)
        let logs = try ZoneLogs(zone: zone, in: transaction)
        guard try !zone.isUnverified || Completeness(logs).isPossible(in: transaction) else { return (.none, zone) }
        for candidate in zone.candidates.sorted(by: { $0.coveredCount > $1.coveredCount }) {
            if let adopted = zone.adopted, !candidate.dominates(adopted) { continue }
            guard logs.covers(candidate),
                try !KnownCheckpoints(logs).isOfOtherHistory(candidate, in: transaction)
            else { continue }
            // Its live set proves nothing about a gap behind the covered sizes.
            if zone.isUnverified, try Completeness(logs).hasGap(behind: candidate.dataSizes, in: transaction) {
                continue
            }
            guard let previous = try KnownCheckpoints(logs).previousSizes(candidate, in: transaction) else { continue }
            zone.candidates.removeAll { $0 == candidate }
            guard try KnownCheckpoints(logs).isProven(candidate, previous: previous, in: transaction) else {
                // It is not asked again: the same operations give the same answer. The next checkpoint will be.
                return (.mismatch(candidate), zone)
            }
            assert(candidate.hash != zone.adopted?.hash, "a checkpoint is adopted once")
            zone.adopted = candidate
            zone.makeFinal(candidate)
            zone.isUnverified = false
            zone.candidates.removeAll { candidate.dominates($0) }
            zone.assertValid()
            return (.adopted(candidate), zone)
        }
        if zone.isUnverified { return try Completeness(logs).provenTogether(in: transaction) }
        return (.none, zone)
    }

    /// Whether looking for a checkpoint to adopt reads so little that a transaction which has something else to do may do it.
    /// - Parameters:
    ///   - limit: The maximum number of leaves of logs that are read, each once for each waiting checkpoint.
    ///   - transaction: The store.
    /// - Returns: True also when no checkpoint waits in a zone that is complete.
    /// - Throws: `.unknownZone`.
    /// - Complexity: O(logs).
    package func adoptsSoon(
        limit: UInt64,
        in transaction: some ReplicaTransaction
    ) throws -> Bool {
        let row = try transaction.knownZone(zone)
        let size = try transaction.logs(zone: zone).reduce(UInt64(0)) { $0 &+ min($1.size, limit &+ 1) }
        return row.candidates.isEmpty && !row.isUnverified || size <= limit / UInt64(max(row.candidates.count, 1))
    }
}

extension Checkpoint {
    /// All leaves it covers; wraps around only far beyond what a zone can hold.
    fileprivate var coveredCount: UInt64 {
        logs.reduce(0) { $0 &+ $1.size }
    }
}
