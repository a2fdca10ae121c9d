import Capabilities
import Identity
import Records
package import Wire

/// Effects of a change of the accounts on the zones.
package struct AccountUpkeep: Sendable {
    /// The number of zones ruled in one transaction; other jobs commit between these transactions.
    package static let ruledZoneCount = 32

    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// Cuts the logs of all zones where their control logs and the accounts' logs say; doing it again changes
    /// nothing.
    /// - Parameter transaction: The store.
    /// - Returns: The notice.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func applyCuts(in transaction: inout some NodeTransaction) throws -> CommitNotice {
        try applyCuts(to: zonesToRule(in: &transaction), in: &transaction)
    }

    /// Notes the devices of all accounts, and lists the zones to rule.
    /// - Parameter transaction: The store.
    /// - Returns: The zones, ascending. One that is made later is ruled by the accounts' logs as they are then.
    /// - Throws: Any error of the store.
    package func zonesToRule(in transaction: inout some NodeTransaction) throws -> [ZoneID] {
        try DeviceTimes(committer).note(in: &transaction)
        return try transaction.zones().filter(committer.isCurrent).map(\.id)
    }

    /// Cuts the logs of some zones as their control logs and the accounts' logs require.
    ///
    /// Zones do not depend on each other here, so each transaction may rule some of them; after a crash the next start rules the rest.
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
            guard let zone = try transaction.zone(id), committer.isCurrent(zone) else { continue }
            var outcome: RulingOutcome?
            let notice = try committer.tracking(zone.id, in: &transaction) { transaction in
                outcome = try LogRulings(committer).rule(zone.id, in: &transaction)
                return try CommitNotice(outcome, zone: zone.id, in: &transaction)
            }
            if outcome != nil || !notice.feed.isEmpty { whole.merge(notice) }
            // The accounts whose statements are effective may have changed where no log has; and older
            // zones have no place in the feed yet.
            if try FeedZones(committer).note(zone.id, always: false, in: &transaction) { whole.feed.insert(.others) }
            // An account's log lists its devices, even where no log of the zone gets another end.
            if notice.authorities.isEmpty || outcome == nil {
                let authority = try ZoneViews(committer).authority(of: zone, in: transaction)
                whole.note(PeerNotice(of: committer.account.account, authorities: [authority]))
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
        guard let row = try transaction.zone(zone), committer.isCurrent(row) else { return CommitNotice() }
        let rights = try ZoneRights(row, of: committer, in: transaction)
        let held = try transaction.logs(zone: zone)
        let lanes = Dictionary(uniqueKeysWithValues: Lane.allCases.map { ($0, LaneRoom(held, $0)) })
        let rows = logs.compactMap { log -> LogRow? in
            let key = LogKey(zone: zone, actor: log.actor, lane: log.lane)
            var row = LogRow(key: key, device: log.device, incarnation: log.incarnation, right: log.right)
            guard log.device != committer.device else { return nil }
            row.ruling = rights.ruling(of: row)
            if rights.effectiveCut(of: row).mayBeEmpty { return row }
            guard row.cut == nil, lanes[log.lane]?.isSurplus(row) == true else { return nil }
            row.cut = .zero
            return row
        }
        guard !rows.isEmpty else { return CommitNotice() }
        return try committer.tracking(zone, in: &transaction) { transaction in
            let changed = try RulingApplier(of: zone, wallMilliseconds: committer.wallMilliseconds).noteEmptyLogs(
                rows,
                in: &transaction
            )
            guard let changed else { return CommitNotice() }
            return CommitNotice(number: try transaction.nextCommitNumber(), feed: FeedGrowth(changed))
        }
    }
}

extension EffectiveCut {
    /// Whether the effective part of a log may be empty.
    fileprivate var mayBeEmpty: Bool {
        switch self {
        case .zero, .waiting: true
        case .none, .at: false
        }
    }
}
