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
        let waiting = try logs.sorted(.data).filter { row in
            guard row.isForked, row.size > logs.recordLimit(row) else { return false }
            return try !StoredLog(row).isRestated(behind: logs.recordLimit(row), in: transaction)
        }
        if !waiting.isEmpty {
            var writer = RestatementWriter(
                author: author,
                log: try OwnLog(author, .data, logs: logs, in: transaction),
                logs: logs,
                clock: try transaction.clock(),
                wallMilliseconds: wallMilliseconds
            )
            for row in waiting { try writer.restate(row, in: transaction) }
            restatement = try writer.finish(sign: sign, in: &transaction)
        }
        if !restatement.hasMore {
            try restateControl(logs, restatement: &restatement, in: &transaction)
        }
        return restatement
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
