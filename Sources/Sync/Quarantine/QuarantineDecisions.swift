import Records
package import Wire

/// Quarantined operations, which are not effective, and people's decisions about them.
package struct QuarantineDecisions: Sendable {
    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// Restates a quarantined operation under this store's name.
    /// - Parameters:
    ///   - dot: The operation.
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: Whether it was written; false when it had been adopted before.
    /// - Throws: `QuarantineRefusal`, `ReplicaError`, ``CommitError``, or an error of the store.
    package func adopt(
        _ dot: Dot,
        zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> Changed<Bool> {
        try committer.tracking(zone, in: &transaction) { transaction in
            var opened: [RecordRow] = []
            let author = try EpochKeys(committer).prepareAuthor(in: zone, noting: &opened, &transaction)
            let adopted = try committer.localWrites(in: zone, by: author).adopt(dot, in: &transaction)
            let number = try adopted.number ?? (opened.isEmpty ? nil : transaction.nextCommitNumber())
            var notice = CommitNotice(number: number, feed: FeedGrowth(opened + adopted.changed))
            notice.quarantines = [zone]
            return Changed(adopted.number != nil, notice: notice)
        }
    }

    /// Drops a quarantined operation.
    /// - Parameters:
    ///   - dot: The operation.
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The notice.
    /// - Throws: `QuarantineRefusal`, `ReplicaError`, or an error of the store.
    package func purge(
        _ dot: Dot,
        zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        var notice = CommitNotice(
            number: try Quarantine(of: zone).purge(dot, device: committer.device, in: &transaction)
        )
        notice.quarantines = [zone]
        // Of two histories a checkpoint may cover quarantined operations.
        try ZoneTurns(of: zone).note(in: &transaction)
        return notice
    }

    /// Whether a zone has operations that wait for a person to adopt or purge them.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: True when there is one.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func hasEntries(_ zone: ZoneID, in transaction: some NodeTransaction) throws -> Bool {
        try Quarantine(of: zone).hasEntries(except: committer.device, in: transaction)
    }
}
