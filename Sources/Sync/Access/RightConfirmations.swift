import Capabilities
import Identity
import Records
import Wire

/// The statements by a device of the owner about rights whose ending devices can no longer be asked:
/// how much of the logs under them is effective.
///
/// `docs/protocol/positions.md` has the rules.
struct RightConfirmations {
    let committer: Committer
    private let statements: ControlStatements

    /// Works within one transaction.
    init(_ committer: Committer) {
        self.committer = committer
        statements = ControlStatements(committer)
    }

    /// States how much is effective of logs under rights that ended, where no device of the owner
    /// has stated it.
    /// - Parameters:
    ///   - row: The zone.
    ///   - rights: The rights by the zone's control log.
    ///   - waits: Whether operations that may still be on their way are left out for now.
    ///   - transaction: The store.
    /// - Returns: Whether the device made a statement, or has to make one.
    /// - Throws: `ReplicaError`, or an error of the store.
    func make(
        _ row: ZoneRow,
        _ rights: ZoneRights,
        waits: Bool,
        in transaction: inout some NodeTransaction
    ) throws -> OwedStatements.Outcome {
        var row = row
        let zone = row.id
        let (right, role) = rights.own(committer.account.account)
        guard committer.mayWrite, row.state == .live, role == .owner,
            rights.state.stands(committer.device, under: right, directory: rights.directory)
        else { return .nothing }
        let open = rights.state.unconfirmedRights
        guard !open.isEmpty else { return .nothing }
        // A new owner writes under its own right.
        if row.right != right || row.role != role {
            (row.right, row.role) = (right, role)
            try transaction.save(row)
        }
        guard try statements.mayContinue(in: zone, transaction) else { return .later }
        let logs = try transaction.logs(zone: zone)
        let rows = Dictionary(uniqueKeysWithValues: logs.map { ($0.key.actorLane, $0) })
        let isBehind = row.isUnverified || !logs.contains { $0.key.lane == .data && $0.appliedSize > 0 }
        let due = try open.filter { try $0.hasOldCorrection || isIncomplete($0, rows, in: transaction) }
        let ready = due.filter { ended in
            !waits || !isBehind && ended.places.allSatisfy { isApplied($0, rows) }
        }
        let corrections = try ready.map { ended in
            let cuts = try ZonePositions(of: zone).statable(in: transaction) { log in
                log.right == ended.right ? rights.effectiveCut(of: log).size : 0
            }
            return CutRaise(capability: ended.right, cuts: cuts)
        }
        let said = try corrections.compactMap { correction in
            try statements.commitIfRoom(.raiseCut(correction), zone: zone, in: &transaction)
        }
        return OwedStatements.Outcome(
            isSomethingSaid: !said.isEmpty,
            isSomethingLater: ready.count < due.count
        )
    }

    /// Whether a statement that ended a right lists more of a log than is held here: the rest may
    /// never exist.
    private func isIncomplete(
        _ ended: UnconfirmedRight,
        _ rows: [ActorLane: LogRow],
        in transaction: some NodeTransaction
    ) throws -> Bool {
        try ended.positions.contains { position in
            guard position.size > 0 else { return false }
            guard let row = rows[position.key] else { return true }
            if position.lane == .control { return row.appliedSize < position.size }
            return try !StoredLog(row).reaches((position.size, position.root), in: transaction)
        }
    }

    private func isApplied(_ place: Dot, _ rows: [ActorLane: LogRow]) -> Bool {
        (rows[ActorLane(actor: place.actor, lane: .control)]?.appliedSize ?? 0) >= place.counter
    }
}
