import Wire

extension LogRow {
    /// The size at which the log ends by its cut, its fork and its bound; a size that a checkpoint made final stays
    /// final.
    /// - Parameters:
    ///   - zone: The log's zone.
    ///   - bounds: The bounds of control logs.
    /// - Returns: `.max` for a data log that is neither cut nor forked.
    package func effectiveLimit(in zone: ZoneRow, _ bounds: ControlBudget.Bounds) -> UInt64 {
        let end = min(cut?.size ?? .max, forkProof?.forkPoint ?? .max, budgetLimit(bounds))
        guard end < .max else { return .max }
        return key.lane == .data ? max(end, zone.watermark[key.actor]) : end
    }

    /// The size up to which the log is stated, compared and served.
    ///
    /// That is its effective part. Of a forked log that is being continued as a checkpoint covers it, nothing behind the
    /// fork is stated until all that the checkpoint covers is held: only the root there shows whether the operations that
    /// arrived belong to the covered history.
    /// - Parameters:
    ///   - zone: The log's zone.
    ///   - bounds: The bounds of control logs.
    /// - Returns: `.max` for a data log that is neither cut nor forked.
    package func statedLimit(in zone: ZoneRow, _ bounds: ControlBudget.Bounds) -> UInt64 {
        let limit = effectiveLimit(in: zone, bounds)
        guard key.lane == .data, let forkProof, heldSize < zone.watermark[key.actor] else { return limit }
        return min(limit, forkProof.forkPoint)
    }
}
