import Wire

extension LogRow {
    /// The size at which the log ends, by its cut, its fork and its bound; `.max` for none. A size that a checkpoint made final
    /// stays final.
    package func effectiveLimit(in zone: ZoneRow, _ bounds: ControlBudget.Bounds) -> UInt64 {
        var cut = PlantedBug.ignoreCuts.isActive ? nil : cut?.size
        if PlantedBug.acceptOneBeyondCut.isActive, key.lane == .data { cut = cut.map { $0 &+ 1 } }
        let end = min(cut ?? .max, forkProof?.forkPoint ?? .max, budgetLimit(bounds))
        guard end < .max else { return .max }
        return key.lane == .data ? max(end, zone.watermark[key.actor]) : end
    }
}
