import Records
package import Wire

/// The treatment of a log with two histories, and of the operations behind the place of the fork.
package struct ForkRestatement: Sendable {
    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// Reacts to a fork of a log: this store writes under another incarnation if the log is its own, and restates the
    /// operations that it holds behind the fork.
    func forked(
        _ key: LogKey,
        _ head: TreeHead,
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        var notice = CommitNotice(number: try transaction.nextCommitNumber(), feed: .anything)
        notice.forks.append(head)
        notice.anomalies.append(
            Anomaly(.forkedLog, author: head.device, zone: head.zone, detail: "two histories of one log are signed")
        )
        if head.device == committer.device {
            notice.renewed = try RollbackRecovery(committer).renewedIncarnation(
                if: head.incarnation,
                random: &random,
                in: &transaction
            )
        }
        if key.lane == .control { _ = try LogRulings(committer).rule(key.zone, in: &transaction) }
        _ = try restated(key.zone, in: &transaction)
        return notice
    }

    /// Restates operations that this store holds behind the forks of a zone's logs, up to the bound of one
    /// transaction.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when there was nothing, else it may be called again at once.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func restate(_ zone: ZoneID, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        guard try transaction.logs(zone: zone).contains(where: \.isForked) else { return CommitNotice() }
        return try committer.tracking(zone, in: &transaction) { transaction in
            guard let restatement = try restated(zone, in: &transaction) else { return CommitNotice() }
            let ruled = restatement.heads.isEmpty ? nil : try LogRulings(committer).rule(zone, in: &transaction)
            return CommitNotice(
                number: restatement.number,
                feed: FeedGrowth(restatement.changed + (ruled?.changed ?? []))
            )
        }
    }

    /// - Returns: `nil` while this store cannot append to its own log, or may not write here.
    private func restated(_ zone: ZoneID, in transaction: inout some NodeTransaction) throws -> Restatement? {
        guard committer.mayWrite, let row = try transaction.zone(zone), row.role.mayRestate else { return nil }
        let author = try committer.author(in: zone, transaction)
        for lane in Lane.allCases {
            let own = try transaction.log(LogKey(zone: zone, actor: author.actor, lane: lane))
            if let own, own.isForked || own.cut != nil || own.appliedSize < own.size { return nil }
        }
        var opened: [RecordRow] = []
        var restatement = Restatement()
        do {
            let sealing = try EpochKeys(committer).prepareAuthor(in: zone, noting: &opened, &transaction)
            restatement = try committer.localWrites(in: zone, by: sealing).restateForked(in: &transaction)
        } catch CommitError.noKey {
            // It waits, as it does for operations that its authors had seen.
            guard !opened.isEmpty else { return nil }
        }
        if !opened.isEmpty, restatement.number == nil { restatement.number = try transaction.nextCommitNumber() }
        restatement.changed = opened + restatement.changed
        return restatement
    }
}

extension LogRole {
    /// Whether this role's right allows restating operations of others: a device that may not write all of them
    /// leaves it to those that may.
    fileprivate var mayRestate: Bool {
        switch self {
        case .owner: true
        case .participant(let scope):
            scope.level >= .write && scope.caveats.recordTypes.isEmpty && scope.caveats.namePrefix.isEmpty
        case .unknown, .ended: false
        }
    }
}
