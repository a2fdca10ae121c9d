import Identity
import Logging
import Records
import Sodium
import Sync
import Wire

// What a change of the account or of the store's lifetime does to the zones.
extension ReplicaService {
    /// How much of a device's logs this store holds: what still counts when it is removed now.
    func cutRequests(for device: DeviceID, in transaction: any NodeTransaction) throws -> [ZoneCutRequest] {
        try transaction.zones().filter { $0.genesis.owner == identity.account }.compactMap { zone in
            let logs = try Replica.positions(zone: zone.id, in: transaction)
                .filter { $0.row.device == device && $0.size > 0 }
                .map { LogPosition(actor: $0.row.key.actor, lane: $0.row.key.lane, size: $0.size, root: $0.root) }
            return logs.isEmpty ? nil : ZoneCutRequest(zone: zone.id, logs: logs)
        }
    }

    /// Makes the cuts of removed devices take effect; doing it again changes nothing.
    func applyCuts(in transaction: inout any NodeTransaction) throws -> CommitNotice {
        let account = identity.accountState
        var whole = CommitNotice()
        for zone in try transaction.zones() where zone.genesis.owner == account.account {
            let removed = try transaction.logs(zone: zone.id).filter { account.standing(of: $0.device) == .removed }
            for (device, rows) in Dictionary(grouping: removed, by: \.device).sorted(by: { $0.key < $1.key }) {
                var cuts: [ActorLane: Records.LogCut] = [:]
                for row in rows {
                    let key = row.key
                    cuts[key.actorLane] =
                        account.cut(for: key.actor, device: device, lane: key.lane, zone: key.zone).stored
                }
                guard rows.contains(where: { $0.cut != cuts[$0.key.actorLane] }) else { continue }
                let notice = try tracking(zone.id, in: &transaction) { [cuts] transaction in
                    let outcome = try Replica.applyCuts(
                        cuts,
                        of: device,
                        zone: zone.id,
                        wallMilliseconds: clock.wall(),
                        in: &transaction
                    )
                    return CommitNotice(
                        number: try transaction.nextCommitNumber(),
                        hasRecordChanges: !outcome.changed.isEmpty
                    )
                }
                whole.number = notice.number ?? whole.number
                whole.zones += notice.zones
                whole.hasRecordChanges = whole.hasRecordChanges || notice.hasRecordChanges
            }
        }
        return whole
    }

    /// Begins another lifetime of the store: what is written from now on goes to a new log.
    /// - Parameters:
    ///   - actor: Only if this is still the writer; `nil` = in any case.
    ///   - transaction: The store.
    /// - Returns: Whether another lifetime has begun.
    /// - Throws: What the store throws.
    func renewIncarnation(ifActor actor: ActorID?, in transaction: inout any NodeTransaction) throws -> Bool {
        if let actor, actor != identity.actor { return false }
        var random = SystemRandom()
        let incarnation = Incarnation(using: &random)
        try transaction.save(incarnation)
        _ = try transaction.nextCommitNumber()
        identity.setIncarnation(incarnation)
        return true
    }

    /// After a renewal is durable: the sentinel follows with the next commit, people are told.
    func incarnationRenewed() {
        health.set(
            HealthWarning(
                code: "store.renewed",
                severity: .info,
                message: "A peer held more of this store's past than the store: it was restored or copied.",
                fix: "Nothing to do: what was missing comes back from the peers, and a new incarnation has begun."
            )
        )
    }

    /// Writes the records of zones that belong to an account this device has left into zones of the present one.
    ///
    /// Each old zone is sealed in the same transaction, so after a crash the move goes on with those that are left.
    func moveToCurrentAccount(in transaction: inout any NodeTransaction) throws -> CommitNotice {
        var whole = CommitNotice()
        for old in try transaction.zones() where old.genesis.owner != identity.account && old.state == .live {
            try move(old, into: &whole, in: &transaction)
            var sealed = old
            sealed.state = .sealed
            try transaction.save(sealed)
            whole.number = try transaction.nextCommitNumber()
        }
        return whole
    }

    private func move(_ old: ZoneRow, into whole: inout CommitNotice, in transaction: inout any NodeTransaction) throws
    {
        guard try transaction.recordCount(zone: old.id) > 0 else { return }
        var random = SystemRandom()
        let genesis = ZoneGenesis(
            owner: identity.account,
            container: old.genesis.container,
            name: old.genesis.name,
            salt: (0..<ZoneGenesis.saltByteCount).map { _ in UInt8.random(in: .min ... .max, using: &random) },
            history: old.genesis.history,
            isDefault: false
        )
        let (zone, created) = try createZone(genesis, in: &transaction)
        whole.zoneEvents += created.zoneEvents
        let notice = try tracking(zone, in: &transaction) { transaction in
            var last: String?
            while true {
                let page = try transaction.records(zone: old.id, after: last, limit: 1_000)
                let writes = try page.records.map { row in
                    let body = try row.content()
                    return RecordWrite(
                        name: row.name,
                        type: row.type,
                        set: body.shownFields.map { RecordWrite.Assignment(field: $0.name, value: $0.value) }
                    )
                }
                if !writes.isEmpty {
                    _ = try commit([WriteRequest(writes, isAtomic: false)], zone: zone, in: &transaction)
                }
                guard page.more, let name = page.records.last?.name else { break }
                last = name
            }
            return CommitNotice(hasRecordChanges: true)
        }
        whole.zones += notice.zones
        whole.hasRecordChanges = true
    }

    /// Says something about a zone under this store's name.
    func commitControl(_ body: ControlBody, zone: ZoneID, in transaction: inout any NodeTransaction) throws {
        try Replica.commitControl(
            body,
            zone: zone,
            author: author,
            wallMilliseconds: clock.wall(),
            sign: sign,
            in: &transaction
        )
    }

    /// Writes records under this store's name.
    func commit(
        _ requests: [WriteRequest],
        zone: ZoneID,
        in transaction: inout any NodeTransaction
    ) throws -> Commit {
        try Replica.commit(
            requests,
            zone: zone,
            author: author,
            wallMilliseconds: clock.wall(),
            sign: sign,
            in: &transaction
        )
    }
}
