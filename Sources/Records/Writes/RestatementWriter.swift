import Sodium
import Wire

/// A commit that restates operations behind forks.
struct RestatementWriter {
    let author: Author
    let logs: ZoneLogs
    let wallMilliseconds: UInt64
    private var log: OwnLog
    private var workspace: RecordWorkspace
    private var clock: HybridClock
    private let forks: ForkPoints
    private let controlHeads: Hash
    private var restatement = Restatement()
    private var isWritten = false
    /// Operations that are dealt with.
    private var marks: [StateChange] = []

    init(author: Author, log: OwnLog, logs: ZoneLogs, clock: HybridClock, wallMilliseconds: UInt64) {
        self.author = author
        self.log = log
        self.logs = logs
        self.clock = clock
        self.wallMilliseconds = wallMilliseconds
        workspace = RecordWorkspace(logs)
        forks = logs.forkPoints
        controlHeads = logs.controlHeads
    }

    /// Restates the operations behind the fork of one log, in its order.
    ///
    /// It ends early where the call's bound is reached, or an operation waits for operations that its author had seen.
    mutating func restate(_ row: LogRow, in transaction: some ReplicaTransaction) throws {
        var from = try begin(row, in: transaction)
        let counters = try counters(row, in: transaction)
        let final = try finalSizes(row, in: transaction)
        while from < row.size {
            let to = min(row.size, from &+ Self.pageRowCount)
            let waiting = try transaction.items(row.key, from: from, to: to).compactMap { item -> StoredOperation? in
                guard case .operation(let stored) = item.content, stored.state != .restated else { return nil }
                return stored
            }
            let newest = try newestCounters(waiting, row, in: transaction)
            for stored in waiting {
                // An operation that was never within its author's right, or lies above the cut of a removed device,
                // is not restated under another author's right: else a removed device would only have to fork its
                // log.
                let mayCount = try stored.dot.counter <= logs.cutLimit(row) && logs.allows(stored, transaction.keyring)
                if newest[stored.operation.header.tag] == stored.dot.counter, mayCount {
                    guard restatement.restatedCount < UInt64(ReplicaLimits.restatedRecordCountMax) else {
                        restatement.hasMore = true
                        return
                    }
                    guard isReady(stored) else { return }
                    try restate(stored, counters, final: final, in: transaction)
                }
                marks.append(StateChange(key: row.key, counter: stored.dot.counter, state: .restated))
            }
            from = to
        }
    }

    /// Few records at once: all that is known of them is read.
    private static let pageRowCount: UInt64 = 128

    private func counters(_ row: LogRow, in transaction: some ReplicaTransaction) throws -> RestatedCounter {
        let size = logs.limit(row)
        let leaf: Hash =
            switch try transaction.items(row.key, from: size, to: size &+ 1).first?.content {
            case .operation(let stored): stored.operation.header.leafHash
            case .gap(let gap): gap.hash
            case nil: .zero
            }
        return RestatedCounter(actor: row.key.actor, size: size, leaf: leaf)
    }

    /// The first leaf that may not be dealt with: those before are, in the log's order.
    private func begin(_ row: LogRow, in transaction: some ReplicaTransaction) throws -> UInt64 {
        var low = logs.recordLimit(row)
        var high = row.size
        while low < high {
            let middle = low &+ (high &- low) / 2
            let item = try transaction.items(row.key, from: middle, to: middle &+ 1).first
            if case .operation(let stored) = item?.content, stored.state == .restated {
                low = middle &+ 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// The sizes of all logs that are final by a checkpoint which covers the history held here.
    ///
    /// Of several such checkpoints, the first that covered that much: its author did not know of the fork and judged
    /// all vectors alike, and some replicas have pruned operations under it. The author of a later one may have known
    /// of the fork.
    private func finalSizes(_ row: LogRow, in transaction: some ReplicaTransaction) throws -> VersionVector {
        let size = logs.limit(row)
        guard size > logs.recordLimit(row) else { return VersionVector() }
        let known = try KnownCheckpoints(logs).covering(row.key, in: transaction)
        return known.filter { $0.size(row.key.actorLane) == size }.map(\.dataSizes)
            .min { $0.totalCount < $1.totalCount } ?? VersionVector()
    }

    /// For each record the last operation of the history held here: it covers all that came before.
    private func newestCounters(
        _ operations: [StoredOperation],
        _ row: LogRow,
        in transaction: some ReplicaTransaction
    ) throws -> [RecordTag: UInt64] {
        let tags = Set(operations.map(\.operation.header.tag)).sorted()
        let all = try transaction.operations(zone: row.key.zone, tags: tags, states: [.quarantined, .restated])
        var newest: [RecordTag: UInt64] = [:]
        for stored in all where stored.actor == row.key.actor {
            newest[stored.operation.header.tag] = max(
                newest[stored.operation.header.tag] ?? 0,
                stored.dot.counter
            )
        }
        return newest
    }

    /// An own operation may claim to have seen only operations that are held here.
    private func isReady(_ stored: StoredOperation) -> Bool {
        logs.isReady(stored.operation.header.vector, .data)
    }

    // MARK: One record

    private mutating func restate(
        _ stored: StoredOperation,
        _ counters: RestatedCounter,
        final: VersionVector,
        in transaction: some ReplicaTransaction
    ) throws {
        let header = stored.operation.header
        try workspace.load([header.tag], in: transaction)
        let live = try workspace.live(header.tag, in: transaction)
        let counting =
            try transaction.operations(
                zone: logs.zone.id,
                tags: [header.tag],
                states: [.live, .superseded]
            ).compactMap { try transaction.sibling($0, zone: logs.zone.id) } + live
        // A device that can read the operation restates it.
        guard var branch = try transaction.sibling(stored, zone: logs.zone.id) else { return }
        branch.body = counters.restated(branch.body, earlier: counters.earlier(in: counting))
        let isFinal = counting.contains { final.covers($0.dot) && $0.vector.covers(branch.dot) }
        if isFinal && final.covers(branch.dot) || isTakenIn(branch, counting) { return }
        let kept = live.filter { !branch.vector.covers($0.dot) }
        guard let merged = Merge.merge(kept + [branch], forks: forks) else { return }
        if kept.count == live.count, let now = Merge.merge(live, forks: forks), now.states(merged) { return }
        var seen = merged.seen
        for sibling in live { seen.merge(sibling.vector) }
        clock.observe(header.time, wallMilliseconds: wallMilliseconds)
        let time = clock.tick(wallMilliseconds: wallMilliseconds)
        restatement.restatedCount &+= 1
        if try write(merged, seen: seen, tag: header.tag, time: time) { return }
        // Too large together. Beside the others the operation stands alone, if that hides nothing of our own.
        if let alone = Merge.merge([branch], forks: forks),
            (workspace.row(header.tag)?.context ?? VersionVector())[author.actor] == 0,
            try write(alone, seen: branch.vector, tag: header.tag, time: time)
        {
            return
        }
        restatement.oversizedCount &+= 1
    }

    /// Whether an operation that is effective, or was until another one superseded it, states everything that this
    /// one does.
    private func isTakenIn(_ branch: Sibling, _ counting: [Sibling]) -> Bool {
        counting.contains { sibling in
            guard sibling.vector.covers(branch.vector),
                let both = Merge.merge([sibling, branch], forks: forks),
                let alone = Merge.merge([sibling], forks: forks)
            else { return false }
            return both.isDeleted == alone.isDeleted && both.fields.count == alone.fields.count
                && zip(both.fields, alone.fields).allSatisfy { $0.hasValues(of: $1) }
        }
    }

    /// Writes a record's state as an operation of the local author.
    /// - Returns: False when it is larger than a record may be.
    private mutating func write(
        _ merged: MergedRecord,
        seen: VersionVector,
        tag: RecordTag,
        time: HybridTime
    ) throws -> Bool {
        let restated = RestatedRecord(merged: merged, seen: seen, tag: tag, controlHeads: controlHeads)
        guard let (operation, body) = restated.operation(log.dot(), time: time, author: author) else { return false }
        workspace.apply(operation, body, actor: author.actor)
        try log.add([(operation, body.body.isDeleted)])
        isWritten = true
        return true
    }

    // MARK: The end

    /// Signs and stores everything.
    mutating func finish(
        sign: (_ headBytes: [UInt8]) throws -> Signature64,
        in transaction: inout some ReplicaTransaction
    ) throws -> Restatement {
        guard !marks.isEmpty else { return restatement }
        try transaction.setStates(marks)
        if isWritten {
            try workspace.mergeAll(in: transaction)
            try transaction.setStates(workspace.changesOfStored(lane: .data))
            try log.finish(state: { workspace.state(of: $0) }, sign: sign, in: &transaction)
            restatement.changed = try workspace.save(bySync: true, in: &transaction)
            restatement.heads = log.heads
            try transaction.save(clock)
        }
        restatement.number = try transaction.nextCommitNumber()
        return restatement
    }
}

extension VersionVector {
    /// All leaves that it names; wraps around only far beyond what a zone can hold.
    fileprivate var totalCount: UInt64 { entries.reduce(0) { $0 &+ $1.counter } }
}

extension MergedField {
    /// Whether both are of one name and have the same values; of merged counters and sets only the value matters.
    fileprivate func hasValues(of other: MergedField) -> Bool {
        guard name.isBytewiseEqual(to: other.name) else { return false }
        return isFolded ? winner.value == other.winner.value : entries == other.entries
    }
}
