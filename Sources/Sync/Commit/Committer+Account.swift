import Capabilities
import Identity
import Records
package import Wire

// Effects of a change of the account or of the store's lifetime on the zones.
extension Committer {
    /// Zones that are ruled in one transaction of many: others commit in between.
    package static let ruledZoneCount = 32

    /// Cuts the logs of all zones where their control logs and the accounts' logs say; doing it again changes
    /// nothing.
    /// - Parameter transaction: The store.
    /// - Returns: The notice.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func applyCuts(in transaction: inout some NodeTransaction) throws -> CommitNotice {
        try applyCuts(to: zonesToRule(in: &transaction), in: &transaction)
    }

    /// Notes the devices of all accounts, and lists the zones whose logs are to be ruled.
    /// - Parameter transaction: The store.
    /// - Returns: The zones, ascending. One that is made later is ruled by the accounts' logs as they are then.
    /// - Throws: Any error of the store.
    package func zonesToRule(in transaction: inout some NodeTransaction) throws -> [ZoneID] {
        try DeviceTimes(self).note(in: &transaction)
        return try transaction.zones().filter(isCurrent).map(\.id)
    }

    /// Cuts the logs of some zones where their control logs and the accounts' logs say.
    ///
    /// Zones do not depend on each other here, so all of them need no common transaction: a crash between two leaves the rest to the
    /// next start.
    /// - Parameters:
    ///   - zones: The zones; one that no longer exists is passed over.
    ///   - transaction: The store.
    /// - Returns: The notice.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func applyCuts(
        to zones: some Sequence<ZoneID>,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        var whole = CommitNotice()
        for id in zones {
            guard let zone = try transaction.zone(id), isCurrent(zone) else { continue }
            var outcome: CutOutcome?
            let notice = try tracking(zone.id, in: &transaction) { transaction in
                outcome = try rule(zone.id, in: &transaction)
                guard let outcome else { return CommitNotice() }
                var notice = CommitNotice(
                    number: try transaction.nextCommitNumber(),
                    hasRecordChanges: !outcome.changed.isEmpty
                )
                notice.quarantines = [zone.id]
                return notice
            }
            if outcome != nil || notice.hasRecordChanges { whole.merge(notice) }
            // The accounts whose statements are effective may have changed where no log has; and older
            // zones have no place in the feed yet.
            if try noteInFeed(zone.id, isTold: false, in: &transaction) { whole.hasRecordChanges = true }
            // An account's log lists its devices, even where no log of the zone gets another end.
            if notice.authorities.isEmpty || outcome == nil {
                whole.authorities += try authorities([zone], in: transaction)
                whole.account = account.account
            }
        }
        return whole
    }

    /// Notes logs that a peer states to have no effective part, and releases the operations that waited for them.
    ///
    /// The accounts and the zone's control log decide: only logs are noted that they cut at zero, surplus ones of a
    /// device, or data logs whose right is not known here, and of those only the ones that operations here wait for.
    /// The grant of such a right may never come; if it does, the log is fetched.
    /// - Parameters:
    ///   - logs: The logs, as the peer named them.
    ///   - zone: Their zone.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when nothing was to be noted.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func noteEmptyLogs(
        _ logs: [LogState],
        zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        guard let row = try transaction.zone(zone), isCurrent(row) else { return CommitNotice() }
        let rights = try ZoneRights(row, of: self, in: transaction)
        let held = try transaction.logs(zone: zone)
        let lanes = Dictionary(uniqueKeysWithValues: Lane.allCases.map { ($0, LaneRoom(held, $0)) })
        let rows = logs.compactMap { log -> LogRow? in
            let key = LogKey(zone: zone, actor: log.actor, lane: log.lane)
            var row = LogRow(key: key, device: log.device, incarnation: log.incarnation, right: log.right)
            guard log.device != device else { return nil }
            row.ruling = rights.ruling(of: row)
            if rights.effectiveCut(of: row).mayBeEmpty { return row }
            guard row.cut == nil, lanes[log.lane]?.isSurplus(row) == true else { return nil }
            row.cut = .zero
            return row
        }
        guard !rows.isEmpty else { return CommitNotice() }
        return try tracking(zone, in: &transaction) { transaction in
            let changed = try Rulings(of: zone, wallMilliseconds: wallMilliseconds).noteEmptyLogs(
                rows,
                in: &transaction
            )
            guard let changed else { return CommitNotice() }
            return CommitNotice(number: try transaction.nextCommitNumber(), hasRecordChanges: !changed.isEmpty)
        }
    }

    // MARK: The store's lifetime

    /// Begins another lifetime of the store, if a peer truly holds more of this one's log than the store does.
    /// - Parameters:
    ///   - key: The log.
    ///   - incarnation: The lifetime in which it was written.
    ///   - size: The size that the peer states that it holds.
    ///   - random: For the new lifetime.
    ///   - transaction: The store.
    /// - Returns: The notice; nothing changed when the store has caught up, or writes another log already.
    /// - Throws: Any error of the store.
    package func renewIfBehind(
        _ key: LogKey,
        _ incarnation: Incarnation,
        size: UInt64,
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        // The core's sizes are a little older than the store's: a peer may quote a size that this device has just
        // sent.
        let held = try transaction.log(key)?.size ?? 0
        guard case .renew = IncarnationDecision.afterPeerStatement(stated: size, held: held) else {
            return CommitNotice()
        }
        guard let renewed = try renewedIncarnation(if: incarnation, random: &random, in: &transaction) else {
            return CommitNotice()
        }
        return CommitNotice(number: try transaction.nextCommitNumber(), renewed: renewed)
    }

    /// Begins another lifetime of the store: its writes from now on go to a new log.
    /// - Parameters:
    ///   - present: The lifetime to end; nothing happens if the store has another one.
    ///   - random: For the new lifetime.
    ///   - transaction: The store.
    /// - Returns: The new lifetime, to be announced once it is durable; `nil` when the store has another lifetime by
    ///   now.
    /// - Throws: Any error of the store.
    package func renewedIncarnation(
        if present: Incarnation,
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> Incarnation? {
        guard try present == transaction.incarnation() else { return nil }
        try noteShared(in: &transaction)
        let incarnation = Incarnation(using: &random)
        try transaction.save(incarnation)
        return incarnation
    }
}

extension EffectiveCut {
    /// Whether a log may have no effective part; a row is kept only of a log that ends at zero by its ruling.
    fileprivate var mayBeEmpty: Bool {
        switch self {
        case .zero, .waiting: true
        case .none, .at: false
        }
    }
}
