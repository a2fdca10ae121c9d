package import Wire

// Operations that an author wrote above the cut of its log, and uploads for others to decide about.
extension Replica {
    /// Returns a part of a log above its cut, for a store that keeps it quarantined.
    ///
    /// In contrast, ``run(for:from:byteCount:in:)`` ends at the cut: replicas neither announce nor request operations
    /// above it.
    /// - Parameters:
    ///   - key: The log.
    ///   - limit: The size at which the log ends for others.
    ///   - from: The size up to which the receiver is known to hold the log.
    ///   - byteCount: The maximum number of bytes of items; a single head may need more.
    ///   - transaction: The store.
    /// - Returns: The run; nil when there is nothing more that the receiver would take.
    /// - Throws: Any error of the store.
    /// - Complexity: O(bytes of the run).
    package static func deposit(
        of key: LogKey,
        above limit: UInt64,
        from: UInt64,
        byteCount: UInt64,
        in transaction: some ReplicaTransaction
    ) throws -> Run? {
        guard key.lane == .data, let row = try transaction.log(key), !row.isForked else { return nil }
        let from = max(from, limit)
        let end = min(row.size, limit &+ ReplicaLimits.depositOperationCountMax)
        guard from < end else { return nil }
        let base = try transaction.head(key, atOrBelow: from)?.byteCount ?? 0
        let budget = min(byteCount, ReplicaLimits.runByteCountMax)
        var chosen: HeadRow?
        for head in try transaction.heads(key, above: from, limit: ReplicaLimits.pageRowCount) where head.size <= end {
            if chosen != nil, head.byteCount &- base > budget { break }
            chosen = head
        }
        guard var chosen else { return nil }
        var items = try transaction.items(key, from: from, to: chosen.size)
        // From the log's beginning on nothing but hashes would be taken for a comparison of histories.
        while from == 0, items.allSatisfy(\.isGap),
            let next = try transaction.heads(key, above: chosen.size, limit: 1).first,
            next.size <= end
        {
            chosen = next
            items = try transaction.items(key, from: from, to: chosen.size)
        }
        // If the author has pruned all operations, there is nothing to keep.
        guard items.first?.first == from, from > 0 || !items.allSatisfy(\.isGap) else { return nil }
        return Run(signedHead: chosen.signed, from: from, checkpoint: .zero, items: items.map(\.logItem))
    }

    /// Stores a run that lies above its log's cut; it has no effect.
    ///
    /// The run changes no digest and no announced size, so that everything that peers compare stays the same. Only
    /// one history of a log is kept above the cut: the first that arrives. Operations that the author has pruned from
    /// the run, under a checkpoint that no other replica adopts, are a gap here as well; this store never raises the
    /// cut above that gap.
    /// - Returns: Nil when the run exceeds the room for such runs, or contains nothing that could be kept.
    static func keep(
        _ run: Run,
        _ kept: KeptAboveCut,
        row: LogRow,
        logs: ZoneLogs,
        wallMilliseconds: UInt64,
        in transaction: inout some ReplicaTransaction
    ) throws -> Applied? {
        let size = run.signedHead.head.size
        let limit = logs.limit(row)
        guard row.key.lane == .data, row.cut != nil, !row.isForked, size > row.size,
            kept.hasRoom(size, above: limit), logs.hasRoomAboveCuts(row, kept)
        else { return nil }
        // Some of the operations that the author has pruned may be kept here: then the run begins before them.
        let gap = run.gap(over: row.size)
        guard let edge = try gap.map({ try frontier(of: row, at: $0.firstLeaf, in: transaction) }) ?? row.frontier,
            edge.size >= limit
        else { return nil }
        let verifier = RunVerifier(
            key: row.key,
            device: row.device,
            incarnation: row.incarnation,
            right: row.right,
            frontier: edge,
            gapLimit: kept.mayHaveGaps ? try gapLimit(run, row.key, logs: logs, in: transaction) : 0,
            end: limit,
            tagKey: try tagKey(of: logs.zone)
        )
        let verified: VerifiedRun
        do {
            verified = try verifier.verify(run)
        } catch {
            // Whatever is wrong with it: the effective part is held, and nothing of this run is needed.
            return nil
        }
        let base = try transaction.head(row.key, atOrBelow: limit)?.byteCount ?? 0
        let held = try transaction.head(row.key, atOrBelow: edge.size)?.byteCount ?? 0
        guard held &- base &+ verified.byteCount <= kept.byteCountMax else { return nil }
        if gap == nil {
            return try store(verified, row: row, logs: logs, wallMilliseconds: wallMilliseconds, in: &transaction)
        }
        return try replace(
            row,
            from: edge,
            by: verified,
            logs: logs,
            wallMilliseconds: wallMilliseconds,
            in: &transaction
        )
    }

    /// Stores a run in place of the operations kept above a cut, if the run supersedes each operation that it lacks.
    ///
    /// Both cannot be kept: one hash stands for all operations that the author has pruned together. So a thief of the
    /// device can write over a record and replace the writes that the device's person made there before, and no
    /// others.
    /// - Returns: Nil if an operation would be lost.
    private static func replace(
        _ row: LogRow,
        from edge: TreeFrontier,
        by run: VerifiedRun,
        logs: ZoneLogs,
        wallMilliseconds: UInt64,
        in transaction: inout some ReplicaTransaction
    ) throws -> Applied? {
        let removed = try operations(of: row, from: edge.size, in: transaction)
        var successors: [RecordTag: Domination] = [:]
        for (first, item) in run.items {
            guard case .record(let operation, _) = item else { continue }
            let dot = Dot(actor: row.key.actor, counter: first &+ 1)
            successors[operation.header.tag, default: Domination()].add(dot, vector: operation.header.vector)
        }
        let isSuperseded = removed.allSatisfy { successors[$0.operation.header.tag]?.isCovered($0.dot) ?? false }
        guard isSuperseded else { return nil }
        var logs = logs
        let shortened = try takeBack(row, to: edge, in: &transaction)
        logs[row.key] = shortened
        return try store(run, row: shortened, logs: logs, wallMilliseconds: wallMilliseconds, in: &transaction)
    }
}

/// The logs that share the places of those of which something is kept above the cut.
package enum DepositRoom: Hashable, Sendable {
    /// Those of the log's device: a removed device takes no place from another device of its account.
    case ofDevice
    /// Those under the log's right: another account has one room, whatever devices it makes up.
    case ofRight
}

/// The part of a run above its log's cut that is kept.
package enum KeptAboveCut: Hashable, Sendable {
    /// Nothing: the run is refused.
    case nothing
    /// The operations that their author uploads for people to decide about.
    case deposit(DepositRoom)
    /// The operations up to the size to which the log is effective once it gets there; the statement that ended the
    /// right names that size.
    case upTo(UInt64)

    fileprivate func hasRoom(_ size: UInt64, above limit: UInt64) -> Bool {
        switch self {
        case .nothing: false
        case .deposit: size &- limit <= ReplicaLimits.depositOperationCountMax
        case .upTo(let end): size <= end && size &- limit <= ReplicaLimits.pendingOperationCountMax
        }
    }

    /// Whether a checkpoint may explain the gaps of the run: others pruned them while that part of the log was
    /// effective, and it still is for them.
    fileprivate var mayHaveGaps: Bool {
        if case .upTo = self { true } else { false }
    }

    /// The logs that share the places.
    fileprivate var room: DepositRoom {
        // If a stated end is due, the ending names the log, so no device can have invented the log.
        if case .deposit(let room) = self { room } else { .ofDevice }
    }

    fileprivate var byteCountMax: UInt64 {
        switch self {
        case .nothing: 0
        case .deposit: ReplicaLimits.depositByteCountMax
        case .upTo: ReplicaLimits.pendingByteCountMax
        }
    }
}

extension ZoneLogs {
    /// Whether something may be kept above the cut of a log: a device can begin any number of them.
    fileprivate func hasRoomAboveCuts(_ row: LogRow, _ kept: KeptAboveCut) -> Bool {
        if row.size > limit(row) { return true }
        let isShared = kept.room == .ofRight || PlantedBug.shareDepositRoom.isActive
        let others = rows.filter { other in
            other.key.lane == .data && other.right == row.right && other.size > limit(other)
                && (isShared || other.device == row.device)
        }
        return others.count < ReplicaLimits.depositLogCountMax
    }
}

extension StoredItem {
    /// Whether a hash stands for leaves that are not held.
    fileprivate var isGap: Bool {
        if case .gap = content { true } else { false }
    }
}
