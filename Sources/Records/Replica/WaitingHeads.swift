import Wire

/// The heads of a lane whose operations are held and not applied yet.
struct WaitingHeads {
    private let logs: ZoneLogs
    private let lane: Lane
    private var waiting: [(row: LogRow, heads: [HeadRow])] = []

    /// The number of heads of a log that are evaluated together; later heads have their turn when these are applied.
    private static let pageCount = 256

    init(_ logs: ZoneLogs, _ lane: Lane, in transaction: some ReplicaTransaction) throws {
        self.logs = logs
        self.lane = lane
        for row in logs.sorted(lane) where row.appliedSize < row.heldSize {
            let heads = try transaction.heads(row.key, above: row.appliedSize, limit: Self.pageCount)
                .filter { $0.size <= row.heldSize }
            // Operations whose only head lies behind the hole wait until the hole is closed.
            if heads.isEmpty, row.hole != nil { continue }
            guard !heads.isEmpty else { throw ReplicaError.damaged("the newest head of a log is missing") }
            assert(
                zip(heads, heads.dropFirst()).allSatisfy { $0.size < $1.size },
                "a store returns the heads of a log ascending by size"
            )
            waiting.append((row, heads))
        }
    }

    /// The size up to which each waiting log can be applied: the greatest set of heads that requires nothing outside
    /// of it.
    ///
    /// It would not be enough that the operations seen are *held*. Heads of a log may be dropped on the way, so a
    /// required operation may have come under a later head, which itself still waits: the effect would become
    /// effective before its cause.
    func reach() -> [LogKey: UInt64] {
        var sizes: [LogKey: UInt64] = [:]
        for (row, heads) in waiting { sizes[row.key] = heads.last?.size }
        var isClosed = false
        while !isClosed {
            isClosed = true
            for (row, heads) in waiting {
                guard let reach = sizes[row.key], reach > row.appliedSize else { continue }
                var end = row.appliedSize
                for head in heads where head.size <= reach {
                    // The ineffective part of a data log waits for nothing: it is to be listed, and waits again when
                    // it becomes effective. The part of a control log above its cut waits as before, since it would
                    // be applied without its causes if the cut were raised.
                    let isReady =
                        (lane == .data && end >= logs.recordLimit(row))
                        || logs.isReady(head.signed.head.seen, lane) { sizes[$0.key] ?? $0.appliedSize }
                    // A later head may ask for less, if its author is dishonest: then it decides, as it does for a replica
                    // that got the operations under it alone.
                    if isReady { end = head.size }
                }
                guard end < reach else { continue }
                assert(end >= row.appliedSize, "no applied operation waits again")
                sizes[row.key] = end
                isClosed = false
            }
        }
        return sizes
    }
}
