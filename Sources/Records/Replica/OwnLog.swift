import Sodium
import Wire

/// The local author's log while a transaction appends to it.
///
/// Collects operations and signs them in as few heads as the limits of a run allow, never in the middle of a batch.
struct OwnLog {
    private(set) var row: LogRow
    private(set) var heads: [SignedTreeHead] = []
    /// Everything that was added, where it is little and under one head.
    private(set) var tail: LogTail?
    private let author: Author
    /// The version vector that the heads claim to have seen; never less than that of the previous head or of the
    /// operations.
    private var seen: VersionVector
    /// The head that the log ends with.
    private let last: SignedTreeHead?
    private var frontier: TreeFrontier
    private var segments: [Segment] = []
    private var open = Segment()

    /// Operations under one head.
    private struct Segment {
        var operations: [(operation: Operation, isTombstone: Bool)] = []
        var byteCount: UInt64 = 0
        var frontier = TreeFrontier()
        var seen = VersionVector()
    }

    /// Opens the author's log, which must be one that may continue, or begin.
    /// - Throws: `.ownLogClosed`; `.tooManyActors`.
    init(
        _ author: Author,
        _ lane: Lane,
        logs: ZoneLogs,
        in transaction: some ReplicaTransaction
    ) throws {
        let key = LogKey(zone: logs.zone.id, actor: author.actor, lane: lane)
        let row = logs[key] ?? author.emptyLog(key)
        // A log that became surplus ends at zero; one of another incarnation of the device has no room either.
        if row.size == 0 || row.cut?.size == 0 && !row.isForked {
            let room = LaneRoom(logs.rows, lane)
            guard room.refusal(toBeginOwn: row, as: author.role) == nil else { throw ReplicaError.tooManyActors(key) }
        }
        guard !row.isForked, row.cut == nil, row.appliedSize == row.size, row.device == author.device else {
            throw ReplicaError.ownLogClosed(key)
        }
        self.row = row
        self.author = author
        frontier = row.frontier
        seen = logs.seen(lane, except: author.actor)
        last = row.size > 0 ? try transaction.head(key, atOrBelow: row.size)?.signed : nil
        if let last { seen.merge(last.head.seen) }
        assert(seen[author.actor] == 0, "no log names itself: its size says how much of it its author has seen")
    }

    /// The dot of the next operation, with `count` more between.
    func dot(after count: Int = 0) -> Dot {
        Dot(actor: author.actor, counter: frontier.size &+ UInt64(open.operations.count &+ count) &+ 1)
    }

    /// Whether the log's next head may name the operations that an operation had seen, in addition to those it
    /// already names.
    /// - Parameter vector: The operation's vector.
    /// - Returns: False when the next head would name too many logs.
    func mayName(_ vector: VersionVector) -> Bool {
        guard vector.count + seen.count > Limits.actorCountMax else { return true }
        var named = seen
        named.merge(vector)
        named[author.actor] = 0
        return named.count <= Limits.actorCountMax
    }

    /// Adds the operations of one batch; they stay under one head.
    /// - Throws: `.unreadable` for an operation that no reader would take, `.tooManyActors`; nothing was added then.
    mutating func add(_ batch: [(operation: Operation, isTombstone: Bool)]) throws {
        for (operation, _) in batch {
            do throws(WireError) {
                _ = try operation.header.checkedEncoding()
                guard operation.body.count <= Limits.bodyByteCountMax else {
                    throw WireError.tooLong(limit: Limits.bodyByteCountMax)
                }
            } catch {
                throw ReplicaError.unreadable(row.key, error)
            }
            guard mayName(operation.header.vector) else { throw ReplicaError.tooManyActors(row.key) }
        }
        assert(
            batch.enumerated().allSatisfy { $1.operation.header.counter == dot(after: $0).counter },
            "the operations of a batch have the next numbers of the log"
        )
        let byteCount = batch.reduce(0) { $0 &+ $1.operation.byteCount }
        let count = open.operations.count + batch.count
        if !open.operations.isEmpty,
            count > Int(Limits.batchOperationCountMax) || open.byteCount &+ byteCount > ReplicaLimits.commitByteCountMax
        {
            close()
        }
        open.operations += batch
        open.byteCount &+= byteCount
        for (operation, _) in batch {
            seen.merge(operation.header.vector)
        }
    }

    private mutating func close() {
        guard !open.operations.isEmpty else { return }
        for (operation, _) in open.operations {
            frontier.append(operation.header.leafHash)
        }
        assert(
            open.operations.last?.operation.header.counter == frontier.size,
            "a head ends at the last of its operations"
        )
        assert(open.operations.last?.operation.header.batch.isLast ?? false, "no head ends in the middle of a batch")
        var segment = open
        segment.frontier = frontier
        segment.seen = seen
        // The log's own size states which of its own operations it has seen.
        segment.seen[author.actor] = 0
        segments.append(segment)
        open = Segment()
    }

    /// Signs the heads and stores everything.
    /// - Parameters:
    ///   - state: The final state of each operation.
    ///   - sign: Signs the bytes of a tree head.
    ///   - transaction: The store.
    /// - Throws: `.damaged` when the log's last head is not the signed one; errors of `sign` and of the store.
    mutating func finish(
        state: (Dot) -> OperationState,
        sign: (_ headBytes: [UInt8]) throws -> Signature64,
        in transaction: inout some ReplicaTransaction
    ) throws {
        close()
        if let last, !segments.isEmpty {
            // The seen vector goes into the next head: a flipped bit would be signed, and no peer could ever apply
            // the log. Signing is deterministic (RFC 8032, 5.1.6), and takes half the time of a verification.
            guard last.head.size == row.size, last.head.root == row.frontier.root,
                try sign(last.head.encoded) == last.signature
            else { throw ReplicaError.damaged("the last head of \(row.key) is not the signed one") }
        }
        let isUnderOneHead = segments.count == 1
        for segment in segments {
            let head = TreeHead(
                zone: row.key.zone,
                device: author.device,
                incarnation: author.incarnation,
                lane: row.key.lane,
                size: segment.frontier.size,
                root: segment.frontier.root,
                right: author.right,
                seen: segment.seen
            )
            let headBytes: [UInt8]
            do throws(WireError) {
                headBytes = try head.checkedEncoding()
            } catch {
                throw ReplicaError.unreadable(row.key, error)
            }
            let signed = SignedTreeHead(head, signature: try sign(headBytes))
            let items = segment.operations.map { operation, isTombstone in
                let dot = Dot(actor: author.actor, counter: operation.header.counter)
                return StoredItem(
                    first: operation.header.counter &- 1,
                    content: .operation(
                        StoredOperation(
                            actor: author.actor,
                            operation: operation,
                            state: state(dot),
                            isTombstone: isTombstone
                        )
                    )
                )
            }
            row = try StoredLog(row).append(
                items,
                under: signed,
                frontier: segment.frontier,
                byteCount: segment.byteCount,
                isApplied: true,
                in: &transaction
            )
            heads.append(signed)
            if isUnderOneHead, items.count <= LogTail.operationCountMax, let first = items.first?.first {
                let run = Run(of: items, from: first, under: signed, checkpoint: .zero)
                tail = LogTail(run, of: row.key, byteCount: segment.byteCount)
            }
        }
        segments = []
        assert(row.frontier == frontier, "the log ends with all operations that were added")
        try transaction.save(row)
    }
}
