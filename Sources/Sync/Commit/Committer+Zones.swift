import Capabilities
import Identity
package import Records
import Sodium
package import Wire

// Zones: making, announcing and deleting them, and their state for peers.
extension Committer {
    /// Whether a zone is one of this account's, or one that was shared with it; others are left from an account that this
    /// device has left, or were only read here and are not any more.
    package func isCurrent(_ zone: ZoneRow) -> Bool {
        if zone.genesis.owners.contains(account.account) { return true }
        if zone.genesis.partner != nil { return false }
        return zone.state != .sealed && (!zone.right.isZero || zone.role != .owner)
    }

    /// Snapshots of all zones that this account takes part in.
    /// - Parameter transaction: The store.
    /// - Returns: One a zone, ascending by id; deleted zones too.
    /// - Throws: Any error of the store.
    package func snapshots(_ transaction: some NodeTransaction) throws -> [ZoneSnapshot] {
        try transaction.zones().filter(isCurrent).map {
            try snapshot(of: $0, in: transaction)
        }
    }

    /// Returns the state by which a peer may compare one zone.
    /// - Parameters:
    ///   - zone: The zone's row.
    ///   - transaction: The store.
    /// - Returns: The effective part of each log.
    /// - Throws: Any error of the store.
    package func snapshot(of zone: ZoneRow, in transaction: some NodeTransaction) throws -> ZoneSnapshot {
        var logs: [LogKey: LogState] = [:]
        var forks: [LogKey: ForkProof] = [:]
        var isWaiting = false
        for (row, size, root) in try ZonePositions(of: zone.id).all(in: transaction) {
            // Of a deleted zone only the control logs with the deletion still travel.
            if zone.isDeleted, row.key.lane == .data { continue }
            forks[row.key] = row.forkProof
            isWaiting = isWaiting || row.appliedSize < size
            logs[row.key] = LogState(
                device: row.device,
                incarnation: row.incarnation,
                right: row.right,
                lane: row.key.lane,
                size: size,
                root: root
            )
        }
        let checkpoint = zone.adopted?.hash ?? .zero
        return ZoneSnapshot(
            zone: zone.id,
            genesis: zone.genesis,
            logs: logs,
            checkpoint: checkpoint,
            forks: forks,
            isWaiting: isWaiting,
            isUnverified: zone.isUnverified && zone.state == .live
        )
    }

    /// Makes a zone of this account.
    /// - Parameters:
    ///   - genesis: The genesis, from which the zone's id follows; this account is the owner.
    ///   - transaction: The store.
    /// - Returns: The zone's id, and the notice.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func createZone(
        _ genesis: ZoneGenesis,
        in transaction: inout some NodeTransaction
    ) throws -> (zone: ZoneID, notice: CommitNotice) {
        let zone = ZoneID(genesis)
        let notice = try tracking(zone, in: &transaction) { transaction in
            try transaction.createZone(zone, genesis: genesis, tagKey: tagKey(zone))
            try commitControl(.genesis(genesis), zone: zone, in: &transaction)
            if let row = try transaction.zone(zone) { try Schemas(self).beginProduction(in: row, &transaction) }
            try EpochKeys(self).begin(zone, in: &transaction)
            // A device that was removed before the zone was there is to begin nothing in it.
            if !account.removedDevices.isEmpty { _ = try rule(zone, in: &transaction) }
            var notice = CommitNotice(number: try transaction.nextCommitNumber())
            notice.zoneEvents.append((zone, false))
            return notice
        }
        return (zone, notice)
    }

    /// Adds a zone that a peer has announced.
    /// - Parameters:
    ///   - zone: Its id, as the peer has it.
    ///   - genesis: The genesis, from which the zone's id follows.
    ///   - transaction: The store.
    /// - Returns: The notice; it has the zone's snapshot also when the zone was known.
    /// - Throws: `CommitError.foreignZone`, or an error of the store.
    package func learn(
        _ zone: ZoneID,
        genesis: ZoneGenesis,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        let isKnown = try transaction.zone(zone).map(isCurrent) ?? false
        let isDerived = genesis.owner == account.account && genesis.partner == nil
        guard ZoneID(genesis) == zone, isDerived || isKnown else {
            throw CommitError.foreignZone(zone)
        }
        if !isDerived { return try tracking(zone, in: &transaction) { _ in CommitNotice() } }
        return try tracking(zone, in: &transaction) { transaction in
            let isNew = try transaction.createZone(zone, genesis: genesis, tagKey: tagKey(zone))
            var notice = CommitNotice()
            if isNew {
                notice.number = try transaction.nextCommitNumber()
                notice.zoneEvents.append((zone, false))
            } else if PlantedBug.believeEmptyPeer.isActive {
                let names = try transaction.records(zone: zone, after: nil, limit: 1_000).records.map(\.name)
                let deletions = names.map { RecordWrite(name: $0, delete: true) }
                _ = try write([WriteRequest(deletions, isAtomic: false)], zone: zone, in: &transaction)
            }
            return notice
        }
    }

    /// Adds a zone that another account shares with this one; its control log decides about the rights in it.
    /// - Parameters:
    ///   - genesis: The genesis, from which the zone's id follows.
    ///   - tagKey: The 32-byte key of its record tags.
    ///   - transaction: The store.
    /// - Returns: The zone's id, and the notice; without a number when the zone was known.
    /// - Throws: `CommitError.foreignZone` for a zone of the daemon's own of another account, `ReplicaError.zoneMismatch`, or
    ///   an error of the store.
    package func join(
        _ genesis: ZoneGenesis,
        tagKey: [UInt8],
        in transaction: inout some NodeTransaction
    ) throws -> (zone: ZoneID, notice: CommitNotice) {
        let zone = ZoneID(genesis)
        // People would not see such a zone, and so would not end it.
        guard !genesis.isInternal else { throw CommitError.foreignZone(zone) }
        if genesis.partner != nil { return try joinPair(ZoneTerms(genesis: genesis, tagKey: tagKey), in: &transaction) }
        let row = try transaction.zone(zone)
        let (before, wasLeft) = (row?.tagKey, row.map { !isCurrent($0) && $0.state == .sealed } ?? false)
        let notice = try tracking(zone, in: &transaction) { transaction in
            let isNew = try transaction.createZone(zone, genesis: genesis, tagKey: tagKey)
            guard var row = try transaction.zone(zone) else { return CommitNotice() }
            guard isNew || wasLeft else {
                var notice = CommitNotice()
                if before != tagKey { notice.authorities = try authorities([row], in: transaction) }
                return notice
            }
            (row.right, row.role, row.state) = (.zero, .unknown, .live)
            try transaction.save(row)
            var notice = CommitNotice(number: try transaction.nextCommitNumber())
            if wasLeft {
                // A right may have come with the control log since.
                _ = try rule(zone, in: &transaction)
                notice.authorities = try authorities([row], in: transaction)
            }
            notice.zoneEvents.append((zone, false))
            return notice
        }
        return (zone, notice)
    }

    /// Stops reading a zone in which this account has no part; its records stay in the store, unseen.
    ///
    /// This concerns only this device: no peer is notified. ``join(_:tagKey:in:)`` takes the zone up again.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The notice.
    /// - Throws: `CommitError.refused` when the account has a part in it, `ReplicaError.unknownZone`, or an error of the store.
    package func forget(_ zone: ZoneID, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        guard var row = try transaction.zone(zone) else { throw ReplicaError.unknownZone(zone) }
        guard row.role == .unknown, row.genesis.owner != account.account else {
            throw CommitError.refused(.ownerLeaves)
        }
        row.state = .sealed
        try transaction.save(row)
        var notice = CommitNotice(number: try transaction.nextCommitNumber())
        notice.account = account.account
        notice.forgotten = [zone]
        notice.zoneEvents.append((zone, true))
        notice.hasRecordChanges = try noteInFeed(zone, isTold: true, in: &transaction)
        return notice
    }

    /// Deletes a zone on all devices.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - reason: Why; for people.
    ///   - transaction: The store.
    /// - Returns: The notice.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func deleteZone(
        _ zone: ZoneID,
        reason: String,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        if let row = try transaction.zone(zone) {
            if row.genesis.partner != nil { throw CommitError.refused(.pairZone) }
            if row.role != .owner { throw CommitError.refused(.ownerOnly) }
        }
        return try tracking(zone, in: &transaction) { transaction in
            try commitControl(.zoneDeletion(reason: reason), zone: zone, in: &transaction)
            var notice = CommitNotice(number: try transaction.nextCommitNumber())
            notice.zoneEvents.append((zone, true))
            return notice
        }
    }

    private func tagKey(_ zone: ZoneID) -> [UInt8] {
        keyring.zoneTagKey(zone).exportBytes()
    }
}
