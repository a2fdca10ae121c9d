import Wire

/// The checkpoints that are known in a zone: the adopted one, those that wait, and those in its control logs.
struct KnownCheckpoints {
    private let logs: ZoneLogs

    /// Reads with the logs of a zone.
    init(_ logs: ZoneLogs) {
        self.logs = logs
    }

    /// A checkpoint by its hash, from the zone's row or the applied control operations.
    func named(_ hash: Hash, in transaction: some ReplicaTransaction) throws -> Checkpoint? {
        if let adopted = logs.zone.adopted, adopted.hash == hash { return adopted }
        if let candidate = logs.zone.candidates.first(where: { $0.hash == hash }) { return candidate }
        var found: Checkpoint?
        try logs.forEachControl(in: transaction) { control in
            if case .checkpoint(let checkpoint) = control, checkpoint.hash == hash { found = checkpoint }
        }
        return found
    }

    /// The data log sizes that the previous checkpoint covered; nil while that checkpoint is not known here.
    func previousSizes(_ checkpoint: Checkpoint, in transaction: some ReplicaTransaction) throws -> VersionVector? {
        if checkpoint.previous.isZero { return VersionVector() }
        return try named(checkpoint.previous, in: transaction)?.dataSizes
    }

    /// The checkpoints that make something of a log final.
    func covering(_ key: LogKey, in transaction: some ReplicaTransaction) throws -> [Checkpoint] {
        var found: [Checkpoint] = []
        func add(_ checkpoint: Checkpoint) {
            if checkpoint.size(key.actorLane) > 0 { found.append(checkpoint) }
        }
        if let adopted = logs.zone.adopted { add(adopted) }
        try logs.forEachControl(where: .current, in: transaction) { control in
            if case .checkpoint(let checkpoint) = control { add(checkpoint) }
        }
        return found
    }

    /// Whether this replica computes the live set at a checkpoint that its maker did, from logs with the same roots.
    func isProven(
        _ checkpoint: Checkpoint,
        previous: VersionVector,
        in transaction: some ReplicaTransaction
    ) throws -> Bool {
        let sizes = checkpoint.dataSizes
        let live = try LiveSet(zone: logs.zone.id, sizes: sizes, previous: previous, in: transaction)
        return try live.root == checkpoint.liveRoot && live.count == checkpoint.liveCount
            && haveRoots(checkpoint, in: transaction)
    }

    /// Whether a checkpoint covers another history of a forked log than the one held here, which a run may replace.
    func isOfOtherHistory(_ checkpoint: Checkpoint, in transaction: some ReplicaTransaction) throws -> Bool {
        try checkpoint.logs.contains { log in
            guard log.lane == .data,
                let row = logs[LogKey(zone: logs.zone.id, actor: log.actor, lane: .data)],
                let proof = row.forkProof, log.size > proof.forkPoint, row.size >= log.size
            else { return false }
            return try StoredLog(row).root(at: log.size, in: transaction) != log.root
        }
    }

    private func haveRoots(_ checkpoint: Checkpoint, in transaction: some ReplicaTransaction) throws -> Bool {
        for log in checkpoint.logs where log.size > 0 && log.lane == .data {
            let key = LogKey(zone: logs.zone.id, actor: log.actor, lane: log.lane)
            guard let row = logs[key], try StoredLog(row).root(at: log.size, in: transaction) == log.root else {
                return false
            }
        }
        return true
    }

    /// The least sizes that a new checkpoint covers, so that all replicas can adopt it.
    ///
    /// They are those of the checkpoint adopted here, and the positions of other waiting ones, of logs as they are
    /// applied here and within their cuts. Without the effect of an operation that waits here, the live set cannot be
    /// computed. A checkpoint by a removed device may cover operations that this device wrote
    /// above its cut; if a standing device covered them again, they would be effective.
    func floor(in transaction: some ReplicaTransaction) throws -> VersionVector {
        var floor = logs.zone.adopted?.dataSizes ?? VersionVector()
        for position in logs.zone.candidates.flatMap(\.logs) where position.lane == .data {
            guard floor[position.actor] < position.size, logs.haveApplied(position.size, of: position.actor),
                try matches(position, in: transaction)
            else { continue }
            floor.merge(Dot(actor: position.actor, counter: position.size))
        }
        return floor
    }

    /// Whether the operations of a data log up to a position are applied here, in the history that it names.
    func hasTaken(_ position: LogPosition, in transaction: some ReplicaTransaction) throws -> Bool {
        guard position.lane == .data, position.size > 0 else { return true }
        let row = logs[LogKey(zone: logs.zone.id, actor: position.actor, lane: .data)]
        return try row.map { $0.appliedSize >= position.size } ?? false && matches(position, in: transaction)
    }

    /// Whether a position of a data log matches the log as held here.
    ///
    /// Of a log with two histories either will do up to the fork: nothing new is covered. Behind it the position is of one
    /// of them.
    func matches(_ position: LogPosition, in transaction: some ReplicaTransaction) throws -> Bool {
        guard position.lane == .data, position.size > 0 else { return true }
        guard let row = logs[LogKey(zone: logs.zone.id, actor: position.actor, lane: .data)],
            row.size >= position.size
        else { return false }
        if let proof = row.forkProof, position.size <= proof.forkPoint { return true }
        return try StoredLog(row).root(at: position.size, in: transaction) == position.root
    }
}
