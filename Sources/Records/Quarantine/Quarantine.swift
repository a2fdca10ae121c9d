package import Wire

/// The operations of a zone that are held but have no effect.
package struct Quarantine {
    /// The zone.
    package let zone: ZoneID

    /// Works with the quarantine of a zone.
    package init(of zone: ZoneID) {
        self.zone = zone
    }

    /// Returns the operations, ascending by log and place.
    ///
    /// It leaves out operations that an effective operation has seen: the author of the latter has adopted their
    /// content, or replaced it. So an adopted operation disappears from the list on every device that receives the
    /// adoption.
    /// - Parameters:
    ///   - after: The place after which to begin; nil: the beginning.
    ///   - limit: The maximum number of entries.
    ///   - transaction: The store.
    /// - Returns: The entries; fewer than the limit only at the end.
    /// - Throws: `.unknownZone`.
    /// - Complexity: O(logs), O(operations behind the ends of logs), O(operations of participants).
    package func entries(
        after: Dot? = nil,
        limit: Int,
        in transaction: some ReplicaTransaction
    ) throws -> [QuarantineEntry] {
        let logs = try ZoneLogs(zone: try transaction.knownZone(zone), in: transaction)
        var found: [QuarantineEntry] = []
        for row in logs.sorted(.data) {
            if let after, row.key.actor < after.actor { continue }
            var from = logs.firstUncounted(row)
            if let after, row.key.actor == after.actor { from = max(from, after.counter) }
            let left = limit - found.count
            found += try entries(of: row, from: from, limit: left, logs: logs, in: transaction)
        }
        return found
    }

    /// Whether operations that can be adopted or purged stand above the cuts of others' logs.
    /// - Parameters:
    ///   - device: The local device, which decides nothing about logs of its own.
    ///   - transaction: The store.
    /// - Returns: True when there are such operations.
    /// - Throws: `.unknownZone`.
    /// - Complexity: O(logs), and O(operations above cuts).
    package func hasEntries(
        except device: DeviceID,
        in transaction: some ReplicaTransaction
    ) throws -> Bool {
        let logs = try ZoneLogs(zone: try transaction.knownZone(zone), in: transaction)
        return try logs.sorted(.data).contains { row in
            guard row.cut != nil, !row.isForked, row.device != device else { return false }
            let from = logs.recordLimit(row)
            return try !entries(of: row, from: from, limit: 1, logs: logs, in: transaction).isEmpty
        }
    }

    /// Whether an operation above the cut of its log, or behind a fork, names a payload by an asset.
    ///
    /// It may become effective yet: it is adopted, the cut is raised, or it is restated. Then its record names the payload.
    /// - Parameters:
    ///   - payload: The payload.
    ///   - transaction: The store.
    /// - Returns: False also where the only such operation is sealed under a key that is not here.
    /// - Throws: `.unknownZone`.
    /// - Complexity: O(logs), and O(operations above cuts).
    package func names(_ payload: PayloadID, in transaction: some ReplicaTransaction) throws -> Bool {
        let logs = try ZoneLogs(zone: try transaction.knownZone(zone), in: transaction)
        for row in logs.sorted(.data) {
            var from = logs.recordLimit(row)
            while from < row.size {
                let to = min(row.size, from &+ UInt64(ReplicaLimits.pageRowCount))
                let items = try transaction.items(row.key, from: from, to: to)
                let entries = try entries(items, of: row, logs: logs, in: transaction)
                if entries.contains(where: { $0.assets.contains(payload) }) { return true }
                from = to
                // Many leaves may be missing at once.
                if case .gap(let gap) = items.last?.content { from = max(from, gap.endLeaf) }
            }
        }
        return false
    }

    private func entries(
        of row: LogRow,
        from: UInt64,
        limit: Int,
        logs: ZoneLogs,
        in transaction: some ReplicaTransaction
    ) throws -> [QuarantineEntry] {
        var found: [QuarantineEntry] = []
        var from = from
        while from < row.size, found.count < limit {
            let to = min(row.size, from &+ UInt64(ReplicaLimits.pageRowCount))
            let items = try transaction.items(row.key, from: from, to: to)
            let entries = try entries(items, of: row, logs: logs, in: transaction)
            found += entries.prefix(limit - found.count)
            from = to
            // Many leaves may be missing at once.
            if case .gap(let gap) = items.last?.content { from = max(from, gap.endLeaf) }
        }
        return found
    }

    private func entries(
        _ items: [StoredItem],
        of row: LogRow,
        logs: ZoneLogs,
        in transaction: some ReplicaTransaction
    ) throws -> [QuarantineEntry] {
        let waiting = try items.compactMap { item -> (stored: StoredOperation, reason: QuarantineEntry.Reason)? in
            guard case .operation(let stored) = item.content,
                let reason = try logs.reason(stored, in: row, transaction.keyring)
            else { return nil }
            return (stored, reason)
        }
        guard !waiting.isEmpty else { return [] }
        let tags = Set(waiting.map(\.stored.operation.header.tag)).sorted()
        let contexts = Dictionary(
            try transaction.records(zone: logs.zone.id, tags: tags).map { ($0.tag, $0.context) }
        ) { first, _ in first }
        return try waiting.compactMap { stored, reason in
            let header = stored.operation.header
            if reason != .forked, contexts[header.tag]?.covers(stored.dot) ?? false { return nil }
            // If a body does not open, nothing is known of it but its existence.
            let body = try transaction.opened(stored, zone: logs.zone.id)?.body
            return QuarantineEntry(
                zone: logs.zone.id,
                dot: stored.dot,
                device: row.device,
                reason: reason,
                name: body?.name ?? "",
                type: body?.type ?? "",
                isDeletion: stored.isTombstone,
                assets: body?.assets.map(\.payload) ?? [],
                time: header.time,
                byteCount: stored.operation.byteCount
            )
        }
    }

    /// A quarantined operation, with its log.
    /// - Throws: `QuarantineRefusal.unknown`, or any error of the store.
    static func entry(
        _ dot: Dot,
        logs: ZoneLogs,
        in transaction: some ReplicaTransaction
    ) throws -> (stored: StoredOperation, row: LogRow, reason: QuarantineEntry.Reason) {
        let key = LogKey(zone: logs.zone.id, actor: dot.actor, lane: .data)
        guard let row = logs[key], dot.counter > 0, dot.counter <= row.size,
            case .operation(let stored) = try transaction.items(key, from: dot.counter &- 1, to: dot.counter).first?
                .content, let reason = try logs.reason(stored, in: row, transaction.keyring)
        else { throw QuarantineRefusal.unknown(dot) }
        return (stored, row, reason)
    }
}

extension ZoneLogs {
    /// The first leaf of a log that may have no effect.
    fileprivate func firstUncounted(_ row: LogRow) -> UInt64 {
        // Any operation of a participant may be outside of its right, and a right may turn out void. Any author may
        // break a schema, or seal bytes that are no record.
        row.role == .owner && production == nil && zone.sealing.epoch == nil ? recordLimit(row) : 0
    }

    /// The reason why a stored operation has no effect; nil if it is effective, only waits, or was restated.
    fileprivate func reason(
        _ stored: StoredOperation,
        in row: LogRow,
        _ keyring: EpochKeyring
    ) throws -> QuarantineEntry.Reason? {
        if stored.dot.counter > recordLimit(row) {
            guard stored.state != .restated else { return nil }
            return stored.dot.counter > row.forkProof?.forkPoint ?? .max ? .forked : .aboveCut
        }
        guard stored.state == .void else { return nil }
        switch try reading(stored, in: row, keyring) {
        case .opened(let opened):
            return isWithinRight(stored.operation.header, opened.body, in: row) ? .outOfSchema : .outOfRight
        case .locked: return .outOfRight
        case .unsound: return .unsound
        }
    }
}
