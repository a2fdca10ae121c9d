import Capabilities
import Identity
import Records
import Sodium
package import Wire

/// The life of zones: making, learning of, joining, forgetting and deleting them.
package struct ZoneLifecycle: Sendable {
    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// Makes a zone of this account.
    /// - Parameters:
    ///   - genesis: The genesis, from which the zone's id follows; this account is the owner.
    ///   - transaction: The store.
    /// - Returns: The zone's id, and the notice.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func create(
        _ genesis: ZoneGenesis,
        in transaction: inout some NodeTransaction
    ) throws -> (zone: ZoneID, notice: CommitNotice) {
        let zone = ZoneID(genesis)
        let notice = try committer.tracking(zone, in: &transaction) { transaction in
            try transaction.createZone(zone, genesis: genesis, tagKey: tagKey(zone))
            try ControlStatements(committer).commit(.genesis(genesis), zone: zone, in: &transaction)
            if let row = try transaction.zone(zone) { try Schemas(committer).beginProduction(in: row, &transaction) }
            try EpochKeys(committer).begin(zone, in: &transaction)
            // A device that was removed before the zone was there is to begin nothing in it.
            if !committer.account.removedDevices.isEmpty { _ = try LogRulings(committer).rule(zone, in: &transaction) }
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
        let isKnown = try transaction.zone(zone).map(committer.isCurrent) ?? false
        let isDerived = genesis.owner == committer.account.account && genesis.partner == nil
        guard ZoneID(genesis) == zone, isDerived || isKnown else {
            throw CommitError.foreignZone(zone)
        }
        if !isDerived { return try committer.tracking(zone, in: &transaction) { _ in CommitNotice() } }
        return try committer.tracking(zone, in: &transaction) { transaction in
            let isNew = try transaction.createZone(zone, genesis: genesis, tagKey: tagKey(zone))
            var notice = CommitNotice()
            if isNew {
                notice.number = try transaction.nextCommitNumber()
                notice.zoneEvents.append((zone, false))
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
        if genesis.partner != nil {
            return try PairZones(committer).join(ZoneTerms(genesis: genesis, tagKey: tagKey), in: &transaction)
        }
        let row = try transaction.zone(zone)
        let (before, wasLeft) = (row?.tagKey, row.map { !committer.isCurrent($0) && $0.state == .sealed } ?? false)
        let notice = try committer.tracking(zone, in: &transaction) { transaction in
            let isNew = try transaction.createZone(zone, genesis: genesis, tagKey: tagKey)
            guard var row = try transaction.zone(zone) else { return CommitNotice() }
            guard isNew || wasLeft else {
                var notice = CommitNotice()
                if before != tagKey { notice.note(try rightsNotice(of: row, in: transaction)) }
                return notice
            }
            (row.right, row.role, row.state) = (.zero, .unknown, .live)
            try transaction.save(row)
            var notice = CommitNotice(number: try transaction.nextCommitNumber())
            if wasLeft {
                // A right may have come with the control log since.
                _ = try LogRulings(committer).rule(zone, in: &transaction)
                notice.note(try rightsNotice(of: row, in: transaction))
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
        guard row.role == .unknown, row.genesis.owner != committer.account.account else {
            throw CommitError.refused(.ownerLeaves)
        }
        row.state = .sealed
        try transaction.save(row)
        var notice = CommitNotice(number: try transaction.nextCommitNumber())
        notice.note(PeerNotice(of: committer.account.account, forgotten: [zone]))
        notice.zoneEvents.append((zone, true))
        if try FeedZones(committer).note(zone, always: true, in: &transaction) { notice.feed.insert(.others) }
        return notice
    }

    /// Deletes a zone on all devices.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - reason: Why; for people.
    ///   - transaction: The store.
    /// - Returns: The notice.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func delete(
        _ zone: ZoneID,
        reason: String,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        if let row = try transaction.zone(zone) {
            if row.genesis.partner != nil { throw CommitError.refused(.pairZone) }
            if row.role != .owner { throw CommitError.refused(.ownerOnly) }
        }
        return try committer.tracking(zone, in: &transaction) { transaction in
            try ControlStatements(committer).commit(.zoneDeletion(reason: reason), zone: zone, in: &transaction)
            var notice = CommitNotice(number: try transaction.nextCommitNumber())
            notice.zoneEvents.append((zone, true))
            return notice
        }
    }

    private func rightsNotice(of zone: ZoneRow, in transaction: some NodeTransaction) throws -> PeerNotice {
        let authority = try ZoneViews(committer).authority(of: zone, in: transaction)
        return PeerNotice(of: committer.account.account, authorities: [authority])
    }

    private func tagKey(_ zone: ZoneID) -> [UInt8] {
        committer.keyring.zoneTagKey(zone).exportBytes()
    }
}
