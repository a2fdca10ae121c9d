import Records
import Sync
import Wire

extension CheckpointUpkeep {
    /// Makes and adopts the checkpoints of a zone, as a round of maintenance does while there are no other writes.
    func settle(_ zone: ZoneID, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        var notice = CommitNotice()
        var round = CheckpointRound()
        while let work = try work(on: zone, in: transaction) {
            let done = try perform(work, in: &transaction)
            notice.merge(done.notice)
            guard round.goesOn(after: done.reply) else { break }
        }
        return notice
    }
}
