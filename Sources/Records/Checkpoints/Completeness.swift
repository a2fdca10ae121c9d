import Wire

/// Checks whether the operations that are missing here under checkpoints were pruned, and not withheld.
struct Completeness {
    private let logs: ZoneLogs

    /// Checks the logs of a zone.
    init(_ logs: ZoneLogs) {
        self.logs = logs
    }

    /// Whether some waiting checkpoints could prove all gaps, as far as their sizes say.
    ///
    /// Spares computing live sets while a replica catches up.
    func isPossible(in transaction: some ReplicaTransaction) throws -> Bool {
        var sizes = logs.zone.adopted?.dataSizes ?? VersionVector()
        for candidate in logs.zone.candidates where logs.covers(candidate) { sizes.merge(candidate.dataSizes) }
        return try !hasGap(behind: sizes, in: transaction)
    }

    /// Whether an effective gap reaches behind the covered sizes.
    func hasGap(
        behind sizes: VersionVector,
        in transaction: some ReplicaTransaction
    ) throws -> Bool {
        for row in logs.sorted(.data) {
            let end = logs.countedSize(row)
            var from = sizes[row.key.actor]
            while from < end {
                let to = min(end, from &+ UInt64(ReplicaLimits.pageRowCount))
                for item in try transaction.items(row.key, from: from, to: to) {
                    if case .gap = item.content { return true }
                }
                from = to
            }
        }
        return false
    }

    /// Whether a replica is complete because every gap lies under the adopted checkpoint or under another one whose
    /// live set equals the one computed here, although no single checkpoint covers all gaps.
    ///
    /// Two checkpoints can each lack part of the other when the logs of one were lost for a while and came back with
    /// a disk. A replica that has adopted one of them cannot adopt the other. If all such replicas waited for a
    /// checkpoint that covers both, none would be left to make it.
    /// - Returns: `.completed`, `.mismatch` for a checkpoint that is not tried again, or `.none`; and the zone's row
    ///   after it.
    func provenTogether(
        in transaction: some ReplicaTransaction
    ) throws -> (adoption: Adoption, zone: ZoneRow) {
        var zone = logs.zone
        var proven = zone.adopted?.dataSizes ?? VersionVector()
        for candidate in zone.candidates where logs.covers(candidate) && !proven.covers(candidate.dataSizes) {
            guard let previous = try KnownCheckpoints(logs).previousSizes(candidate, in: transaction) else { continue }
            guard try KnownCheckpoints(logs).isProven(candidate, previous: previous, in: transaction) else {
                zone.candidates.removeAll { $0 == candidate }
                return (.mismatch(candidate), zone)
            }
            proven.merge(candidate.dataSizes)
        }
        guard try !hasGap(behind: proven, in: transaction) else { return (.none, zone) }
        zone.isUnverified = false
        return (.completed, zone)
    }
}
