package import Wire

extension LocalWrites {
    /// Commits one control operation of any kind.
    ///
    /// Of its effects only those on the zone's row are applied here, at once: the end of the zone, a checkpoint that waits.
    /// Its effects on rights follow when the zone's control log is resolved. A checkpoint is adopted with ``Checkpoints/adopt(in:)``.
    /// - Parameters:
    ///   - body: The operation's content.
    ///   - isBounded: Whether the log's bound is kept (``ControlBudget``); false for a dishonest author.
    ///   - transaction: The store.
    /// - Returns: The signed head, and the operation's hash.
    /// - Throws: `.unknownZone`, `.ownLogClosed`, `.tooManyActors`, `.controlLogFull`; `.unreadable` for an operation
    ///   that no reader would take.
    @discardableResult
    package func commitControl(
        _ body: ControlBody,
        isBounded: Bool = true,
        in transaction: inout some ReplicaTransaction
    ) throws -> (head: SignedTreeHead?, hash: Hash) {
        var zone = try transaction.knownZone(self.zone)
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
            zone.apply(body, stands: true, standing: try logs.standingCheckpoints(for: body, in: transaction))
            try transaction.save(zone)
        }
        try transaction.save(clock)
        _ = try transaction.nextCommitNumber()
        return (log.heads.last, header.leafHash)
    }
}
