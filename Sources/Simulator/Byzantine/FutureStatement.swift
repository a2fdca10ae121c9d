import Records
import Sync
import Wire

/// A control operation, or a removal, that states positions.
enum FutureStatement: CaseIterable {
    case checkpoint
    case leave
    case transfer
    case raiseCut
    case revocation
    case removal
}

/// How far beyond its end a log is claimed to extend.
enum FutureSize: CaseIterable {
    /// To the greatest size that the encoding allows.
    case utmost
    /// By more operations than will ever be written.
    case far
    /// By a few operations, which its author is about to write.
    case near

    /// The size that is claimed for a log with a given size.
    func stated(for size: UInt64) -> UInt64 {
        switch self {
        case .utmost: 1 << 62
        case .far: size + 100_000
        case .near: size + 4
        }
    }
}

extension SimulatedNode {
    /// The true positions of all logs of a zone, with those of some authors moved into the future.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - size: The extent of the move.
    ///   - isOnlyThese: Whether the other logs are left out.
    ///   - isMoved: Whether a device's logs are moved.
    /// - Returns: The positions.
    /// - Throws: Errors of the store.
    func futurePositions(
        in zone: ZoneID,
        _ size: FutureSize,
        isOnlyThese: Bool,
        where isMoved: (LogRow) -> Bool
    ) throws -> [LogPosition] {
        guard let store else { return [] }
        return try ZonePositions(of: zone).all(in: store).compactMap { row, held, root in
            guard isMoved(row) else {
                return isOnlyThese || held == 0
                    ? nil : LogPosition(actor: row.key.actor, lane: row.key.lane, size: held, root: root)
            }
            return LogPosition(
                actor: row.key.actor,
                lane: row.key.lane,
                size: size.stated(for: row.size),
                root: Hash(random.digest())
            )
        }
    }

    /// A checkpoint over positions some of which are false.
    func checkpoint(over positions: [LogPosition], of zone: ZoneID) throws -> Checkpoint {
        Checkpoint(
            logs: positions,
            liveRoot: Hash(random.digest()),
            liveCount: try store?.recordCount(zone: zone) ?? 0,
            lapsed: [],
            previous: try store?.zone(zone)?.adopted?.hash ?? .zero
        )
    }

    /// States something that no honest program states, by means of the production core of its own store.
    /// - Parameters:
    ///   - body: The statement.
    ///   - zone: The zone.
    ///   - said: Called once it is durable.
    func lie(_ body: ControlBody, in zone: ZoneID, said: @escaping () throws -> Void = {}) {
        decide("lie") { committer, _, transaction in
            try ControlStatements(committer).say(body, zone: zone, isBounded: false, in: &transaction)
        } completion: { result in
            if case .success = result { try said() }
        }
    }

    /// Begins a new incarnation of the store without any cause, and writes a record in it.
    func beginLife(writing value: String, in zone: ZoneID) {
        decide("life") { committer, random, transaction in
            guard let present = try transaction.incarnation(),
                let renewed = try RollbackRecovery(committer).renewedIncarnation(
                    if: present,
                    random: &random,
                    in: &transaction
                )
            else { return CommitNotice() }
            let assignment = FieldAssignment(field: "title", value: .string(value))
            let write = RecordWrite(name: "r0", type: Workload.type, set: [assignment])
            var notice = try committer.commit([WriteRequest([write])], zone: zone, in: &transaction).notice
            notice.renewed = renewed
            return notice
        }
    }
}
