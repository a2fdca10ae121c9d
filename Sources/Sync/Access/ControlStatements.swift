import Capabilities
import Identity
import Records
package import Wire

/// This store's statements about a zone: the operations of its own control log.
///
/// A statement is not checked when it is made: whether its author may state it, and whether it is
/// true, is for the callers and for every reader to decide.
package struct ControlStatements: Sendable {
    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// Makes a statement, and lets it take effect.
    /// - Parameters:
    ///   - body: The statement.
    ///   - zone: The zone.
    ///   - isBounded: Whether the bound of this store's control log is kept: false only for a dishonest author
    ///     in the simulator.
    ///   - transaction: The store.
    /// - Returns: The notice.
    /// - Throws: `CommitError.noRight`, `ReplicaError`, or an error of the store.
    package func say(
        _ body: ControlBody,
        zone: ZoneID,
        isBounded: Bool = true,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        try committer.tracking(zone, in: &transaction) { transaction in
            try commit(body, zone: zone, isBounded: isBounded, in: &transaction)
            var outcome = try LogRulings(committer).rule(zone, in: &transaction)
            // A new member can read at once, and a revoked member can read nothing that is written
            // from now on.
            if try transaction.zone(zone)?.needsKeys ?? false {
                outcome.add(try EpochKeys(committer).supply(zone, in: &transaction))
            }
            guard outcome != nil else { return CommitNotice(number: try transaction.nextCommitNumber()) }
            return try CommitNotice(outcome, zone: zone, in: &transaction)
        }
    }

    /// Makes a statement without its effects.
    /// - Parameters:
    ///   - body: The statement.
    ///   - zone: The zone.
    ///   - author: The author; by default the one under whose right this store writes now.
    ///   - isBounded: As of ``say(_:zone:isBounded:in:)``.
    ///   - transaction: The store.
    /// - Returns: The operation's hash.
    /// - Throws: `CommitError.noRight`, `ReplicaError`, or an error of the store.
    @discardableResult
    func commit(
        _ body: ControlBody,
        zone: ZoneID,
        by author: Author? = nil,
        isBounded: Bool = true,
        in transaction: inout some NodeTransaction
    ) throws -> Hash {
        let author = try author ?? committer.author(in: zone, transaction)
        return try committer.localWrites(in: zone, by: author)
            .commitControl(body, isBounded: isBounded, in: &transaction).hash
    }

    /// Makes an unrequested statement without its effects, as long as there is room for it in this
    /// store's control log.
    /// - Returns: The operation's hash; `nil` where the log is full, and another device has to make
    ///   the statement.
    func commitIfRoom(
        _ body: ControlBody,
        zone: ZoneID,
        by author: Author? = nil,
        in transaction: inout some NodeTransaction
    ) throws -> Hash? {
        do {
            return try commit(body, zone: zone, by: author, in: &transaction)
        } catch ReplicaError.controlLogFull {
            return nil
        }
    }

    // MARK: Rights and the own log

    /// Checks that this account may perform an act in a zone, and finds the right for it.
    /// - Throws: `ReplicaError.unknownZone`, `CommitError.refused`, `CommitError.waiting`, or an
    ///   error of the store.
    func authorise(
        _ act: AdministrativeAct,
        zone: ZoneID,
        in transaction: some NodeTransaction
    ) throws -> OwnRight {
        guard let row = try transaction.zone(zone) else { throw ReplicaError.unknownZone(zone) }
        let rights = try ZoneRights(row, of: committer, in: transaction)
        let decision = Authorisation.decide(
            .administer(act),
            by: .device(committer.device, of: committer.account.account),
            state: rights.state,
            directory: rights.directory,
            now: committer.wallMilliseconds
        )
        switch decision {
        case .allowed: return OwnRight(state: rights.state, right: row.right, isOwner: row.role == .owner)
        case .refused(let refusal): throw CommitError.refused(refusal)
        case .waiting(let reason): throw CommitError.waiting(reason)
        }
    }

    /// The key of this store's control log in a zone, under the right by which it writes now.
    func ownLog(in zone: ZoneID, _ transaction: some NodeTransaction) throws -> LogKey {
        LogKey(zone: zone, actor: try committer.author(in: zone, transaction).actor, lane: .control)
    }

    /// Whether this store's own control log can continue.
    func mayContinue(in zone: ZoneID, _ transaction: some NodeTransaction) throws -> Bool {
        try transaction.log(ownLog(in: zone, transaction))?.mayContinue ?? true
    }

    /// Returns the sizes of logs that this store holds: the part that stays effective when their
    /// right ends now.
    func positions(
        in zone: ZoneID,
        in transaction: some NodeTransaction,
        where isConcerned: (LogRow) -> Bool
    ) throws -> [LogPosition] {
        try ZonePositions(of: zone).statable(in: transaction) { isConcerned($0) ? .max : 0 }
    }
}

/// The right by which this account performs an act in a zone.
struct OwnRight {
    /// The rights in the zone.
    let state: ControlState
    /// The right under which this store writes; zero for that of the zone's maker.
    let right: Hash
    /// Whether it is the owner's.
    let isOwner: Bool
}

extension LogRow {
    /// Whether the author of a control log may append to it, as far as the ends of logs are known here.
    var mayContinue: Bool { !isForked && cut == nil && role.maySpeak && appliedSize == size }
}
