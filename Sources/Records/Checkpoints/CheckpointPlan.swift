import Wire

/// The part of each data log that a new checkpoint may cover.
struct CheckpointPlan {
    /// The sizes covered.
    private(set) var sizes: VersionVector
    /// The sizes that the checkpoint must cover, because an earlier one covers them.
    private let floor: VersionVector

    init(floor: VersionVector) {
        self.floor = floor
        sizes = floor
    }

    /// Leaves that are covered newly.
    var newCount: UInt64 {
        sizes.entries.reduce(0) { $0 &+ ($1.counter &- min($1.counter, floor[$1.actor])) }
    }

    /// Covers a log up to the last retained head within a size, since heads never split batches; or whole, when the size
    /// is where the log was cut, since cuts are made at heads.
    mutating func cover(
        _ row: LogRow,
        upTo size: UInt64,
        limit: UInt64,
        in transaction: some ReplicaTransaction
    ) throws {
        assert(size <= limit, "a checkpoint covers effective operations alone")
        let head = size == limit ? size : try transaction.head(row.key, atOrBelow: size)?.size ?? 0
        sizes[row.key.actor] = max(head, floor[row.key.actor])
    }

    /// Reduces the sizes to leave out operations on top of ones that are not covered, and unread operations that
    /// could make a difference.
    ///
    /// So the covered operations know of no others, and those that they supersede can be pruned without changing the
    /// meaning of the rest. The content of an unread operation is unknown, because its key is not here.
    /// - Complexity: O(retained operations) for each round; one round unless authors were far apart.
    mutating func close(logs: ZoneLogs, unread: [UnreadOperation], in transaction: some ReplicaTransaction) throws {
        var limits: [ActorID: UInt64] = [:]
        for row in logs.sorted(.data) {
            limits[row.key.actor] = row.isForked ? 0 : logs.limit(row)
        }
        repeat {
            try takeBack(unread, logs: logs, in: transaction)
        } while try newCount > 0 && takeBackUnclosed(logs: logs, limits: limits, in: transaction)
        assert(sizes.covers(floor), "a checkpoint covers all that the one before it covers")
    }

    /// Covers each log at most up to its first operation that cannot be read and makes a difference.
    private mutating func takeBack(
        _ unread: [UnreadOperation],
        logs: ZoneLogs,
        in transaction: some ReplicaTransaction
    ) throws {
        while true {
            var reduced: [ActorID: UInt64] = [:]
            for operation in unread where isNew(operation.dot) && !operation.settledBy.contains(where: sizes.covers) {
                reduced.lower(operation.dot)
            }
            guard try reduce(to: reduced, logs: logs, in: transaction) else { return }
        }
    }

    /// Leaves out, in one round, operations that have seen an operation which is not covered.
    /// - Returns: Whether there was any.
    private mutating func takeBackUnclosed(
        logs: ZoneLogs,
        limits: [ActorID: UInt64],
        in transaction: some ReplicaTransaction
    ) throws -> Bool {
        var reduced: [ActorID: UInt64] = [:]
        var after: RecordTag?
        while true {
            let zone = logs.zone.id
            let page = try transaction.summaries(zone: zone, after: after, limit: ReplicaLimits.pageRowCount)
            guard let last = page.last else { break }
            after = last.tag
            for operation in page where isNew(operation.dot) {
                let isClosed = operation.vector.entries.allSatisfy {
                    min($0.counter, limits[$0.actor] ?? 0) <= sizes[$0.actor]
                }
                if !isClosed { reduced.lower(operation.dot) }
            }
        }
        return try reduce(to: reduced, logs: logs, in: transaction)
    }

    /// Whether an operation is covered, and was not before.
    private func isNew(_ dot: Dot) -> Bool { sizes.covers(dot) && !floor.covers(dot) }

    /// Reduces the covered sizes of some logs.
    /// - Returns: False when there are none.
    private mutating func reduce(
        to reduced: [ActorID: UInt64],
        logs: ZoneLogs,
        in transaction: some ReplicaTransaction
    ) throws -> Bool {
        for (actor, size) in reduced.sorted(by: { $0.key < $1.key }) {
            guard let row = logs[LogKey(zone: logs.zone.id, actor: actor, lane: .data)] else { continue }
            try cover(row, upTo: size, limit: logs.limit(row), in: transaction)
        }
        return !reduced.isEmpty
    }
}

extension [ActorID: UInt64] {
    /// Limits the covered size of a log to the operation before this one.
    fileprivate mutating func lower(_ dot: Dot) {
        self[dot.actor] = Swift.min(self[dot.actor] ?? .max, dot.counter &- 1)
    }
}
