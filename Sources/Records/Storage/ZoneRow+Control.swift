import Wire

extension ZoneRow {
    /// Takes in an applied control operation.
    ///
    /// The result does not depend on the order.
    mutating func apply(_ body: ControlBody) {
        switch body {
        case .checkpoint(let checkpoint):
            note(checkpoint)
        case .zoneDeletion where genesis.partner != nil && !PlantedBug.takeThePairZone.isActive:
            // Neither of the two takes the zone from the other: whoever wants to leaves.
            break
        case .zoneDeletion(let reason):
            // Of two reasons the smaller one stays, whichever came first.
            if case .deleted(let other) = state, !reason.isBytewiseLess(than: other) { return }
            state = .deleted(reason: reason)
        case .genesis, .unknown:
            break
        case .grant, .revoke, .transfer, .leave, .raiseCut, .publicAccess, .schema, .epoch, .delivery, .epochAgain:
            // Kept and forwarded like those of unknown kinds; a zone's row has nothing to say about them.
            break
        }
    }

    /// Remembers a checkpoint until it is adopted, and that what it covers is final.
    private mutating func note(_ checkpoint: Checkpoint) {
        for log in checkpoint.logs where log.lane == .data && log.size > 0 {
            watermark.merge(Dot(actor: log.actor, counter: log.size))
        }
        waitFor(checkpoint)
    }

    /// Puts a checkpoint among those that wait to be adopted, unless one that is covers it.
    mutating func waitFor(_ checkpoint: Checkpoint) {
        if let adopted, adopted.dominates(checkpoint) { return }
        guard !candidates.contains(checkpoint) else { return }
        candidates.append(checkpoint)
        if candidates.count > ReplicaLimits.candidateCountMax { candidates.removeFirst() }
    }
}

extension Checkpoint {
    /// Whether this one covers at least as much of every data log as the other.
    func dominates(_ other: Checkpoint) -> Bool {
        other.logs.allSatisfy { $0.lane == .control || size($0.key) >= $0.size }
    }
}
