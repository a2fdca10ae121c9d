package import Wire

/// A log as it is stored: its leaves, its heads, and the edges of its tree.
package struct StoredLog {
    private let row: LogRow

    /// Works with a log.
    /// - Parameter row: Its row, which is out of date once a function has changed the log: each returns or saves the new one.
    package init(_ row: LogRow) {
        self.row = row
    }

    /// Appends items under a new signed head and thins out the heads before it.
    /// - Parameters:
    ///   - items: Items that continue the log.
    ///   - signed: The verified or just signed head over them.
    ///   - frontier: The tree's edge at the head.
    ///   - byteCount: Bytes of the items.
    ///   - isApplied: Whether the items are applied; else they are pending.
    ///   - transaction: The store.
    /// - Returns: The log's row, its size, edge and counts moved on. Saved by the caller.
    /// - Throws: Any error of the store.
    func append(
        _ items: [StoredItem],
        under signed: SignedTreeHead,
        frontier: TreeFrontier,
        byteCount: UInt64,
        isApplied: Bool,
        in transaction: inout some ReplicaTransaction
    ) throws -> LogRow {
        assert(frontier.size == signed.head.size, "the edge at a head is that of the head's size")
        assert(items.first?.first == row.size, "items begin where the log ends")
        assert(items.last.map { $0.first &+ $0.leafCount } == signed.head.size, "items end at the head over them")
        for item in items { PlacedItem(item, in: row.key).assertValid() }
        var row = row
        let last = row.size
        if last == 0 { try transaction.save(row) }
        try transaction.append(items, key: row.key)
        row.size = signed.head.size
        row.byteCount &+= byteCount
        row.frontier = frontier
        let head = HeadRow(signed: signed, byteCount: row.byteCount, frontier: frontier)
        head.assertValid()
        try transaction.insert(head, key: row.key)
        if isApplied {
            row.appliedSize = row.size
            // Heads of pending operations stay: they state the operations that these wait for.
            if last > 0, !row.isCut(at: last) {
                try thinHeads(above: last &- 1, applied: row.size, in: &transaction)
            }
        }
        return row
    }

    /// Checks that a run's head claims to have seen everything that the operations held of its log had seen, as a
    /// run's head must for the operations of the run itself.
    ///
    /// Otherwise this replica would serve the log as a whole under a head that every replica refuses. The newest head
    /// held states what the operations had seen, and an honest author's heads never claim less than the heads before;
    /// the operations are read only where a head does. Operations pruned under a checkpoint are not checked by any
    /// replica.
    /// - Parameters:
    ///   - run: A verified run that continues the log, or fills a hole of it and ends inside.
    ///   - transaction: The store.
    /// - Throws: `.invalidRun` with the first operation that had seen more.
    /// - Complexity: O(actors + leaves between the newest head before the run and the run); O(leaves before the run)
    ///   for the run of a head that claims less than that one.
    func checkSeen(_ run: VerifiedRun, in transaction: some ReplicaTransaction) throws {
        let start = run.from
        guard start > 0 else { return }
        var claimed = run.signedHead.head.seen
        claimed[row.key.actor] = run.size
        let newest = try transaction.head(row.key, atOrBelow: start)
        let covered = newest.flatMap { claimed.covers($0.signed.head.seen) ? $0.size : nil }
        var from = covered ?? 0
        while from < start {
            let to = min(start, from &+ UInt64(ReplicaLimits.pageRowCount))
            for item in try transaction.items(row.key, from: from, to: to) {
                guard case .operation(let stored) = item.content, !claimed.covers(stored.operation.header.vector) else {
                    continue
                }
                throw ReplicaError.invalidRun(row.key, .invalidOperation(counter: item.first &+ 1, .unseenEntry))
            }
            from = to
        }
    }

    /// Deletes heads that no replica needs: applied ones that lie close behind a retained one and before another.
    /// - Parameters:
    ///   - above: Heads of at most this size are kept.
    ///   - applied: Heads at this size and above are kept: the operations that follow may wait for long, and a
    ///     replica that gets all of them under one head would not show the state that is shown here.
    ///   - transaction: The store.
    /// - Throws: Any error of the store.
    func thinHeads(
        above: UInt64,
        applied: UInt64,
        in transaction: inout some ReplicaTransaction
    ) throws {
        assert(above <= applied, "heads are thinned out among those of applied operations")
        let key = row.key
        let base = try transaction.head(key, atOrBelow: above)
        var keptSize = base?.size ?? 0
        var keptByteCount = base?.byteCount ?? 0
        var page = try transaction.heads(key, above: above, limit: ReplicaLimits.pageRowCount)
        var dropped: [UInt64] = []
        while let head = page.first, page.count > 1 {
            page.removeFirst()
            let next = page[0]
            let isMilestone =
                head.size &- keptSize >= ReplicaLimits.headSpacingOperationCount
                || head.byteCount &- keptByteCount >= ReplicaLimits.headSpacingByteCount
                || next.size &- keptSize > ReplicaLimits.headDistanceOperationCountMax
                || next.byteCount &- keptByteCount > ReplicaLimits.headDistanceByteCountMax
            if isMilestone || head.size >= applied {
                keptSize = head.size
                keptByteCount = head.byteCount
            } else {
                dropped.append(head.size)
            }
        }
        if !dropped.isEmpty { try transaction.deleteHeads(key, sizes: dropped) }
    }

    /// The operations of a log that are held from a place on.
    func operations(from: UInt64, in transaction: some ReplicaTransaction) throws -> [StoredOperation] {
        try transaction.items(row.key, from: from, to: row.size).compactMap {
            if case .operation(let stored) = $0.content { stored } else { nil }
        }
    }

    /// Removes the log's end behind an edge.
    /// - Returns: The log's new row, which is saved.
    @discardableResult
    func rollBack(to frontier: TreeFrontier, in transaction: inout some ReplicaTransaction) throws -> LogRow {
        assert(frontier.size <= row.size, "a log is truncated to a place within it")
        let items = try transaction.items(row.key, from: frontier.size, to: row.size)
        assert(
            items.first.map { $0.first >= frontier.size } ?? true,
            "no gap reaches over the place to which a log is truncated"
        )
        try transaction.replace(row.key, first: items.map(\.first), with: [])
        let heads = try transaction.heads(row.key, above: frontier.size, limit: .max)
        try transaction.deleteHeads(row.key, sizes: heads.map(\.size))
        var row = row
        row.byteCount = try transaction.head(row.key, atOrBelow: frontier.size)?.byteCount ?? 0
        row.size = frontier.size
        row.frontier = frontier
        row.appliedSize = min(row.appliedSize, frontier.size)
        if row.hole ?? 0 >= row.size { row.hole = nil }
        row.assertValid()
        try transaction.save(row)
        return row
    }

    /// Quarantines restated operations again, because the log turned out to end later than it seemed.
    func forgetRestated(in transaction: inout some ReplicaTransaction) throws {
        var from: UInt64 = 0
        while from < row.size {
            let to = min(row.size, from &+ UInt64(ReplicaLimits.pageRowCount))
            let changes = try transaction.items(row.key, from: from, to: to).compactMap { item -> StateChange? in
                guard case .operation(let stored) = item.content, stored.state == .restated else { return nil }
                return StateChange(key: row.key, counter: item.first &+ 1, state: .quarantined)
            }
            if !changes.isEmpty { try transaction.setStates(changes) }
            from = to
        }
    }

    /// Whether everything behind the place where the log's histories part is restated: that is done in the log's order.
    /// - Parameters:
    ///   - limit: The place.
    ///   - transaction: The store.
    /// - Returns: True also when nothing is held behind it.
    /// - Throws: Any error of the store.
    /// - Complexity: O(gaps at the log's end).
    func isRestated(behind limit: UInt64, in transaction: some ReplicaTransaction) throws -> Bool {
        var end = row.size
        while end > limit, let last = try transaction.items(row.key, from: end &- 1, to: end).last {
            if case .operation(let stored) = last.content { return stored.state == .restated }
            // A gap that a checkpoint left in the history that it covers has no content to restate.
            end = last.first
        }
        return true
    }

    /// The edge of a log's tree at a smaller size.
    /// - Returns: Nil when the size is not covered, or lies inside a gap.
    /// - Complexity: O(leaves since the retained head before it).
    func frontier(at size: UInt64, in transaction: some ReplicaTransaction) throws -> TreeFrontier? {
        if size == row.size { return row.frontier }
        guard size < row.size else { return nil }
        var frontier = try transaction.head(row.key, atOrBelow: size)?.frontier ?? TreeFrontier()
        while frontier.size < size {
            let to = min(size, frontier.size &+ UInt64(ReplicaLimits.pageRowCount))
            for item in try transaction.items(row.key, from: frontier.size, to: to) {
                guard item.first == frontier.size, item.append(to: &frontier) else { return nil }
            }
            guard frontier.size >= to else { throw ReplicaError.damaged("leaves of a log are missing") }
        }
        return frontier.size == size ? frontier : nil
    }

    /// The root of a log's tree at a size; as ``frontier(at:in:)``.
    package func root(at size: UInt64, in transaction: some ReplicaTransaction) throws -> Hash? {
        try frontier(at: size, in: transaction)?.root
    }

    /// Whether a log is held up to a position, with its root.
    /// - Parameters:
    ///   - position: The size, and the root.
    ///   - transaction: The store.
    /// - Returns: True when the log's tree of that size has that root.
    /// - Throws: Any error of the store.
    /// - Complexity: O(leaves since a retained head).
    package func reaches(
        _ position: (size: UInt64, root: Hash),
        in transaction: some ReplicaTransaction
    ) throws -> Bool {
        guard row.size >= position.size else { return false }
        return try root(at: position.size, in: transaction) == position.root
    }
}

extension StoredItem {
    /// Appends the item's hash to an edge that ends where the item begins.
    /// - Returns: False when it does not fit there.
    func append(to frontier: inout TreeFrontier) -> Bool {
        switch content {
        case .operation(let stored):
            frontier.append(stored.operation.header.leafHash)
        case .gap(let gap):
            return frontier.append(subtree: gap.hash, level: gap.level)
        }
        return true
    }
}
