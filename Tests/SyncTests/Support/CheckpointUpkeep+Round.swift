import Records
import Sync
import Wire

/// The result of a round of maintenance on the checkpoints of a zone.
struct SettledCheckpoints {
    /// The changes.
    var notice = CommitNotice()
    /// The checkpoint that was made last.
    var checkpoint: Checkpoint?
}

extension CheckpointUpkeep {
    /// Makes and adopts the checkpoints of a zone, as a round of maintenance does while there are no other writes.
    func settle(_ zone: ZoneID, in transaction: inout some NodeTransaction) throws -> SettledCheckpoints {
        var settled = SettledCheckpoints()
        var round = CheckpointRound()
        while let work = try work(on: zone, in: transaction) {
            let done = try perform(work, in: &transaction)
            settled.notice.merge(done.notice)
            settled.checkpoint = done.reply.checkpoint ?? settled.checkpoint
            guard round.goesOn(after: done.reply) else { break }
        }
        return settled
    }
}
