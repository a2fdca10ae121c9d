import Capabilities
import Identity
import Records
import Wire

/// The statements that an active device of an account has to make in a zone, because other devices
/// can no longer be asked: those about removed devices, and in place of the owner's devices those
/// about rights that ended.
package struct OwedStatements: Sendable {
    /// The time for which nothing is stated about operations that may still be on their way, and
    /// for which a checkpoint that cannot be verified here holds the next one back.
    package static let waitMilliseconds: UInt64 = 24 * 60 * 60 * 1_000

    /// The outcome for one kind of statement.
    struct Outcome {
        /// Whether the device made a statement.
        var isSomethingSaid = false
        /// Whether the device has to make a statement if no other device makes it for a day.
        var isSomethingLater = false

        /// No statement is due.
        static let nothing = Outcome()
        /// A statement is due later.
        static let later = Outcome(isSomethingLater: true)
    }

    let committer: Committer

    /// Works within one transaction.
    init(_ committer: Committer) {
        self.committer = committer
    }

    /// Makes the statements that an active device has to make, and remembers since when some of
    /// them wait.
    /// - Returns: Whether a statement was made.
    /// - Throws: `ReplicaError`, or an error of the store.
    func make(
        _ row: ZoneRow,
        _ rights: ZoneRights,
        waits: Bool,
        in transaction: inout some NodeTransaction
    ) throws -> Bool {
        let removals = try RemovalStatements(committer).make(row, rights, waits: waits, in: &transaction)
        let confirmations = try RightConfirmations(committer).make(row, rights, waits: waits, in: &transaction)
        var upkeep = try transaction.upkeep(zone: row.id)
        let isWaiting = upkeep.statementsHeldSince != nil
        if (removals.isSomethingLater || confirmations.isSomethingLater) != isWaiting {
            upkeep.statementsHeldSince = isWaiting ? nil : committer.wallMilliseconds
            try transaction.save(upkeep)
        }
        return removals.isSomethingSaid || confirmations.isSomethingSaid
    }

    /// Makes the statements that were delayed because they seemed to be on their way, once that has
    /// been long enough.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when nothing was due.
    /// - Throws: `ReplicaError`, or an error of the store.
    func makeIfOverdue(_ zone: ZoneID, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        guard let since = try transaction.upkeep(zone: zone).statementsHeldSince,
            committer.wallMilliseconds > since &+ Self.waitMilliseconds
        else { return CommitNotice() }
        return try committer.tracking(zone, in: &transaction) { transaction in
            let outcome = try LogRulings(committer).rule(zone, waits: false, in: &transaction)
            return try CommitNotice(outcome, zone: zone, in: &transaction)
        }
    }
}
