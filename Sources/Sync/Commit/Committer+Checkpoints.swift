import Identity
package import Records
package import Wire

// Checkpoints: made when all active devices have acknowledged enough, adopted when this store holds the covered logs
// (``checkpointWork(_:in:)``); then all operations outside the live set are pruned.
extension Committer {
    /// Milliseconds of silence after which a device is no longer waited for: 90 days, from when it was last met, or
    /// from when this store learnt of it.
    package static let lapseMilliseconds: UInt64 = 90 * 24 * 60 * 60 * 1_000

    /// Restates the adopted checkpoint of a zone where no active device states it any more.
    ///
    /// A device that has not seen the checkpoint may remove its maker, whose log ends below it then. Operations
    /// pruned under it stay pruned, and a replica that has not learnt of it takes no run with such a gap: a device
    /// that holds the checkpoint has to state it.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when it is stated, or this device may not state it.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func sayCheckpointAgain(
        _ zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        try tracking(zone, in: &transaction) { transaction in
            guard try repeatCheckpoints(zone, in: &transaction) else { return CommitNotice() }
            let outcome = try rule(zone, in: &transaction)
            let hasChanges = outcome?.changed.isEmpty == false
            return CommitNotice(number: try transaction.nextCommitNumber(), hasRecordChanges: hasChanges)
        }
    }

    /// Takes in a page of a peer's live set under a checkpoint.
    ///
    /// With the last page, records that are live here and not in the list are removed, and the checkpoint may be
    /// adopted: in a small zone it is adopted at once.
    ///
    /// The word of the checkpoint's maker is not enough while another device could give it: a device that has adopted
    /// a checkpoint has computed its live set, and the maker need not have.
    /// - Parameters:
    ///   - page: The page.
    ///   - comparison: The result of the pages before.
    ///   - transaction: The store.
    /// - Returns: The outcome of the page.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func take(
        _ page: LiveSetPage,
        comparison: LiveSetComparison,
        in transaction: inout some NodeTransaction
    ) throws -> Changed<LiveSetOutcome> {
        guard let comparison = try comparison.compared(with: page, in: transaction),
            try isBelieved(comparison, in: transaction)
        else { return Changed(.unusable) }
        guard comparison.isWhole else { return Changed(.partial(comparison)) }
        return try tracking(page.zone, in: &transaction) { transaction in
            guard let gone = try comparison.pruneAbsent(in: &transaction) else { return Changed(.unusable) }
            try noteTurn(page.zone, in: &transaction)
            let hasChanges = try adoptSoon(page.zone, in: &transaction)
            let notice = CommitNotice(
                number: try transaction.nextCommitNumber(),
                hasRecordChanges: hasChanges || !gone.changed.isEmpty
            )
            return Changed(.settled(comparison, goneCount: gone.count), notice: notice)
        }
    }

    /// Whether two devices have computed the live set, or no other device is there that could have.
    private func isBelieved(_ comparison: LiveSetComparison, in transaction: some NodeTransaction) throws -> Bool {
        if PlantedBug.believeAnyLiveSet.isActive { return true }
        let (zone, teller) = (comparison.zone, comparison.teller)
        if try Checkpoints(of: zone).isSaid(comparison.checkpoint, byOtherThan: teller, in: transaction) { return true }
        guard let row = try transaction.zone(zone) else { return false }
        let now = soberMilliseconds
        let met = Set(
            try transaction.peers().filter { now <= $0.lastSeenMilliseconds &+ Self.lapseMilliseconds }.map(\.device)
        )
        return try members(of: row, in: transaction).allSatisfy { $0 == device || $0 == teller || !met.contains($0) }
    }

    /// Returns the next step of pruning operations that the adopted checkpoint of a zone does not let live.
    ///
    /// A snapshot is enough, and does not block the writer. The caller performs the step with ``prune(_:in:)`` if it
    /// is a change, and asks for the next one, until there is none.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - step: The step before; nil at the beginning.
    ///   - limit: The most operations to prune, unless more of one record depend on each other.
    ///   - transaction: A snapshot of the store.
    /// - Returns: Nil when all of them are pruned, or none may be pruned now.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func pruningStep(
        _ zone: ZoneID,
        after step: PruningStep?,
        limit: Int = ReplicaLimits.prunedOperationCount,
        in transaction: some NodeTransaction
    ) throws -> PruningStep? {
        guard let adopted = try transaction.zone(zone)?.adopted,
            try transaction.value(named: Self.prunedName(zone)) != adopted.hash.bytes
        else { return nil }
        return try Pruning(of: zone).step(after: step, limit: limit, in: transaction)
    }

    /// Performs a step of pruning operations that the adopted checkpoint of a zone does not let live.
    ///
    /// After the last one it notes the checkpoint under which all are pruned.
    /// - Parameters:
    ///   - step: The step.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when nothing changed.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func prune(_ step: PruningStep, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        guard let (count, isWhole) = try step.prune(in: &transaction) else { return CommitNotice() }
        let isDone = step.isLast && isWhole
        guard count > 0 || isDone else { return CommitNotice() }
        if isDone { try transaction.setValue(step.checkpoint.bytes, named: Self.prunedName(step.zone)) }
        return CommitNotice(number: try transaction.nextCommitNumber())
    }

    /// The name of the value with the checkpoint under which all of a zone is pruned.
    private static func prunedName(_ zone: ZoneID) -> String { "checkpoint.pruned." + zone.text }

    /// Adopts the checkpoints of a small zone whose logs this store holds; those of a large one are left to ``checkpointWork(_:in:)``.
    ///
    /// This makes an incomplete zone complete: content that was shown only because a successor was to come has none.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: Whether a reader sees other records than before.
    /// - Throws: `ReplicaError`, or an error of the store.
    func adoptSoon(_ zone: ZoneID, in transaction: inout some NodeTransaction) throws -> Bool {
        let wasUnverified = try transaction.zone(zone)?.isUnverified ?? false
        // One that shows another live set here is not asked again, and must not keep the others from their turn.
        while try Checkpoints(of: zone).adoptsSoon(limit: soonAdoptedCount, in: transaction),
            try Checkpoints(of: zone).adopt(in: &transaction) != .none
        {}
        guard wasUnverified, try transaction.zone(zone)?.isUnverified == false else { return false }
        var hasChanges = false
        var last: String?
        while true {
            let page = try transaction.records(zone: zone, after: last, limit: 1_000)
            let superseded = page.records.filter(\.live.isEmpty)
            if !superseded.isEmpty {
                try transaction.withdraw(superseded)
                hasChanges = true
            }
            guard page.more, let name = page.records.last?.name else { return hasChanges }
            last = name
        }
    }
}

extension UInt64 {
    /// Reads decimal digits that this program wrote.
    init(text bytes: [UInt8]) throws {
        guard let value = UInt64(String(decoding: bytes, as: UTF8.self)) else {
            throw StorageError(code: .corrupt, message: "a stored number is damaged")
        }
        self = value
    }
}
