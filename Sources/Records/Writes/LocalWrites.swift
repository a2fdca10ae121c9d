import Sodium
package import Wire

/// Writes operations of the local author to its own logs of a zone.
package struct LocalWrites {
    let zone: ZoneID
    let author: Author
    let wallMilliseconds: UInt64
    let sign: (_ headBytes: [UInt8]) throws -> Signature64

    /// Prepares to write.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - author: The local author.
    ///   - wallMilliseconds: The wall clock, milliseconds since 1970.
    ///   - sign: Signs the bytes of a tree head with the device's key for the purpose of tree heads.
    package init(
        zone: ZoneID,
        author: Author,
        wallMilliseconds: UInt64,
        sign: @escaping (_ headBytes: [UInt8]) throws -> Signature64
    ) {
        self.zone = zone
        self.author = author
        self.wallMilliseconds = wallMilliseconds
        self.sign = sign
    }

    /// Writes records: makes the operations, signs one head (or as few as the limits allow) over them, and updates the
    /// visible records, all in one transaction.
    ///
    /// A refused write changes nothing and uses no counter; the others stand, unless it belongs to an atomic request.
    /// - Parameters:
    ///   - requests: The callers' requests, in order; each sees the effects of those before.
    ///   - guest: The guest on whose behalf the author writes, if any; writes that the guest has no right to are
    ///     refused.
    ///   - transaction: The store.
    /// - Returns: A result for each write.
    /// - Throws: `.unknownZone`, `.zoneClosed`, `.ownLogClosed`.
    /// - Complexity: O(writes), one signature a head.
    package func commit(
        _ requests: [WriteRequest],
        guest: GuestAuthor? = nil,
        in transaction: inout some ReplicaTransaction
    ) throws -> Commit {
        let zone = try transaction.knownZone(self.zone)
        guard zone.state == .live else { throw ReplicaError.zoneClosed(zone.id) }
        let logs = try ZoneLogs(zone: zone, in: transaction)
        var writer = CommitWriter(
            author: author,
            guest: guest,
            log: try OwnLog(author, .data, logs: logs, in: transaction),
            logs: logs,
            workspace: RecordWorkspace(logs),
            clock: try transaction.clock(),
            wallMilliseconds: wallMilliseconds,
            controlHeads: logs.promotionSeen
        )
        let tagKey = try zone.recordTagKey()
        let tags = requests.lazy.flatMap(\.writes).map { RecordTag(name: $0.name, key: tagKey) }
        let allTags = Array(tags)
        try writer.workspace.load(allTags, in: transaction)
        var remaining = allTags[...]
        var results: [[Result<RecordRow, WriteRefusal>]] = []
        for request in requests {
            let own = Array(remaining.prefix(request.writes.count))
            remaining = remaining.dropFirst(request.writes.count)
            results.append(try writer.perform(request, tags: own, in: transaction))
        }
        assert(zip(results, requests).allSatisfy { $0.count == $1.writes.count }, "each write has a result")
        return try writer.finish(results, sign: sign, in: &transaction)
    }

    /// Commits one request; as ``commit(_:guest:in:)``.
    package func commit(
        writes: [RecordWrite],
        isAtomic: Bool = true,
        in transaction: inout some ReplicaTransaction
    ) throws -> Commit {
        try commit([WriteRequest(writes, isAtomic: isAtomic)], in: &transaction)
    }
}

/// One commit under construction.
private struct CommitWriter {
    let author: Author
    let guest: GuestAuthor?
    var log: OwnLog
    var workspace: RecordWorkspace
    var clock: HybridClock
    let wallMilliseconds: UInt64
    let controlHeads: Hash
    private let logs: ZoneLogs
    private var hasWritten = false

    init(
        author: Author,
        guest: GuestAuthor?,
        log: OwnLog,
        logs: ZoneLogs,
        workspace: RecordWorkspace,
        clock: HybridClock,
        wallMilliseconds: UInt64,
        controlHeads: Hash
    ) {
        self.author = author
        self.guest = guest
        self.log = log
        self.logs = logs
        self.workspace = workspace
        self.clock = clock
        self.wallMilliseconds = wallMilliseconds
        self.controlHeads = controlHeads
    }

    /// Performs one request, or none of it when it is atomic and a write is refused.
    mutating func perform(
        _ request: WriteRequest,
        tags: [RecordTag],
        in transaction: some ReplicaTransaction
    ) throws -> [Result<RecordRow, WriteRefusal>] {
        guard request.isAtomic, request.writes.count > 1 else {
            return try zip(request.writes, tags).map { write, tag in
                do {
                    return .success(try performBatch([(write, tag)], in: transaction)[0])
                } catch let refusal as RefusedWrite {
                    return .failure(refusal.reason)
                }
            }
        }
        guard request.writes.count <= Int(Limits.batchOperationCountMax) else {
            return request.writes.map { _ in .failure(.batchTooLarge) }
        }
        // A refused batch leaves no trace: neither in the records nor in the clock.
        let before = self
        do {
            return try performBatch(Array(zip(request.writes, tags)), in: transaction).map { .success($0) }
        } catch let refusal as RefusedWrite {
            self = before
            return request.writes.indices.map {
                .failure($0 == refusal.index ? refusal.reason : .batchRefused(index: refusal.index))
            }
        }
    }

    /// Performs one batch, with the deletions that follow from its own.
    private mutating func performBatch(
        _ writes: [(RecordWrite, RecordTag)],
        in transaction: some ReplicaTransaction
    ) throws -> [RecordRow] {
        guard writes.contains(where: \.0.deletesAnchored) else { return try makeBatch(writes, in: transaction) }
        // The records that one deletion deletes along are known before it is made. After several writes they depend
        // on all of them; but each operation states how many operations its batch has, so all are then made a second
        // time.
        let before = writes.count > 1 ? self : nil
        let rows = before == nil ? [] : try makeBatch(writes, in: transaction)
        let followers = try followers(of: writes, in: transaction)
        if let before {
            if followers.isEmpty { return rows }
            self = before
            try workspace.load(followers.map(\.tag), in: transaction)
        }
        let unmade = followers.isEmpty ? nil : self
        do {
            let all = writes + followers.map { (RecordWrite(name: $0.name, delete: true), $0.tag) }
            return Array(try makeBatch(all, in: transaction).prefix(writes.count))
        } catch let refusal as RefusedWrite {
            if let unmade { self = unmade }
            guard refusal.index >= writes.count else { throw refusal }
            let follower = followers[refusal.index - writes.count]
            let reason = refusal.reason == .notAllowed ? .followerNotAllowed(follower.name) : refusal.reason
            throw RefusedWrite(index: follower.cause, reason: reason)
        }
    }

    /// The records that are deleted with those that a batch deletes, and with one another.
    ///
    /// - Parameters:
    ///   - writes: The batch; either it has been made, or it is one deletion.
    ///   - transaction: The store.
    /// - Returns: Each once, in an order that depends on the records alone, with the write that it follows from.
    /// - Throws: `RefusedWrite` when they are more than a batch may have.
    private mutating func followers(
        of writes: [(RecordWrite, RecordTag)],
        in transaction: some ReplicaTransaction
    ) throws -> [Follower] {
        let limit = Int(Limits.batchOperationCountMax) - writes.count
        var causes: [(name: String, index: Int)] = []
        var seen: Set<RecordTag> = []
        for (index, (write, tag)) in writes.enumerated() where write.deletesAnchored {
            // A record that the batch deletes and then makes again does not delete its followers.
            guard writes.count == 1 || workspace.row(tag)?.isDeleted ?? true else { continue }
            causes.append((write.name, index))
            seen.insert(tag)
        }
        var followers: [Follower] = []
        while !causes.isEmpty {
            let cause = causes.removeFirst()
            // One more than there is room for, beside those that were seen.
            let rows = try workspace.anchored(to: cause.name, limit: limit + seen.count + 1, in: transaction)
            for row in rows where seen.insert(row.tag).inserted {
                guard followers.count < limit else {
                    let most = Int(Limits.batchOperationCountMax)
                    throw RefusedWrite(index: cause.index, reason: .tooManyFollowers(limit: most))
                }
                followers.append(Follower(name: row.name, tag: row.tag, cause: cause.index))
                causes.append((row.name, cause.index))
            }
        }
        return followers
    }

    /// Makes and applies the operations of one batch.
    private mutating func makeBatch(
        _ writes: [(RecordWrite, RecordTag)],
        in transaction: some ReplicaTransaction
    ) throws -> [RecordRow] {
        var operations: [(operation: Operation, isTombstone: Bool)] = []
        var byteCount: UInt64 = 0
        var rows: [RecordRow] = []
        for (index, (write, tag)) in writes.enumerated() {
            let place = BatchPlace(index: UInt32(index), count: UInt32(writes.count))
            do {
                let isReadable = try workspace.isReadable(tag, in: transaction)
                guard isReadable || write.replaceUnread else { throw WriteRefusal.notReadable }
                let current = try workspace.merged(tag, in: transaction)
                let seen = (isReadable ? current?.seen : nil) ?? workspace.row(tag)?.context ?? VersionVector()
                let dot = log.dot(after: index)
                var ticked = clock
                let time = ticked.tick(wallMilliseconds: wallMilliseconds)
                let builder = WriteBuilder(
                    write: write,
                    current: current,
                    author: author,
                    guest: guest,
                    dot: dot,
                    time: time
                )
                let (operation, body) = try make(builder, tag: tag, seen: seen, place: place)
                byteCount &+= operation.byteCount
                guard byteCount <= ReplicaLimits.batchByteCountMax else { throw WriteRefusal.batchTooLarge }
                clock = ticked
                workspace.apply(operation, body, actor: author.actor)
                operations.append((operation, body.body.isDeleted))
                if let row = workspace.row(tag) { rows.append(row) }
            } catch let refusal as WriteRefusal {
                throw RefusedWrite(index: index, reason: refusal)
            }
        }
        try log.add(operations)
        hasWritten = true
        return rows
    }

    private func make(
        _ builder: WriteBuilder,
        tag: RecordTag,
        seen: VersionVector,
        place: BatchPlace
    ) throws(WriteRefusal) -> (Operation, OpenedBody) {
        let body = try builder.body()
        let bytes = try WriteBuilder.encode(body)
        var vector = seen
        vector.merge(builder.dot)
        guard vector.count <= Limits.actorCountMax else { throw .tooManyActors }
        guard log.mayName(vector) else { throw .logFull }
        let header = OperationHeader(
            counter: builder.dot.counter,
            tag: tag,
            vector: vector,
            creation: builder.creation,
            controlHeads: controlHeads,
            epoch: .zero,
            time: builder.time,
            batch: place,
            bodyHash: .zero
        )
        guard logs.isWithinRight(header, body, in: log.row) else { throw .notAllowed }
        let violations = logs.violations(header, body, by: builder.dot.actor)
        guard violations.isEmpty else { throw .schemaViolation(violations) }
        let operation = author.operation(header, body: bytes, isTombstone: body.isDeleted)
        assert(operation.header.vector.covers(seen), "a write supersedes all that its author had seen of the record")
        assert(operation.header.epoch.isZero == (author.sealer == nil), "an author with a key seals what it writes")
        return (operation, OpenedBody(body, bytes: bytes))
    }

    /// Signs and stores everything.
    mutating func finish(
        _ results: [[Result<RecordRow, WriteRefusal>]],
        sign: (_ headBytes: [UInt8]) throws -> Signature64,
        in transaction: inout some ReplicaTransaction
    ) throws -> Commit {
        var commit = Commit(results: results, heads: [], changed: [], key: log.row.key, size: log.row.size, number: nil)
        guard hasWritten else { return commit }
        try workspace.mergeAll(in: transaction)
        try transaction.setStates(workspace.changesOfStored(lane: .data))
        try log.finish(state: { workspace.state(of: $0) }, sign: sign, in: &transaction)
        commit.changed = try workspace.save(bySync: false, in: &transaction)
        try transaction.save(clock)
        commit.heads = log.heads
        commit.size = log.row.size
        commit.tail = log.tail
        assert(commit.heads.last?.head.size == commit.size, "every operation of a commit is under a signed head")
        commit.number = try transaction.nextCommitNumber()
        return commit
    }
}

extension RecordWrite {
    /// Whether the records that are anchored to the record are deleted with it.
    fileprivate var deletesAnchored: Bool { delete && !leavesAnchored }
}

/// A record that is deleted because another one is.
private struct Follower {
    var name: String
    var tag: RecordTag
    /// The place of the write that it follows from.
    var cause: Int
}

/// The refused write of a batch, with the reason.
private struct RefusedWrite: Error {
    var index: Int
    var reason: WriteRefusal
}
