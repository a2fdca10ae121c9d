import Records
package import Wire

/// The upkeep of a zone: the work that falls due without a message or a write.
package struct ZoneUpkeep: Sendable {
    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// Does the due work of a zone, every minute.
    ///
    /// It restates operations behind forks, renews keys, confirms statements of others, restates the
    /// adopted checkpoint where no active device states it, and completes a transfer.
    ///
    /// Due work on checkpoints is found in snapshots, by ``CheckpointUpkeep/work(on:in:)``.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when nothing was due.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func maintain(_ zone: ZoneID, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        var notice = try ForkRestatement(committer).restate(zone, in: &transaction)
        notice.merge(try EpochKeys(committer).renewIfDue(zone, in: &transaction))
        notice.merge(try OwedStatements(committer).makeIfOverdue(zone, in: &transaction))
        notice.merge(try CheckpointUpkeep(committer).sayAgain(zone, in: &transaction))
        notice.merge(try ZoneTransfers(committer).completeIfDue(zone, in: &transaction))
        return notice
    }
}
