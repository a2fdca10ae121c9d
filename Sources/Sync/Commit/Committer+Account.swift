package import Identity
import Records
package import Wire

// What a change of the account or of the store's lifetime does to the zones.
extension Committer {
    /// How much of a device's logs this store holds: what still counts when it is removed now.
    /// - Parameters:
    ///   - removed: The device.
    ///   - transaction: The store.
    /// - Returns: The cuts, by zone and log.
    /// - Throws: What the store throws.
    package func cutRequests(
        for removed: DeviceID,
        in transaction: some NodeTransaction
    ) throws -> [ZoneCutRequest] {
        try transaction.zones().filter { $0.genesis.owner == account.account }.compactMap { zone in
            let logs = try Replica.positions(zone: zone.id, in: transaction)
                .filter { $0.row.device == removed && $0.size > 0 }
                .map { LogPosition(actor: $0.row.key.actor, lane: $0.row.key.lane, size: $0.size, root: $0.root) }
            return logs.isEmpty ? nil : ZoneCutRequest(zone: zone.id, logs: logs)
        }
    }

    /// Makes the cuts of removed devices take effect; doing it again changes nothing.
    ///
    /// The logs of a device that the account no longer knows, since what had added it does not count any more, end at
    /// zero. A removal that does not count any more sets the logs free again.
    /// - Parameter transaction: The store.
    /// - Returns: The notice.
    /// - Throws: `ReplicaError`, or what the store throws.
    package func applyCuts(in transaction: inout some NodeTransaction) throws -> CommitNotice {
        var whole = CommitNotice()
        for zone in try transaction.zones() where zone.genesis.owner == account.account {
            let byDevice = Dictionary(grouping: try transaction.logs(zone: zone.id), by: \.device)
            // Not our own: a removed device keeps what its person wrote on it, until it is paired again under new keys.
            for (author, rows) in byDevice.sorted(by: { $0.key < $1.key }) where author != device {
                let cuts = cuts(of: rows, device: author)
                guard rows.contains(where: { $0.cut != cuts?[$0.key.actorLane] }) else { continue }
                let notice = try tracking(zone.id, in: &transaction) { transaction in
                    let outcome = try Replica.applyCuts(
                        cuts,
                        of: author,
                        zone: zone.id,
                        wallMilliseconds: wallMilliseconds,
                        in: &transaction
                    )
                    return CommitNotice(
                        number: try transaction.nextCommitNumber(),
                        hasRecordChanges: !outcome.changed.isEmpty
                    )
                }
                whole.merge(notice)
            }
        }
        return whole
    }

    /// Keeps in mind logs of which a peer says that nothing counts, and sets free what waited for them.
    ///
    /// The account decides: only logs of devices that do not belong to it and that it cuts at zero are noted, and of
    /// those only the ones that operations here wait for.
    /// - Parameters:
    ///   - logs: The logs, as the peer named them.
    ///   - zone: Their zone.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when nothing was to be noted.
    /// - Throws: `ReplicaError`, or what the store throws.
    package func noteEmptyLogs(
        _ logs: [LogState],
        zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        let rows = logs.compactMap { log -> LogRow? in
            let actor = ActorID(device: log.device, incarnation: log.incarnation)
            if countsWhole(log.device) { return nil }
            let cut = cut(for: actor, device: log.device, lane: log.lane, zone: zone)
            guard log.device != device, let cut, cut.size == 0 else { return nil }
            let key = LogKey(zone: zone, actor: actor, lane: log.lane)
            return LogRow(key: key, device: log.device, incarnation: log.incarnation, cut: cut)
        }
        guard !rows.isEmpty, let row = try transaction.zone(zone), row.genesis.owner == account.account else {
            return CommitNotice()
        }
        return try tracking(zone, in: &transaction) { transaction in
            let changed = try Replica.noteEmptyLogs(
                rows,
                zone: zone,
                wallMilliseconds: wallMilliseconds,
                in: &transaction
            )
            guard let changed else { return CommitNotice() }
            return CommitNotice(number: try transaction.nextCommitNumber(), hasRecordChanges: !changed.isEmpty)
        }
    }

    /// Where a device's logs end; `nil` when they count whole.
    private func cuts(of rows: [LogRow], device: DeviceID) -> [ActorLane: Records.LogCut]? {
        if countsWhole(device) { return nil }
        return rows.reduce(into: [:]) { cuts, row in
            let key = row.key
            cuts[key.actorLane] = cut(for: key.actor, device: device, lane: key.lane, zone: key.zone)
        }
    }

    // MARK: The store's lifetime

    /// Begins another lifetime of the store, if a peer truly holds more of this one's log than the store does.
    /// - Parameters:
    ///   - key: The log.
    ///   - size: How much of it the peer says it holds.
    ///   - random: For the new lifetime.
    ///   - transaction: The store.
    /// - Returns: What to tell; nothing changed when the store has caught up, or writes another log already.
    /// - Throws: What the store throws.
    package func renewIfBehind(
        _ key: LogKey,
        size: UInt64,
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        // What the core knows of sizes is a little older than the store: a peer may quote what we have just sent it.
        let held = try transaction.log(key)?.size ?? 0
        guard case .renew = IncarnationDecision.afterPeerStatement(stated: size, held: held) else {
            return CommitNotice()
        }
        guard let renewed = try renewedIncarnation(ifActor: key.actor, random: &random, in: &transaction) else {
            return CommitNotice()
        }
        return CommitNotice(number: try transaction.nextCommitNumber(), renewed: renewed)
    }

    /// Begins another lifetime of the store: what is written from now on goes to a new log.
    /// - Parameters:
    ///   - actor: Only if this is still the writer.
    ///   - random: For the new lifetime.
    ///   - transaction: The store.
    /// - Returns: The new lifetime, to be announced once it is durable; `nil` when somebody else writes by now.
    /// - Throws: What the store throws.
    package func renewedIncarnation(
        ifActor actor: ActorID,
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> Incarnation? {
        guard actor == (try author(transaction).actor) else { return nil }
        let incarnation = Incarnation(using: &random)
        try transaction.save(incarnation)
        return incarnation
    }
}
