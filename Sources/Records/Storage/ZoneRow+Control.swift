import Wire

extension ZoneRow {
    /// Applies a control operation to the row.
    ///
    /// The result does not depend on the order, except for the choice of waiting checkpoints when there are more than
    /// can wait.
    /// - Parameters:
    ///   - body: The operation's content, by an owner's device.
    ///   - stands: Whether the device stands: it is not removed, nor its account a former owner. Only then does a
    ///     checkpoint make anything final.
    ///   - standing: As of ``waitFor(_:stands:standing:)``.
    mutating func apply(_ body: ControlBody, stands: Bool, standing: Set<Hash>?) {
        switch body {
        case .checkpoint(let checkpoint):
            note(checkpoint, stands: stands, standing: standing)
        case .zoneDeletion where genesis.partner != nil:
            // Neither of the two accounts takes the zone from the other: an account can leave instead.
            break
        case .zoneDeletion(let reason):
            // Of two reasons the smaller one stays, whichever came first.
            if case .deleted(let other) = state, !reason.isBytewiseLess(than: other) { return }
            state = .deleted(reason: reason)
        case .genesis, .unknown:
            break
        case .grant, .revoke, .transfer, .leave, .raiseCut, .publicAccess, .schema, .epoch, .delivery, .epochAgain,
            .deviceCuts, .keyRequest, .transferOffer, .transferAnswer:
            // Kept and forwarded like operations of unknown kinds; a zone's row does not depend on them.
            break
        }
        assertValid()
    }

    /// Remembers a checkpoint until it is adopted, and that the operations which it covers are final.
    private mutating func note(_ checkpoint: Checkpoint, stands: Bool, standing: Set<Hash>?) {
        if stands { makeFinal(checkpoint) }
        waitFor(checkpoint, stands: stands, standing: standing)
    }

    /// Remembers that operations which a checkpoint covers are effective whatever cuts state.
    mutating func makeFinal(_ checkpoint: Checkpoint) {
        for log in checkpoint.logs where log.lane == .data && log.size > 0 {
            watermark.merge(Dot(actor: log.actor, counter: log.size))
        }
    }

    /// Adds a checkpoint to those that wait to be adopted, unless the adopted one covers it.
    ///
    /// If too many wait, one of them gives way. A checkpoint whose author does not stand replaces no other one.
    /// - Parameters:
    ///   - checkpoint: The checkpoint.
    ///   - stands: Whether the device that states it stands.
    ///   - standing: The checkpoints that some device states which stands, asked for only where one gives way; nil if
    ///     these are all that wait.
    mutating func waitFor(_ checkpoint: Checkpoint, stands: Bool, standing: Set<Hash>?) {
        if let adopted, adopted.dominates(checkpoint) { return }
        guard !candidates.contains(checkpoint) else { return }
        guard isFullOfCandidates else {
            candidates.append(checkpoint)
            return
        }
        guard stands else { return }
        let known = knownPredecessors
        candidates.append(checkpoint)
        candidates.remove(at: placeGivingWay(standing?.union([checkpoint.hash]), known))
    }

    /// Adds a checkpoint whose live set a peer has sent to those that wait to be adopted, unless the adopted one covers it.
    ///
    /// If too many wait, it takes the place of another one, chosen as in ``waitFor(_:stands:standing:)``. Its own
    /// predecessor may be unknown here, because a checkpoint that this replica compared and did not adopt no longer
    /// waits. Were it dropped for that, no live set would make the replica complete.
    mutating func waitForCompared(_ checkpoint: Checkpoint, standing: Set<Hash>?) {
        if let adopted, adopted.dominates(checkpoint) { return }
        guard !candidates.contains(checkpoint) else { return }
        if isFullOfCandidates { candidates.remove(at: placeGivingWay(standing, knownPredecessors)) }
        candidates.append(checkpoint)
        assertValid()
    }

    /// Whether another checkpoint can wait only in the place of one that waits.
    var isFullOfCandidates: Bool { candidates.count >= ReplicaLimits.candidateCountMax }

    /// The place of the checkpoint that gives way: the oldest one that no device states which stands, else the oldest
    /// one whose predecessor is not known here, else the oldest.
    private func placeGivingWay(_ standing: Set<Hash>?, _ known: Set<Hash>) -> Int {
        standing.flatMap { standing in candidates.firstIndex { !standing.contains($0.hash) } }
            ?? candidates.firstIndex { !known.contains($0.previous) } ?? 0
    }

    /// The checkpoints that this row names, as predecessors of others.
    private var knownPredecessors: Set<Hash> {
        Set(candidates.map(\.hash) + [.zero] + (adopted.map { [$0.hash, $0.previous] } ?? []))
    }
}

extension Checkpoint {
    /// Whether this one covers at least as much of every data log as the other.
    func dominates(_ other: Checkpoint) -> Bool {
        other.logs.allSatisfy { $0.lane == .control || size($0.key) >= $0.size }
    }
}
