package import Wire

/// The checkpoints of a zone: one is made, adopted, or stated again.
package struct Checkpoints {
    /// The zone.
    package let zone: ZoneID

    /// Works with the checkpoints of a zone.
    package init(of zone: ZoneID) {
        self.zone = zone
    }

    /// Returns the checkpoint that a replica should make now, if one is due.
    ///
    /// It covers the part of each log that every active device has acknowledged. It ends at heads, so that no batch
    /// is split, and leaves out operations that were written on top of ones that it does not cover. It covers an
    /// operation that cannot be read here only if the operation's content makes no difference.
    /// - Parameters:
    ///   - acknowledged: For each device the sizes it holds durably. A device holds its own logs.
    ///   - activeDevices: The devices whose acknowledgement is awaited.
    ///   - ownDevice: The local device, which acknowledges the operations applied here.
    ///   - lapsed: Devices whose acknowledgement is not awaited, to be named in the checkpoint.
    ///   - nowMilliseconds: The wall clock, milliseconds since 1970.
    ///   - lastMilliseconds: The time at which the last checkpoint was made; zero for never.
    ///   - transaction: The store.
    /// - Returns: A checkpoint to commit with ``LocalWrites/commitControl(_:isBounded:in:)``, or nil.
    /// - Throws: `.unknownZone`.
    /// - Complexity: O(logs), and O(retained operations) when one is due.
    package func due(
        acknowledged: [DeviceID: [LogKey: UInt64]],
        activeDevices: Set<DeviceID>,
        ownDevice: DeviceID,
        lapsed: [DeviceID] = [],
        nowMilliseconds: UInt64,
        lastMilliseconds: UInt64,
        in transaction: some ReplicaTransaction
    ) throws -> Checkpoint? {
        let zone = try transaction.knownZone(self.zone)
        guard !zone.isUnverified, zone.state == .live else { return nil }
        let logs = try ZoneLogs(zone: zone, in: transaction)
        let floor = try KnownCheckpoints(logs).floor(in: transaction)
        var plan = CheckpointPlan(floor: floor)
        // Of a log with two histories others may hold the other one: it is covered by no new checkpoint.
        for row in logs.sorted(.data) where !row.isForked {
            var size = logs.appliedSize(row)
            for device in activeDevices where device != ownDevice && device != row.device {
                size = min(size, acknowledged[device]?[row.key] ?? 0)
            }
            try plan.cover(row, upTo: size, limit: logs.limit(row), in: transaction)
        }
        let isOld = isOld(nowMilliseconds, lastMilliseconds)
        guard plan.newCount > 0, isOld || plan.newCount >= ReplicaLimits.checkpointOperationCount else { return nil }
        let unread = try UnreadOperation.all(zone: zone.id, in: transaction)
        try plan.close(logs: logs, unread: unread, in: transaction)
        guard plan.newCount > 0 else { return nil }
        var positions: [LogPosition] = []
        for dot in plan.sizes.entries {
            let key = LogKey(zone: zone.id, actor: dot.actor, lane: .data)
            guard let row = logs[key], let root = try StoredLog(row).root(at: dot.counter, in: transaction) else {
                return nil
            }
            positions.append(LogPosition(actor: dot.actor, lane: .data, size: dot.counter, root: root))
        }
        positions += try controlPositions(logs, in: transaction)
        let live = try LiveSet(
            zone: zone.id,
            sizes: plan.sizes,
            previous: zone.adopted?.dataSizes ?? VersionVector(),
            in: transaction
        )
        let checkpoint = Checkpoint(
            logs: positions,
            liveRoot: live.root,
            liveCount: live.count,
            lapsed: lapsed,
            previous: zone.adopted?.hash ?? .zero
        )
        assert(logs.covers(checkpoint), "a checkpoint covers operations that are applied and effective here")
        assert(zone.adopted.map(checkpoint.dominates) ?? true, "a checkpoint covers what the one before it covers")
        return checkpoint
    }

    /// Whether a checkpoint could be due: cheap, and true whenever one is.
    /// - Parameters: as of the function that makes one.
    /// - Returns: False when nothing, or too little, is new.
    /// - Throws: `.unknownZone`.
    /// - Complexity: O(logs), and O(logs · candidates) while others wait.
    package func mayBeDue(
        nowMilliseconds: UInt64,
        lastMilliseconds: UInt64,
        in transaction: some ReplicaTransaction
    ) throws -> Bool {
        let zone = try transaction.knownZone(self.zone)
        let logs = try ZoneLogs(zone: zone, in: transaction)
        let floor = try KnownCheckpoints(logs).floor(in: transaction)
        let count = logs.sorted(.data).reduce(UInt64(0)) { count, row in
            let size = logs.appliedSize(row)
            return count &+ (size &- min(size, floor[row.key.actor]))
        }
        return count > 0
            && (isOld(nowMilliseconds, lastMilliseconds) || count >= ReplicaLimits.checkpointOperationCount)
    }

    private func isOld(_ now: UInt64, _ last: UInt64) -> Bool {
        now &- min(last, now) >= ReplicaLimits.checkpointIntervalMilliseconds
    }

    /// The applied sizes of the zone's control logs, if accounts other than its owner write to it.
    ///
    /// The checkpoint makes the grants of those accounts up to these sizes final, and excludes grants that they
    /// backdate later. The same goes for the grants of the owner's devices: a right on which the checkpoint's data
    /// depends cannot turn out void afterwards, when the device that granted it is removed by a device which had not
    /// yet received the grant.
    private func controlPositions(
        _ logs: ZoneLogs,
        in transaction: some ReplicaTransaction
    ) throws -> [LogPosition] {
        let isShared = logs.zone.genesis.partner != nil || logs.rows.contains { $0.role.present != .owner }
        guard isShared else { return [] }
        return try logs.sorted(.control).compactMap { row in
            let size = logs.effectiveSize(row)
            guard row.role.present != .unknown, !row.isForked, size > 0,
                let root = try StoredLog(row).root(at: size, in: transaction)
            else { return nil }
            return LogPosition(actor: row.key.actor, lane: .control, size: size, root: root)
        }
    }

    /// Returns the adopted checkpoint if no standing device states it any more, preceded by the previous checkpoint,
    /// which its live set is computed with, if no log states that one any more in its effective part.
    /// - Parameter transaction: The store.
    /// - Returns: The checkpoints in the order in which they are to be stated; none while all logs of owners' devices
    ///   stand.
    /// - Throws: `.unknownZone`.
    /// - Complexity: O(control operations) once a device was removed or the zone handed over, else O(logs).
    package func unsaid(in transaction: some ReplicaTransaction) throws -> [Checkpoint] {
        let logs = try ZoneLogs(zone: try transaction.knownZone(zone), in: transaction)
        guard let adopted = logs.zone.adopted,
            logs.sorted(.control).contains(where: { $0.role.present == .owner && logs.isFormer($0) })
        else { return [] }
        var unsaid = [adopted.hash: adopted]
        try logs.forEachControl(where: .void, in: transaction) { control in
            guard case .checkpoint(let checkpoint) = control, checkpoint.hash == adopted.previous else { return }
            unsaid[checkpoint.hash] = checkpoint
        }
        try logs.forEachControl(in: transaction) { control in
            guard case .checkpoint(let checkpoint) = control, checkpoint.hash == adopted.previous else { return }
            unsaid[checkpoint.hash] = nil
        }
        try logs.forEachControl(where: .current, in: transaction) { control in
            if case .checkpoint(let checkpoint) = control { unsaid[checkpoint.hash] = nil }
        }
        return [adopted.previous, adopted.hash].compactMap { unsaid[$0] }
    }

    /// Whether a standing device states a checkpoint that covers operations which do not exist here, or wait here for
    /// others.
    ///
    /// An honest checkpoint covers operations that every active device has acknowledged, so a replica that is not
    /// behind holds them.
    /// - Parameter transaction: The store.
    /// - Returns: False for checkpoints by removed devices.
    /// - Throws: `.unknownZone`.
    /// - Complexity: O(candidates · logs), and O(control operations) if one of them covers operations that are not
    ///   held.
    package func coverUnknownOperations(in transaction: some ReplicaTransaction) throws -> Bool {
        let logs = try ZoneLogs(zone: try transaction.knownZone(zone), in: transaction)
        let unknown = try logs.zone.candidates.filter { candidate in
            try candidate.logs.contains { try !KnownCheckpoints(logs).hasTaken($0, in: transaction) }
        }
        guard !unknown.isEmpty else { return false }
        let hashes = Set(unknown.map(\.hash))
        var waits = false
        try logs.forEachControl(where: .current, in: transaction) { control in
            if case .checkpoint(let checkpoint) = control, hashes.contains(checkpoint.hash) { waits = true }
        }
        return waits
    }

    /// Whether a device of the owner's account other than this one, and not removed, states a checkpoint.
    ///
    /// A device that restates a checkpoint has computed its live set.
    package func isSaid(
        _ checkpoint: Hash,
        byOtherThan device: DeviceID,
        in transaction: some ReplicaTransaction
    ) throws -> Bool {
        guard let zone = try transaction.zone(self.zone) else { return false }
        var isSaid = false
        let logs = try ZoneLogs(zone: zone, in: transaction)
        try logs.forEachControl(where: .current, except: device, in: transaction) { control in
            if case .checkpoint(let said) = control, said.hash == checkpoint { isSaid = true }
        }
        return isSaid
    }
}

extension ZoneLogs {
    /// Whether a control log of an owner's device is one of those whose author does not stand, or is cut.
    fileprivate func isFormer(_ row: LogRow) -> Bool { row.role != .owner || effectiveSize(row) < row.size }
}
