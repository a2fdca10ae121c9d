import Sync
import Records
import ReplicaBehaviour
import Sodium
import Wire

/// The invariants of every store, after any operations.
enum Invariants {
    /// Looks for contradictions.
    /// - Throws: `Finding`, or an error of reading.
    static func check(_ transaction: some NodeTransaction) throws {
        guard try transaction.zone(TestZone.id) != nil else { return }
        for row in try transaction.logs(zone: TestZone.id) {
            try checkLog(row, in: transaction)
        }
        try checkFeed(transaction)
        try checkServing(transaction)
    }

    /// Counters without holes, hashes that lead to the signed root, a clock that is not behind.
    private static func checkLog(_ row: LogRow, in transaction: some NodeTransaction) throws {
        var frontier = TreeFrontier()
        let clock = try transaction.clock().latest
        for item in try transaction.items(row.key, from: 0, to: .max) {
            guard item.first == frontier.size else { throw Finding("hole at \(frontier.size) of \(row.key)") }
            switch item.content {
            case .operation(let stored):
                let header = stored.operation.header
                guard header.counter == item.first + 1 else { throw Finding("counter \(header.counter) of \(row.key)") }
                guard Operation.bodyHash(stored.operation.body) == header.bodyHash else {
                    throw Finding("body of \(item.first) of \(row.key)")
                }
                let isOwn = row.key.actor == Step.author.author.actor
                guard !isOwn || header.time <= clock else { throw Finding("the clock is behind \(row.key)") }
                frontier.append(header.leafHash)
            case .gap(let gap):
                guard frontier.append(subtree: gap.hash, level: gap.level) else { throw Finding("gap of \(row.key)") }
            }
        }
        guard frontier == row.frontier, frontier.size == row.size, row.appliedSize <= row.size else {
            throw Finding("edge of \(row.key)")
        }
        for head in try transaction.heads(row.key, above: 0, limit: .max) {
            guard head.signed.hasValidSignature, head.size <= row.size else { throw Finding("head of \(row.key)") }
            let root = try StoredLog(row).root(at: head.size, in: transaction)
            guard root == nil || root == head.signed.head.root else { throw Finding("root of \(row.key)") }
        }
        let newest = try transaction.head(row.key, atOrBelow: row.size)
        guard row.size == 0 || newest?.size == row.size else {
            throw Finding("no head at the end of \(row.key)")
        }
    }

    private static func checkFeed(_ transaction: some NodeTransaction) throws {
        let changes = try transaction.changes(zone: nil, after: 0, limit: 100_000)
        let isAscending = zip(changes, changes.dropFirst()).allSatisfy { $0.position < $1.position }
        let newest = try transaction.newestPosition()
        guard isAscending, Set(changes.map(\.record.tag)).count == changes.count,
            (changes.last?.position ?? 0) == newest
        else { throw Finding("the change feed has a gap or a duplicate") }
        let ofZone = try transaction.changes(zone: TestZone.id, after: 0, limit: 100_000)
        guard ofZone.map(\.position) == changes.map(\.position) else { throw Finding("the feeds differ") }
    }

    /// A fresh replica takes everything, with all its checks, and comes to the same digest.
    private static func checkServing(_ transaction: some NodeTransaction) throws {
        let fresh = try Self.fresh(from: transaction)
        let digest = try ZonePositions(of: TestZone.id).digest(in: transaction)
        guard try ZonePositions(of: TestZone.id).digest(in: fresh) == digest else {
            throw Finding("a fresh replica does not come to the same digest")
        }
    }

    /// A new replica that has taken all it can get.
    static func fresh(from transaction: some ReplicaTransaction) throws -> MemoryReplica {
        var fresh = MemoryReplica()
        try fresh.createTestZone()
        try take(everythingFrom: transaction, into: &fresh)
        return fresh
    }

    /// Lets a replica take all it can get.
    static func take(everythingFrom transaction: some ReplicaTransaction, into fresh: inout MemoryReplica) throws {
        // A log with gaps is accepted once the successors, which may be in a later one, are there.
        for _ in 0..<8 {
            for lane in [Lane.control, .data] {
                for row in try transaction.logs(zone: TestZone.id) where row.key.lane == lane {
                    try take(row.key, from: transaction, into: &fresh)
                }
            }
        }
    }

    private static func take(
        _ key: LogKey,
        from transaction: some ReplicaTransaction,
        into fresh: inout MemoryReplica
    ) throws {
        while let run = try transaction.run(key, from: try fresh.log(key)?.size ?? 0) {
            // Over the wire, as a peer receives it.
            guard case .stored = try fresh.receive(try Run(decoding: run.encoded)) else { return }
        }
    }
}
