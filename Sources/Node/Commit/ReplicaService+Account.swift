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
    ///
    /// The logs of a device that the account no longer knows, since what had added it does not count any more, end at
    /// zero. A removal that does not count any more sets the logs free again.
    func applyCuts(in transaction: inout any NodeTransaction) throws -> CommitNotice {
        let account = identity.accountState
        var whole = CommitNotice()
        for zone in try transaction.zones() where zone.genesis.owner == account.account {
            let byDevice = Dictionary(grouping: try transaction.logs(zone: zone.id), by: \.device)
            // Not our own: a removed device keeps what its person wrote on it, until it is paired again under new keys.
            for (device, rows) in byDevice.sorted(by: { $0.key < $1.key }) where device != identity.device {
                let cuts = Self.cuts(of: rows, device: device, in: account)
                guard rows.contains(where: { $0.cut != cuts?[$0.key.actorLane] }) else { continue }
                let notice = try tracking(zone.id, in: &transaction) { transaction in
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
                whole.merge(notice)
            }
        }
        return whole
    }

    /// Where a device's logs end; `nil` when they count whole.
    private static func cuts(
        of rows: [LogRow],
        device: DeviceID,
        in account: AccountState
    ) -> [ActorLane: Records.LogCut]? {
        if case .active = account.standing(of: device) { return nil }
        return rows.reduce(into: [:]) { cuts, row in
            let key = row.key
            cuts[key.actorLane] = account.cut(for: key.actor, device: device, lane: key.lane, zone: key.zone).stored
        }
    }

    // MARK: The store's lifetime

    /// Begins another lifetime of the store, if a peer truly holds more of this one's log than the store does.
    /// - Parameters:
    ///   - key: The log.
    ///   - size: How much of it the peer says it holds.
    ///   - transaction: The store.
    /// - Returns: What to tell; nothing changed when the store has caught up, or writes another log already.
    /// - Throws: What the store throws.
    func renewIfBehind(_ key: LogKey, size: UInt64, in transaction: inout any NodeTransaction) throws -> CommitNotice {
        // What the core knows of sizes is a little older than the store: a peer may quote what we have just sent it.
        let held = try transaction.log(key)?.size ?? 0
        guard case .renew = IncarnationDecision.afterPeerStatement(stated: size, held: held) else {
            return CommitNotice()
        }
        guard let renewed = try renewedIncarnation(ifActor: key.actor, in: &transaction) else { return CommitNotice() }
        return CommitNotice(number: try transaction.nextCommitNumber(), renewed: renewed)
    }

    /// Begins another lifetime of the store: what is written from now on goes to a new log.
    /// - Parameters:
    ///   - actor: Only if this is still the writer.
    ///   - transaction: The store.
    /// - Returns: The new lifetime, to be announced once it is durable; `nil` when somebody else writes by now.
    /// - Throws: What the store throws.
    func renewedIncarnation(ifActor actor: ActorID, in transaction: inout any NodeTransaction) throws -> Incarnation? {
        guard actor == (try author(transaction).actor) else { return nil }
        var random = SystemRandom()
        let incarnation = Incarnation(using: &random)
        try transaction.save(incarnation)
        return incarnation
    }

    func warnOfRenewal() {
        logger.warning(
            "a new incarnation begins",
            metadata: ["reason": "the old one's log has another history elsewhere"]
        )
        health.set(
            HealthWarning(
                code: "store.renewed",
                severity: .info,
                message: "A peer held more of this store's past than the store: it was restored or copied.",
                fix: "Nothing to do: what was missing comes back from the peers, and a new incarnation has begun."
            )
        )
    }

    // MARK: What an earlier run left undone

    /// Does what a crash may have left undone between a change of the account on the disk and its effect on the zones.
    ///
    /// Runs before anything else does. What fails is left for the maintenance, with a warning.
    func settle(_ storage: any StoragePort) async throws {
        let old = try await storage.read { [self] transaction in
            try warnOfForks(transaction)
            return try oldZones(transaction)
        }
        var jobs: [StorageJob] = old.map { zone in { [self] in try moveToCurrentAccount(zone, in: &$0) } }
        jobs.append { [self] in try applyCuts(in: &$0) }
        do {
            for result in try await storage.commit(jobs) {
                if case .failure(let error) = result { notSettled(error) }
                announce(result)
            }
        } catch {
            notSettled(error)
        }
    }

    /// Tries again what could not be settled before.
    func settleAgain(_ commits: CommitQueue) async throws {
        guard health.contains(Self.unsettledCode) else { return }
        health.clear(Self.unsettledCode)
        moveOldZones(through: commits)
        do {
            _ = try await commits.perform { [self] in
                try applyCuts(in: &$0)
            } whenDurable: { [self] in
                announce($0)
            }
        } catch {
            notSettled(error)
        }
    }

    /// Raises the warnings that a restart has taken back.
    private func warnOfForks(_ transaction: any NodeTransaction) throws {
        for zone in try transaction.zones() where zone.genesis.owner == identity.account {
            for log in try transaction.logs(zone: zone.id) {
                if let head = log.forkProof?.first.head { warnOfFork(head) }
            }
        }
    }

    /// Zones with records of an account that this device has left.
    func oldZones(_ transaction: any NodeTransaction) throws -> [ZoneID] {
        try transaction.zones().filter { $0.genesis.owner != identity.account && $0.state == .live }.map(\.id)
    }

    /// Moves all zones of an account that this device has left, one job a zone.
    func moveOldZones(through commits: CommitQueue) {
        _ = commits.enqueue { [self] transaction in
            try oldZones(transaction)
        } completion: { [self] result in
            if case .failure(let error) = result { notSettled(error) }
            guard case .success(let value) = result, let zones = value as? [ZoneID] else { return }
            for zone in zones {
                _ = commits.enqueue { [self] transaction in
                    try moveToCurrentAccount(zone, in: &transaction)
                } completion: { [self] result in
                    announce(result)
                    if case .failure(let error) = result { notSettled(error) }
                }
            }
        }
    }

    private func notSettled(_ error: any Error) {
        logger.error("old zones or cuts not settled; tried again by the maintenance", metadata: ["error": "\(error)"])
        health.set(
            HealthWarning(
                code: Self.unsettledCode,
                severity: .warning,
                message: "Records of the account that this device has left are not in the present one yet.",
                fix: "It is tried again every minute; see the daemon's log for the reason."
            )
        )
    }

    /// The warning that stands while zones of a left account wait to be moved.
    static let unsettledCode = "account.not_settled"

    /// Writes the records of a zone of an account that this device has left into a zone of the present one.
    ///
    /// The old zone is sealed in the same transaction, so each is moved once, whatever happens in between.
    /// - Throws: `NodeError` for a record that cannot be written again; then nothing is moved.
    func moveToCurrentAccount(_ zone: ZoneID, in transaction: inout any NodeTransaction) throws -> CommitNotice {
        guard var old = try transaction.zone(zone), old.genesis.owner != identity.account, old.state == .live else {
            return CommitNotice()
        }
        var whole = CommitNotice()
        if try transaction.recordCount(zone: zone) > 0 { whole = try copyRecords(of: old, in: &transaction) }
        old.state = .sealed
        try transaction.save(old)
        whole.number = try transaction.nextCommitNumber()
        return whole
    }

    private func copyRecords(of old: ZoneRow, in transaction: inout any NodeTransaction) throws -> CommitNotice {
        var random = SystemRandom()
        let genesis = ZoneGenesis(
            owner: identity.account,
            container: old.genesis.container,
            name: old.genesis.name,
            salt: (0..<ZoneGenesis.saltByteCount).map { _ in UInt8.random(in: .min ... .max, using: &random) },
            history: old.genesis.history,
            isDefault: false
        )
        var (zone, whole) = try createZone(genesis, in: &transaction)
        var last: String?
        whole.merge(
            try tracking(zone, in: &transaction) { transaction in
                while true {
                    let page = try transaction.records(zone: old.id, after: last, limit: 1_000)
                    let writes = try page.records.map { try RecordWrite(copying: $0) }
                    try copy(writes, to: zone, in: &transaction)
                    guard page.more, let name = page.records.last?.name else { break }
                    last = name
                }
                return CommitNotice(hasRecordChanges: true)
            }
        )
        return whole
    }

    private func copy(_ writes: [RecordWrite], to zone: ZoneID, in transaction: inout any NodeTransaction) throws {
        guard !writes.isEmpty else { return }
        let commit = try commit([WriteRequest(writes, isAtomic: false)], zone: zone, in: &transaction)
        for (write, result) in zip(writes, commit.results.first ?? []) {
            // The old zone is sealed behind this: a record that was left out would be lost for its readers.
            if case .failure(let refusal) = result { throw NodeError(refusal, write: write) }
        }
    }

    /// Says something about a zone under this store's name.
    func commitControl(_ body: ControlBody, zone: ZoneID, in transaction: inout any NodeTransaction) throws {
        try Replica.commitControl(
            body,
            zone: zone,
            author: try author(transaction),
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
            author: try author(transaction),
            wallMilliseconds: clock.wall(),
            sign: sign,
            in: &transaction
        )
    }
}

extension CommitNotice {
    /// Takes in what a later part of the same job changed.
    fileprivate mutating func merge(_ later: CommitNotice) {
        number = later.number ?? number
        zones += later.zones
        hasRecordChanges = hasRecordChanges || later.hasRecordChanges
        zoneEvents += later.zoneEvents
        renewed = later.renewed ?? renewed
    }
}

extension RecordWrite {
    /// Writes a record's visible state once more, in another zone.
    fileprivate init(copying row: RecordRow) throws {
        let body = try row.content()
        self.init(name: row.name, type: row.type)
        parent = body.parent.map { .set($0) } ?? .keep
        for (name, value) in body.shownFields {
            switch value {
            case .counter(let state):
                let total = state.entries.reduce(Int64(0)) { $0 &+ $1.total }
                increments.append(Increment(field: name, amount: total))
            case .set(let state):
                insertions.append(Elements(field: name, values: state.entries.map(\.element)))
            default:
                set.append(Assignment(field: name, value: value))
            }
        }
    }
}
