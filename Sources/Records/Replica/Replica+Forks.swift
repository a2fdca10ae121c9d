package import Wire

extension ForkProof {
    /// Whether both heads are signed by the log's device and contradict each other.
    /// - Complexity: two signature checks, O(evidence) hashes.
    package var isValid: Bool {
        guard first.head.isSameLog(as: second.head), first.hasValidSignature, second.hasValidSignature else {
            return false
        }
        let short = shorter.head
        let long = longer.head
        if short.size == long.size { return short.root != long.root }
        let roots = MerkleProof<LogTreeHashing>.roots(first: short.size, second: long.size, evidence: evidence)
        guard let roots else { return false }
        return roots.second == long.root && roots.first != short.root
    }
}

extension Replica {
    /// Takes in a fork proof that came from a peer: the log takes nothing more, and nobody waits for it any longer.
    /// - Parameters:
    ///   - proof: The proof.
    ///   - actor: The actor derived from the heads' device and incarnation.
    ///   - wallMilliseconds: The wall clock, milliseconds since 1970.
    ///   - transaction: The store.
    /// - Returns: What the end of the wait set free; nil when the log was marked already.
    /// - Throws: `.unknownZone`, `.invalidForkProof`.
    package static func record(
        _ proof: ForkProof,
        actor: ActorID,
        wallMilliseconds: UInt64,
        in transaction: inout some ReplicaTransaction
    ) throws -> Applied? {
        let head = proof.first.head
        let zone = try knownZone(head.zone, in: transaction)
        let key = LogKey(zone: zone.id, actor: actor, lane: head.lane)
        var row = try transaction.log(key) ?? LogRow(key: key, device: head.device, incarnation: head.incarnation)
        if row.isForked { return nil }
        guard row.device == head.device, row.incarnation == head.incarnation, proof.isValid else {
            throw ReplicaError.invalidForkProof
        }
        row.forkProof = proof
        try transaction.save(row)
        return try retryPending(zone: zone.id, wallMilliseconds: wallMilliseconds, in: &transaction)
    }

    /// Compares a signed head with the log held here.
    /// - Parameters:
    ///   - signed: A head of the log, from a peer; its signature is checked.
    ///   - key: The log.
    ///   - transaction: The store.
    /// - Returns: A proof when the head contradicts what is held, nil when it does not, is longer, or names another log.
    /// - Throws: What the store throws.
    /// - Complexity: O(leaves) when the roots differ.
    package static func compare(
        _ signed: SignedTreeHead,
        key: LogKey,
        in transaction: some ReplicaTransaction
    ) throws -> ForkProof? {
        guard let row = try transaction.log(key) else { return nil }
        let head = signed.head
        guard head.zone == key.zone, head.lane == key.lane, head.device == row.device,
            head.incarnation == row.incarnation, head.size <= row.size, signed.hasValidSignature
        else { return nil }
        return try forkProof(against: signed, row: row, in: transaction)
    }

    /// Tries again what waits in both lanes, after something that is not a run changed what it waits for.
    static func retryPending(
        zone: ZoneID,
        wallMilliseconds: UInt64,
        in transaction: inout some ReplicaTransaction
    ) throws -> Applied {
        let before = try ZoneLogs(zone: try knownZone(zone, in: transaction), in: transaction)
        var applier = ZoneApplier(before)
        try applier.drain(.control, in: &transaction)
        try applier.drain(.data, in: &transaction)
        var applied = try applier.finish(wallMilliseconds: wallMilliseconds, in: &transaction)
        if applied.hasControlChanges {
            applied.changed += try recount(limitsBefore: before, after: applier.logs, in: &transaction)
        }
        return applied
    }

    /// A proof from a head that is not longer than what is held.
    static func forkProof(
        against signed: SignedTreeHead,
        row: LogRow,
        in transaction: some ReplicaTransaction
    ) throws -> ForkProof? {
        let size = signed.head.size
        guard size > 0, let held = try root(of: row, at: size, in: transaction), held != signed.head.root,
            let newest = try transaction.head(row.key, atOrBelow: row.size)
        else { return nil }
        if newest.size == size { return ForkProof(signed, newest.signed) }
        var tiles = MerkleTiles<LogTreeHashing>()
        var from: UInt64 = 0
        while from < newest.size {
            let to = min(newest.size, from &+ UInt64(ReplicaLimits.pageRowCount))
            for item in try transaction.items(row.key, from: from, to: to) where item.first >= tiles.size {
                item.append(to: &tiles)
            }
            from = to
        }
        guard tiles.size == newest.size, let evidence = tiles.consistencyEvidence(first: size) else { return nil }
        return ForkProof(signed, newest.signed, evidence: evidence)
    }

    /// A proof from a run that repeats leaves held here but does not lead to its head over them.
    ///
    /// The run's own leaves must lead there from some place both share, else it says nothing about the author.
    static func forkProof(
        from run: Run,
        row: LogRow,
        in transaction: some ReplicaTransaction
    ) throws -> ForkProof? {
        guard run.from < row.size, let shared = try frontier(of: row, at: run.from, in: transaction),
            let newest = try transaction.head(row.key, atOrBelow: row.size), newest.size == row.size
        else { return nil }
        var tiles = MerkleTiles(shared)
        for item in run.items {
            let isAppended =
                switch item {
                case .operation(let operation): tiles.append(operation.header.leafHash)
                case .stub(let stub): tiles.append(stub.leafHash)
                case .gap(let gap): gap.firstLeaf == tiles.size && tiles.append(gap.hash, level: gap.level)
                }
            guard isAppended else { return nil }
        }
        let head = run.signedHead.head
        guard tiles.size == head.size, tiles.root(from: 0, to: head.size) == head.root,
            let evidence = tiles.consistencyEvidence(first: row.size)
        else { return nil }
        let proof = ForkProof(run.signedHead, newest.signed, forkPoint: run.from, evidence: evidence)
        return proof.isValid ? proof : nil
    }
}

extension StoredItem {
    /// Appends the item's hash to tiles.
    fileprivate func append(to tiles: inout MerkleTiles<LogTreeHashing>) {
        switch content {
        case .operation(let stored): tiles.append(stored.operation.header.leafHash)
        case .stub(let stub): tiles.append(stub.leafHash)
        case .gap(let gap): tiles.append(gap.hash, level: gap.level)
        }
    }
}
