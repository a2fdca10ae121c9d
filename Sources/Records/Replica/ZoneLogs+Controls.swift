import Wire

extension ZoneLogs {
    /// The control operations of owners' devices that are visited.
    enum ControlPart {
        /// Effective operations.
        case counting
        /// Effective operations of current devices: those neither removed nor of a former owner.
        case current
        /// Effective operations of former devices: those removed, or of a former owner.
        case former
        /// Operations behind all effective ones.
        case void
    }

    /// Visits the owner's applied control operations, log by log.
    ///
    /// Control operations of other accounts do not affect which operations a replica keeps.
    func forEachControl(
        where part: ControlPart = .counting,
        except device: DeviceID? = nil,
        in transaction: some ReplicaTransaction,
        _ body: (ControlBody) throws -> Void
    ) throws {
        for row in sorted(.control) where row.role.present == .owner && row.device != device {
            switch part {
            case .current where row.role != .owner, .former where row.role == .owner: continue
            case .counting, .current, .former, .void: break
            }
            let end = part == .void ? row.size : effectiveSize(row)
            var from = part == .void ? effectiveSize(row) : 0
            while from < end {
                let to = min(end, from &+ UInt64(ReplicaLimits.pageRowCount))
                for item in try transaction.items(row.key, from: from, to: to) {
                    guard case .operation(let stored) = item.content,
                        case .control(_, let control) = try stored.verified(.control)
                    else { continue }
                    try body(control)
                }
                from = to
            }
        }
    }

    /// The checkpoints that some device states which stands, as ``ZoneRow/apply(_:stands:standing:)`` asks for them.
    /// - Returns: Nil where the operation is no checkpoint, or there is room for one more that waits.
    /// - Complexity: O(control operations) where there is no room.
    func standingCheckpoints(for body: ControlBody, in transaction: some ReplicaTransaction) throws -> Set<Hash>? {
        guard case .checkpoint = body, zone.isFullOfCandidates else { return nil }
        var standing: Set<Hash> = []
        try forEachControl(where: .current, in: transaction) { control in
            if case .checkpoint(let checkpoint) = control { standing.insert(checkpoint.hash) }
        }
        return standing
    }
}
