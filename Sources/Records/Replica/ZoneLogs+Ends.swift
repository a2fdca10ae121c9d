import Wire

extension ZoneLogs {
    /// The logs that are named by the newest heads of logs with pending operations; a head names what earlier ones do.
    func awaited(in transaction: some ReplicaTransaction) throws -> Set<LogKey> {
        var awaited: Set<LogKey> = []
        for row in rows where row.appliedSize < row.size {
            guard let head = try transaction.head(row.key, atOrBelow: row.size) else { continue }
            for dot in head.signed.head.seen.entries {
                awaited.insert(LogKey(zone: zone.id, actor: dot.actor, lane: row.key.lane))
            }
        }
        return awaited
    }

    // MARK: Holes

    /// The place of the first purged and effective leaf from a place on; nil when there is none.
    func hole(
        of row: LogRow,
        from start: UInt64,
        in transaction: some ReplicaTransaction
    ) throws -> UInt64? {
        var from = start
        // In the history of a forked log that a checkpoint covers, missing operations were pruned.
        if row.isForked { from = max(from, zone.watermark[row.key.actor]) }
        let end = min(row.size, limit(row))
        while from < end {
            let to = min(end, from &+ UInt64(ReplicaLimits.pageRowCount))
            for item in try transaction.items(row.key, from: from, to: to) {
                guard case .gap = item.content else { continue }
                return max(try batchStart(row.key, at: item.first, in: transaction), start)
            }
            from = to
        }
        return nil
    }

    /// The beginning of a leaf's batch, as far as the leaf before it shows it: a run never begins inside a batch.
    private func batchStart(
        _ key: LogKey,
        at leaf: UInt64,
        in transaction: some ReplicaTransaction
    ) throws -> UInt64 {
        guard leaf > 0,
            case .operation(let stored) = try transaction.items(key, from: leaf &- 1, to: leaf).first?.content
        else { return leaf }
        let place = stored.operation.header.batch
        return place.index &+ 1 == place.count ? leaf : leaf &- 1 &- UInt64(place.index)
    }

    // MARK: The watermark

    /// The zone's row as its effective control operations make it.
    func rebuiltZone(in transaction: some ReplicaTransaction) throws -> ZoneRow {
        var zone = zone
        if case .deleted = zone.state { zone.state = .live }
        zone.candidates = []
        zone.watermark = VersionVector()
        // Operations pruned under the adopted checkpoint are no longer held, whichever device stated it.
        if let adopted = zone.adopted { zone.makeFinal(adopted) }
        // The former ones come last, and take no place of one that stands.
        try forEachControl(where: .current, in: transaction) { zone.apply($0, stands: true, standing: nil) }
        try forEachControl(where: .former, in: transaction) { zone.apply($0, stands: false, standing: nil) }
        zone.watermark = try effectiveWatermark(
            zone.watermark,
            trusted: self.zone.watermark,
            in: transaction
        )
        return zone
    }

    /// Saves the effective watermark after control operations were applied.
    mutating func saveEffectiveWatermark(
        before: ZoneLogs,
        in transaction: inout some ReplicaTransaction
    ) throws {
        let effective = try effectiveWatermark(
            zone.watermark,
            trusted: before.zone.watermark,
            in: transaction
        )
        guard effective != zone.watermark else { return }
        zone.watermark = effective
        try transaction.save(zone)
    }

    /// The watermark without logs of which this replica holds another history than the checkpoints cover.
    ///
    /// Such a log is effective only up to the fork, which is final: both histories begin with it. When the operations
    /// behind the fork are restated, a run of the history that the checkpoint covers replaces them
    /// (``RunReceiver/takeCovered(_:logs:in:)``).
    /// - Parameters:
    ///   - watermark: The log sizes that the checkpoints cover.
    ///   - trusted: The watermark that was in use before.
    ///   - transaction: The store.
    /// - Returns: The watermark to use.
    /// - Throws: Any error of the store.
    func effectiveWatermark(
        _ watermark: VersionVector,
        trusted: VersionVector,
        in transaction: some ReplicaTransaction
    ) throws -> VersionVector {
        var effective = watermark
        for row in sorted(.data) {
            let size = watermark[row.key.actor]
            guard let proof = row.forkProof, size > proof.forkPoint, row.size > proof.forkPoint else { continue }
            // A log that is being continued keeps its former state meanwhile.
            if row.size < size, trusted[row.key.actor] > proof.forkPoint { continue }
            let root = try row.size < size ? nil : StoredLog(row).root(at: size, in: transaction)
            let positions = try KnownCheckpoints(self).covering(row.key, in: transaction)
                .compactMap { $0.position(row.key.actorLane) }
            if !positions.contains(where: { $0.size == size && $0.root == root }) {
                effective[row.key.actor] = proof.forkPoint
            }
        }
        return effective
    }
}
