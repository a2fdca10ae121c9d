package import Wire

extension ForkProof {
    /// Whether both heads are signed by the log's device, share the stated part and contradict each other.
    /// - Complexity: two signature checks, O(evidence) hashes.
    package var isValid: Bool {
        guard first.head.isSameLog(as: second.head), first.hasValidSignature, second.hasValidSignature,
            forkPoint < splitPoint
        else { return false }
        guard let left = roots(of: first, firstPath), let right = roots(of: second, secondPath) else { return false }
        return left.shared == forkRoot && right.shared == forkRoot && left.split != right.split
    }

    /// The roots that a head's path leads to.
    private func roots(of signed: SignedTreeHead, _ path: Path) -> (shared: Hash, split: Hash)? {
        guard let split = root(at: splitPoint, of: signed.head, path.split) else { return nil }
        if forkPoint == 0 { return path.shared.isEmpty ? (.zero, split) : nil }
        guard let shared = root(at: forkPoint, of: signed.head, path.shared) else { return nil }
        return (shared, split)
    }

    private func root(at size: UInt64, of head: TreeHead, _ evidence: [Hash]) -> Hash? {
        if size == head.size { return evidence.isEmpty ? head.root : nil }
        let roots = MerkleProof<LogTreeHashing>.roots(first: size, second: head.size, evidence: evidence)
        guard let roots, roots.second == head.root else { return nil }
        return roots.first
    }
}

/// The evidence that a log held here and a run of the same log belong to two histories.
struct ForkEvidence {
    private let row: LogRow

    /// Looks for evidence against the log that is held.
    init(_ row: LogRow) {
        self.row = row
    }

    /// The leaves and gaps of the log.
    func tiles(in transaction: some ReplicaTransaction) throws -> MerkleTiles<LogTreeHashing> {
        var tiles = MerkleTiles<LogTreeHashing>()
        while tiles.size < row.size {
            let from = tiles.size
            let to = min(row.size, from &+ UInt64(ReplicaLimits.pageRowCount))
            for item in try transaction.items(row.key, from: from, to: to) where item.first >= tiles.size {
                item.append(to: &tiles)
            }
            guard tiles.size > from else { throw ReplicaError.damaged("leaves of a log are missing") }
        }
        return tiles
    }

    /// A proof from a run whose head contradicts the held log.
    ///
    /// The run's own items must lead to its head from its beginning or from a place both share; else it does not show
    /// where the histories diverge, and a device other than the author may have changed it.
    /// - Returns: Nil when the run proves nothing.
    func proof(from run: Run, in transaction: some ReplicaTransaction) throws -> ForkProof? {
        guard let theirs = try tiles(of: run, in: transaction) else { return nil }
        return try proof(run.signedHead, theirs, in: transaction)
    }

    /// Whether a run's items lead from the held log to its head, and repeat the held log where they overlap.
    func continues(_ run: Run, in transaction: some ReplicaTransaction) throws -> Bool {
        let head = run.signedHead.head
        guard let theirs = try tiles(of: run, in: transaction), theirs.size == head.size,
            theirs.root(from: 0, to: head.size) == head.root
        else { return false }
        if run.from == row.size { return true }
        return try tiles(in: transaction).compared(with: theirs) == .consistent
    }

    /// The tiles of the log up to the beginning of a run, followed by those of the run's items.
    private func tiles(
        of run: Run,
        in transaction: some ReplicaTransaction
    ) throws -> MerkleTiles<LogTreeHashing>? {
        guard run.from <= row.size, let shared = try StoredLog(row).frontier(at: run.from, in: transaction) else {
            return nil
        }
        var theirs = MerkleTiles(shared)
        for item in run.items {
            let isAppended =
                switch item {
                case .operation(let operation): theirs.append(operation.header.leafHash)
                case .gap(let gap): gap.firstLeaf == theirs.size && theirs.append(gap.hash, level: gap.level)
                }
            guard isAppended else { return nil }
        }
        return theirs
    }

    private func proof(
        _ signed: SignedTreeHead,
        _ theirs: MerkleTiles<LogTreeHashing>,
        in transaction: some ReplicaTransaction
    ) throws -> ForkProof? {
        let head = signed.head
        guard theirs.size == head.size, theirs.root(from: 0, to: head.size) == head.root,
            let newest = try transaction.head(row.key, atOrBelow: row.size), newest.size == row.size
        else { return nil }
        let mine = try tiles(in: transaction)
        // A peer is not to blame for leaves that have changed here.
        guard mine.root(from: 0, to: mine.size) == newest.signed.head.root else {
            throw ReplicaError.damaged("\(row.key) has another root than its newest head")
        }
        guard case .split(let shared, let split) = mine.compared(with: theirs) else { return nil }
        // Where both are the same, ours may be known in smaller pieces.
        let joined = mine.continued(from: shared, by: theirs)
        func path(_ tiles: MerkleTiles<LogTreeHashing>, _ point: UInt64) -> ForkProof.Path? {
            guard let toShared = point == 0 ? [] : tiles.consistencyEvidence(first: point),
                let toSplit = split == tiles.size ? [] : tiles.consistencyEvidence(first: split)
            else { return nil }
            return ForkProof.Path(shared: toShared, split: toSplit)
        }
        for point in try batchEnds(upTo: shared, in: transaction) {
            guard let ours = path(mine, point), let other = path(joined, point),
                let root = point == 0 ? .zero : mine.root(from: 0, to: point)
            else { continue }
            let proof = ForkProof(
                (newest.signed, ours),
                (signed, other),
                forkPoint: point,
                forkRoot: root,
                splitPoint: split
            )
            return proof.isValid ? proof : nil
        }
        return nil
    }

    /// Places at or before a leaf where a log may end without splitting a batch, the last one first; zero among them.
    private func batchEnds(
        upTo size: UInt64,
        in transaction: some ReplicaTransaction
    ) throws -> [UInt64] {
        let from = size &- min(size, UInt64(Limits.batchOperationCountMax) &* 2)
        var ends: [UInt64] = []
        for item in try transaction.items(row.key, from: from, to: size) {
            let isEnd =
                switch item.content {
                case .operation(let stored): stored.operation.header.batch.isLast
                case .gap: true
                }
            let end = item.first &+ item.leafCount
            if isEnd, end <= size { ends.append(end) }
        }
        return ends.reversed() + [0]
    }

    /// Compares a skeleton with the log.
    /// - Returns: A proof when the two contradict each other, nil when one begins with the other.
    /// - Throws: `.invalidRun` when the skeleton is wrong, or does not tell: then ours has to be shown.
    func proof(fromSkeleton run: Run, in transaction: some ReplicaTransaction) throws -> ForkProof? {
        let head = run.signedHead.head
        guard row.size > 0 else { return nil }
        if head.size <= row.size, try StoredLog(row).root(at: head.size, in: transaction) == head.root { return nil }
        var theirs = MerkleTiles<LogTreeHashing>()
        for case .gap(let gap) in run.items {
            guard gap.firstLeaf == theirs.size, theirs.append(gap.hash, level: gap.level) else {
                throw ReplicaError.invalidRun(row.key, .badCoverage(leaf: theirs.size))
            }
        }
        guard theirs.size == head.size, theirs.root(from: 0, to: head.size) == head.root else {
            throw ReplicaError.invalidRun(row.key, .badCoverage(leaf: head.size))
        }
        if let proof = try proof(run.signedHead, theirs, in: transaction) { return proof }
        if case .consistent = try tiles(in: transaction).compared(with: theirs) { return nil }
        throw ReplicaError.invalidRun(row.key, .rootMismatch)
    }
}

extension StoredItem {
    /// Appends the item's hash to tiles.
    fileprivate func append(to tiles: inout MerkleTiles<LogTreeHashing>) {
        switch content {
        case .operation(let stored): tiles.append(stored.operation.header.leafHash)
        case .gap(let gap): tiles.append(gap.hash, level: gap.level)
        }
    }
}
