import Wire

/// The heads of a lane whose operations are held and not applied yet.
struct WaitingHeads {
    private let logs: ZoneLogs
    private let lane: Lane
    private var waiting: [(row: LogRow, heads: [HeadRow])] = []

    /// Heads of a log that are looked at together; what is behind them has its turn when they are applied.
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
            waiting.append((row, heads))
        }
    }

    /// How much of each waiting log can be applied: the greatest set of heads that asks for nothing outside of it.
    ///
    /// That what was seen is *held* would not be enough. A log's heads become fewer on their way, so an operation that is
    /// asked for may have come under a later head, which itself still waits: the effect would count before its cause.
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
                    // Of a data log what does not count waits for nothing: it is to be listed, and waits again when it counts. What a control
                    // log says above its cut waits as ever, since it would be applied without its causes if the cut were raised.
                    let isReady =
                        (lane == .data && end >= logs.recordLimit(row))
                        || logs.isReady(head.signed.head.seen, lane) { sizes[$0.key] ?? $0.appliedSize }
                    // A later head may ask for less, if its author is dishonest: then it decides, as it does for a replica
                    // that got the operations under it alone.
                    if isReady { end = head.size }
                }
                guard end < reach else { continue }
                sizes[row.key] = end
                isClosed = false
            }
        }
        return sizes
    }
}
