import Identity
package import Records
package import Wire

/// The intake of the live sets that peers state under checkpoints.
package struct LiveSetIntake: Sendable {
    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// Takes in a page of a peer's live set under a checkpoint.
    ///
    /// With the last page, records that are live here and not in the list are removed, and the checkpoint may be
    /// adopted: in a small zone it is adopted at once.
    ///
    /// A list from the checkpoint's author is not accepted while another device could send it: a device that has adopted
    /// a checkpoint has computed its live set, and the author need not have.
    /// - Parameters:
    ///   - page: The page.
    ///   - comparison: The result of the pages before.
    ///   - transaction: The store.
    /// - Returns: The outcome of the page.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func take(
        _ page: LiveSetPage,
        comparison: LiveSetComparison,
        in transaction: inout some NodeTransaction
    ) throws -> Changed<LiveSetOutcome> {
        guard let comparison = try comparison.compared(with: page, in: transaction),
            try isBelieved(comparison, in: transaction)
        else { return Changed(.unusable) }
        guard comparison.isWhole else { return Changed(.partial(comparison)) }
        return try committer.tracking(page.zone, in: &transaction) { transaction in
            guard let gone = try comparison.pruneAbsent(in: &transaction) else { return Changed(.unusable) }
            try ZoneTurns(of: page.zone).note(in: &transaction)
            let hasChanges = try CheckpointUpkeep(committer).adoptSoon(page.zone, in: &transaction)
            let notice = CommitNotice(
                number: try transaction.nextCommitNumber(),
                feed: hasChanges ? .anything : FeedGrowth(gone.changed)
            )
            return Changed(.settled(comparison, goneCount: gone.count), notice: notice)
        }
    }

    /// Whether two devices have computed the live set, or no other device is there that could have.
    private func isBelieved(_ comparison: LiveSetComparison, in transaction: some NodeTransaction) throws -> Bool {
        let (zone, teller) = (comparison.zone, comparison.teller)
        if try Checkpoints(of: zone).isSaid(comparison.checkpoint, byOtherThan: teller, in: transaction) { return true }
        guard let row = try transaction.zone(zone) else { return false }
        let now = committer.soberMilliseconds
        let met = Set(
            try transaction.peers().filter { now <= $0.lastSeenMilliseconds &+ DeviceTimes.lapseMilliseconds }.map(
                \.device
            )
        )
        return try ZoneViews(committer).members(of: row, in: transaction).allSatisfy {
            $0 == committer.device || $0 == teller || !met.contains($0)
        }
    }
}
