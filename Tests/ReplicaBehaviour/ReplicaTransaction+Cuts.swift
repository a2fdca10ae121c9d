package import Records
package import Wire

extension ReplicaTransaction {
    /// Ends the logs of a removed device.
    ///
    /// - Parameters:
    ///   - cuts: The end of each log; logs of the device that are not listed are cut at zero. Nil: the whole logs are
    ///     effective.
    ///   - device: The device.
    ///   - zone: The zone.
    ///   - wallMilliseconds: The wall clock.
    /// - Returns: The changes.
    /// - Throws: An error of the replica.
    package mutating func applyCuts(
        _ cuts: [ActorLane: LogCut]?,
        of device: DeviceID,
        zone: ZoneID = TestZone.id,
        wallMilliseconds: UInt64 = 1
    ) throws -> RulingOutcome {
        let rulings = try logs(zone: zone).filter { $0.device == device }.reduce(into: [LogKey: LogRuling]()) {
            rulings,
            row in
            let cut = cuts.map { $0[row.key.actorLane] ?? LogCut(size: 0, root: .zero) }
            rulings[row.key] = LogRuling(role: row.role, cut: cut)
        }
        return try RulingApplier(of: zone, wallMilliseconds: wallMilliseconds).rule(rulings, in: &self)
    }
}
