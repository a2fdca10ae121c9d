import Wire

extension LocalWrites {
    /// Restates quarantined operations of forked logs as operations of the local author.
    ///
    /// No write is lost because its author's log has two histories: a replica that holds operations behind a fork
    /// restates, for each record, the content that no later operation of the same history superseded. The new
    /// operation equals a write on top of both the record's live operations and the one behind the fork: all
    /// surviving values stay, with the dots and clocks they had. An operation that another one has taken in already,
    /// here or elsewhere, is not restated, so holders of one history do not repeat one another, and values that were
    /// superseded later do not come back.
    ///
    /// The author's own log must not be a forked one.
    /// - Parameter transaction: The store.
    /// - Returns: The restatement; call again while it has more.
    /// - Throws: `.unknownZone`, `.ownLogClosed`.
    /// - Complexity: O(operations restated and of their records), bounded; O(forked logs) when there is nothing to do.
    package func restateForked(in transaction: inout some ReplicaTransaction) throws -> Restatement {
        let row = try transaction.knownZone(zone)
        let logs = try ZoneLogs(zone: row, in: transaction)
        guard row.state == .live, logs.rows.contains(where: \.isForked) else { return Restatement() }
        var restatement = Restatement()
        var finished: [LogRow] = []
        let waiting = try logs.sorted(.data).filter { row in
            guard row.isForked, row.size > logs.recordLimit(row) else { return false }
            if try !isRestated(row, logs, in: transaction) { return true }
            finished.append(row)
            return false
        }
        if !waiting.isEmpty {
            var writer = RestatementWriter(
                author: author,
                log: try OwnLog(author, .data, logs: logs, in: transaction),
                logs: logs,
                clock: try transaction.clock(),
                wallMilliseconds: wallMilliseconds
            )
            for row in waiting where try writer.restate(row, in: transaction) {
                finished.append(row)
            }
            restatement = try writer.finish(sign: sign, in: &transaction)
        }
        try resume(finished, logs: logs, restatement: &restatement, in: &transaction)
        if !restatement.hasMore {
            try restateControl(logs, restatement: &restatement, in: &transaction)
        }
        return restatement
    }

    /// Whether everything behind the fork is dealt with: it is in the order of the log.
    private func isRestated(
        _ row: LogRow,
        _ logs: ZoneLogs,
        in transaction: some ReplicaTransaction
    ) throws -> Bool {
        var end = row.size
        while end > logs.recordLimit(row), let last = try transaction.items(row.key, from: end &- 1, to: end).last {
            if case .operation(let stored) = last.content { return stored.state == .restated }
            // A gap that a checkpoint left in the history that it covers has no content to restate.
            end = last.first
        }
        return true
    }

    /// Truncates logs to their fork points if a checkpoint covers another history of them than the one held here.
    private func resume(
        _ rows: [LogRow],
        logs: ZoneLogs,
        restatement: inout Restatement,
        in transaction: inout some ReplicaTransaction
    ) throws {
        for row in rows {
            let limit = logs.limit(row)
            let checkpoints = try KnownCheckpoints(logs).covering(row.key, in: transaction)
            guard let covered = checkpoints.map({ $0.size(row.key.actorLane) }).max(), covered > limit,
                let frontier = try StoredLog(row).frontier(at: limit, in: transaction)
            else { continue }
            try StoredLog(row).rollBack(to: frontier, in: &transaction)
            var zone = try transaction.knownZone(logs.zone.id)
            zone.watermark.merge(Dot(actor: row.key.actor, counter: covered))
            try transaction.save(zone)
            let after = try ZoneLogs(zone: zone, in: transaction)
            restatement.changed += try LimitChange(from: logs, to: after).recount(in: &transaction).changed
            restatement.takenBack.append(row.key)
            if restatement.number == nil { restatement.number = try transaction.nextCommitNumber() }
        }
    }

    // MARK: The control lane

    /// Restates the device's own operations behind a fork of its control log.
    ///
    /// Checkpoints are made again when they are due.
    private func restateControl(
        _ logs: ZoneLogs,
        restatement: inout Restatement,
        in transaction: inout some ReplicaTransaction
    ) throws {
        var void: [ControlBody] = []
        var marks: [StateChange] = []
        for row in logs.sorted(.control) where row.device == author.device && row.right == author.right {
            guard let proof = row.forkProof, row.size > proof.forkPoint else { continue }
            for item in try transaction.items(row.key, from: proof.forkPoint, to: row.size) {
                guard case .operation(let stored) = item.content, stored.state == .quarantined,
                    case .control(_, let body) = try stored.verified(.control)
                else { continue }
                void.append(body)
                marks.append(StateChange(key: row.key, counter: item.first &+ 1, state: .restated))
            }
        }
        guard !void.isEmpty else { return }
        try transaction.setStates(marks)
        var hasGenesis = false
        try logs.forEachControl(in: transaction) { if case .genesis = $0 { hasGenesis = true } }
        for body in void where body.isRestated(hasGenesis: hasGenesis) {
            let (head, _) = try commitControl(body, in: &transaction)
            if let head { restatement.heads.append(head) }
            if restatement.number == nil { restatement.number = try transaction.nextCommitNumber() }
        }
    }
}

extension ControlBody {
    /// Whether it is restated after a fork: checkpoints are made again, and unknown kinds cannot be judged.
    fileprivate func isRestated(hasGenesis: Bool) -> Bool {
        switch self {
        case .genesis: !hasGenesis
        // An account that has left and was admitted again would leave again.
        case .checkpoint, .leave, .keyRequest, .unknown: false
        // They would outrank a later withdrawal, or a later refusal.
        case .transferOffer, .transferAnswer: false
        case .zoneDeletion, .grant, .revoke, .transfer, .raiseCut, .publicAccess, .schema, .epoch, .delivery,
            .epochAgain, .deviceCuts:
            true
        }
    }
}
