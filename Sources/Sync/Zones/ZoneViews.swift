package import Capabilities
import Identity
package import Records
package import Wire

/// The state of zones: their rights and overviews for people and programs, their logs and authorities for peers.
package struct ZoneViews: Sendable {
    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    // MARK: For people and programs

    /// Returns the state of a zone's control log.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The state, from all control operations that are held.
    /// - Throws: `ReplicaError.unknownZone`, or an error of the store.
    /// - Complexity: As of ``ControlMemory``: O(control operations) the first time, and a signature check for each
    ///   capability in them.
    package func controlState(_ zone: ZoneID, in transaction: some NodeTransaction) throws -> ControlState {
        try ZoneRights(zone, of: committer, in: transaction).state
    }

    /// Returns the times at which a zone's effective rights were granted, by the clocks of the granting devices.
    /// - Parameters:
    ///   - state: The state of the zone's control log.
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: Milliseconds since 1970, by the granting operation.
    /// - Throws: `ReplicaError.unknownZone`, or an error of the store.
    /// - Complexity: O(capabilities that hold), and as ``controlState(_:in:)``.
    package func grantTimes(
        _ state: ControlState,
        zone: ZoneID,
        in transaction: some NodeTransaction
    ) throws -> [Hash: UInt64] {
        guard let row = try transaction.zone(zone) else { throw ReplicaError.unknownZone(zone) }
        let held = state.participants.values.flatMap(\.capabilities)
        let grants = Set(held.compactMap { state.capabilities[$0]?.since })
        return try committer.controls.use(row, committer.directory, verify: committer.verify, in: transaction) {
            controls,
            _ in
            grants.reduce(into: [:]) { $0[$1] = controls.grantTimes[$1] }
        }
    }

    /// Returns the overview of a zone.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The overview.
    /// - Throws: `ReplicaError.unknownZone`, or an error of the store.
    /// - Complexity: As ``controlState(_:in:)``.
    package func overview(of zone: ZoneID, in transaction: some NodeTransaction) throws -> ZoneOverview {
        let state = try controlState(zone, in: transaction)
        let readers = state.participants.filter { $0.value.rights.level >= .read }.map(\.key)
        let own = committer.account.account
        let members = Set(state.owners + readers).sorted { $0 == own ? $1 != own : $1 != own && $0 < $1 }
        let others = members.flatMap { member in
            (committer.accounts[member]?.activeDevices ?? []).filter { $0 != committer.device }
                .map { ZoneOverview.Member(device: $0, account: member) }
        }
        return ZoneOverview(state: state, level: level(in: state), others: others)
    }

    /// Whether people and programs see a zone: not an internal one, nor one of an account that this device has left, nor one that
    /// this account has given up.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: True for a zone from which others have removed this account: it still holds the records from
    ///   before, and has to be notified.
    /// - Throws: Any error of the store.
    /// - Complexity: O(1) while the account has a right, otherwise as ``controlState(_:in:)``.
    package func isShown(_ zone: ZoneRow, in transaction: some NodeTransaction) throws -> Bool {
        guard committer.isCurrent(zone), !zone.isInternal else { return false }
        guard zone.role == .unknown else { return true }
        return try !controlState(zone.id, in: transaction).hasGivenUp(committer.account.account)
    }

    /// The highest level among the account's rights that are in their time now.
    private func level(in state: ControlState) -> AccessLevel? {
        if state.isOwned(by: committer.account.account) { return state.isPair ? .write : .admin }
        let held = (state.participants[committer.account.account]?.capabilities ?? []).compactMap {
            state.capabilities[$0]
        }
        return held.lazy.map(\.capability).filter { capability in
            // It makes no difference whether it is too early or too late.
            (try? capability.caveats.checkTime(committer.wallMilliseconds)) != nil
        }.map(\.rights.level).max()
    }

    // MARK: For peers

    /// Returns the active devices that are to hold a zone: those of its owners and of all accounts that may read it.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The devices, ascending.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func members(of zone: ZoneRow, in transaction: some NodeTransaction) throws -> [DeviceID] {
        try ZoneRights(zone, of: committer, in: transaction).members
    }

    /// Returns the authorities of the zones that several accounts take part in, or may take part in.
    /// - Parameter transaction: The store.
    /// - Returns: One for each zone, ascending; none for zones of this account alone.
    /// - Throws: Any error of the store.
    /// - Complexity: O(control operations).
    package func authorities(_ transaction: some NodeTransaction) throws -> [ZoneAuthority] {
        try transaction.zones().filter(committer.isCurrent).map { try authority(of: $0, in: transaction) }
            .filter { $0.parties != [committer.account.account] || $0.isPublic }
    }

    /// Returns the authority of a zone, also where only this account takes part any more.
    ///
    /// Other accounts' grants may turn out never to have been effective, and an account that learned otherwise has to
    /// be notified.
    func authority(of zone: ZoneRow, in transaction: some NodeTransaction) throws -> ZoneAuthority {
        let rights = try ZoneRights(zone, of: committer, in: transaction)
        let terms = ZoneTerms(genesis: zone.genesis, tagKey: zone.tagKey)
        return ZoneAuthority(terms, state: rights.state, directory: rights.directory)
    }

    /// Snapshots of all zones that this account takes part in.
    /// - Parameter transaction: The store.
    /// - Returns: One a zone, ascending by id; deleted zones too.
    /// - Throws: Any error of the store.
    package func snapshots(_ transaction: some NodeTransaction) throws -> [ZoneSnapshot] {
        try transaction.zones().filter(committer.isCurrent).map {
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
        var uncompared: Set<LogKey> = []
        var isWaiting = false
        for (row, size, root) in try ZonePositions(of: zone.id).all(in: transaction) {
            // Of a deleted zone only the control logs with the deletion still travel.
            if zone.isDeleted, row.key.lane == .data { continue }
            forks[row.key] = row.forkProof
            if !row.isCompared { uncompared.insert(row.key) }
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
            uncompared: uncompared,
            isWaiting: isWaiting,
            isUnverified: zone.isUnverified && zone.state == .live
        )
    }
}
