package import Wire

extension Replica {
    /// Commits one control operation: a genesis, a checkpoint, the end of the zone.
    ///
    /// It takes effect here at once; a checkpoint is adopted with ``adoptCheckpoint(zone:in:)``.
    /// - Parameters:
    ///   - body: The operation's content.
    ///   - zone: The zone.
    ///   - author: The local author.
    ///   - wallMilliseconds: The wall clock, milliseconds since 1970.
    ///   - isBounded: Whether the log's bound is kept (``ControlBudget``); false for a dishonest author.
    ///   - sign: Signs the bytes of a tree head with the device's key for the purpose of tree heads.
    ///   - transaction: The store.
    /// - Returns: The signed head, and the operation's hash.
    /// - Throws: `.unknownZone`, `.ownLogClosed`, `.tooManyActors`, `.controlLogFull`; `.unreadable` for an operation
    ///   that no reader would take.
    @discardableResult
    package static func commitControl(
        _ body: ControlBody,
        zone: ZoneID,
        author: Author,
        wallMilliseconds: UInt64,
        isBounded: Bool = true,
        sign: (_ headBytes: [UInt8]) throws -> Signature64,
        in transaction: inout some ReplicaTransaction
    ) throws -> (head: SignedTreeHead?, hash: Hash) {
        var zone = try knownZone(zone, in: transaction)
        let logs = try ZoneLogs(zone: zone, in: transaction)
        var log = try OwnLog(author, .control, logs: logs, in: transaction)
        var clock = try transaction.clock()
        let dot = log.dot()
        var vector = logs.seen(.control, except: author.actor)
        vector.merge(dot)
        let bytes: [UInt8]
        do throws(WireError) {
            bytes = try body.checkedEncoding()
        } catch {
            throw ReplicaError.unreadable(log.row.key, error)
        }
        let header = OperationHeader(
            counter: dot.counter,
            tag: .zero,
            vector: vector,
            creation: dot,
            controlHeads: logs.controlHeads,
            epoch: .zero,
            time: clock.tick(wallMilliseconds: wallMilliseconds),
            batch: .single,
            bodyHash: Operation.bodyHash(bytes)
        )
        let operation = Operation(header: header, body: bytes)
        let budget = ControlBudget(of: author.role, within: transaction.controlBounds)
        guard !isBounded || budget.admits(body, byteCount: operation.byteCount, behind: log.row) else {
            throw ReplicaError.controlLogFull(log.row.key)
        }
        try log.add([(operation, false)])
        try log.finish(state: { _ in .live }, sign: sign, in: &transaction)
        if author.role == .owner {
            zone.apply(body, stands: true)
            try transaction.save(zone)
        }
        try transaction.save(clock)
        _ = try transaction.nextCommitNumber()
        return (log.heads.last, header.leafHash)
    }

    /// The place of the local author's next operation.
    /// - Parameters:
    ///   - lane: The lane.
    ///   - zone: The zone.
    ///   - author: The local author.
    ///   - transaction: The store.
    /// - Returns: Its dot.
    /// - Throws: `.unknownZone`, `.ownLogClosed`.
    package static func nextPlace(
        _ lane: Lane,
        zone: ZoneID,
        author: Author,
        in transaction: some ReplicaTransaction
    ) throws -> Dot {
        let logs = try ZoneLogs(zone: try knownZone(zone, in: transaction), in: transaction)
        return try OwnLog(author, lane, logs: logs, in: transaction).dot()
    }
}
