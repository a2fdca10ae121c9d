import Capabilities
import Identity
import Records
import Wire

/// The statements about this account's removed devices: how much of their operations in a zone is
/// effective.
///
/// `docs/protocol/positions.md` has the rules.
struct RemovalStatements {
    /// The approximate number of positions in one operation: further devices follow in further
    /// ones.
    private static let positionCount = 1_024

    let committer: Committer
    private var account: AccountState { committer.account }

    /// Works within one transaction.
    init(_ committer: Committer) {
        self.committer = committer
    }

    /// States how much is effective of the operations of this account's removed devices, where no
    /// active device has stated it.
    ///
    /// A removal's witness makes the statement at once, another device at once where no witness is
    /// left. Else it waits for a day, as does a device that has only begun to fetch the zone.
    /// - Parameters:
    ///   - row: The zone.
    ///   - rights: The rights by the zone's control log.
    ///   - waits: Whether to make no statement yet where another device is to make it.
    ///   - transaction: The store.
    /// - Returns: Whether this device made a statement, or has to make one.
    /// - Throws: `ReplicaError`, or an error of the store.
    func make(
        _ row: ZoneRow,
        _ rights: ZoneRights,
        waits: Bool,
        in transaction: inout some NodeTransaction
    ) throws -> OwedStatements.Outcome {
        let unsaid = rights.state.unsaidRemovals(of: account.account, removed: account.removedDevices)
        guard committer.mayWrite, row.state == .live, !unsaid.isEmpty else { return .nothing }
        let isBehind = try isBehind(row, in: transaction)
        var outcome = OwedStatements.Outcome.nothing
        for removals in unsaid {
            let due = removals.devices.filter { !waits || (!isBehind && isDue($0)) }
            if due.count < removals.devices.count { outcome.isSomethingLater = true }
            guard !due.isEmpty, let author = try author(under: removals.right, rights, zone: row, in: transaction)
            else { continue }
            if try state(due, by: author, rights, zone: row.id, in: &transaction) { outcome.isSomethingSaid = true }
        }
        return outcome
    }

    /// States the effective part of a removed device's operations, if no device has, before some of
    /// them are kept as quarantined.
    func make(about removed: DeviceID, zone: ZoneID, in transaction: inout some NodeTransaction) throws {
        guard account.standing(of: removed) == .removed, let row = try transaction.zone(zone) else { return }
        let rights = try ZoneRights(row, of: committer, in: transaction)
        let unsaid = rights.state.unsaidRemovals(of: account.account, removed: [removed])
        guard committer.mayWrite, row.state == .live, !unsaid.isEmpty else { return }
        // Only for this device: it must not cause statements that are due only after a day.
        for removals in unsaid {
            guard let author = try author(under: removals.right, rights, zone: row, in: transaction) else { continue }
            _ = try state([removed], by: author, rights, zone: zone, in: &transaction)
        }
        _ = try LogRulings(committer).rule(zone, in: &transaction)
    }

    /// States the part of some devices' operations under the author's right that is effective here.
    /// - Returns: Whether any of it was stated. A statement without room in this store's control
    ///   log will never have any, and another device of the account makes it.
    private func state(
        _ devices: [DeviceID],
        by author: Author,
        _ rights: ZoneRights,
        zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> Bool {
        let wanted = Set(devices)
        var byDevice: [DeviceID: [LogPosition]] = [:]
        let rows = try transaction.logs(zone: zone).filter { wanted.contains($0.device) && $0.right == author.right }
        let owners = Dictionary(uniqueKeysWithValues: rows.map { ($0.key.actorLane, $0.device) })
        let positions = try ZonePositions(of: zone).statable(in: transaction) { log in
            owners[log.key.actorLane] == nil ? 0 : rights.effectiveCut(of: log).size
        }
        for position in positions {
            if let device = owners[position.key] { byDevice[device, default: []].append(position) }
        }
        let said = try Self.batches(of: devices, byDevice).compactMap { cuts in
            try ControlStatements(committer).commitIfRoom(.deviceCuts(cuts), zone: zone, by: author, in: &transaction)
        }
        return !said.isEmpty
    }

    /// Divides the positions of devices into as few operations as have about the size that one may
    /// have.
    private static func batches(of devices: [DeviceID], _ positions: [DeviceID: [LogPosition]]) -> [DeviceCuts] {
        var batches: [DeviceCuts] = []
        var (spoken, cuts): ([DeviceID], [LogPosition]) = ([], [])
        for device in devices {
            let more = positions[device] ?? []
            if !spoken.isEmpty,
                spoken.count >= Limits.removedDeviceCountMax || cuts.count + more.count > positionCount
            {
                batches.append(DeviceCuts(devices: spoken, cuts: cuts))
                (spoken, cuts) = ([], [])
            }
            spoken.append(device)
            cuts += more
        }
        return batches + [DeviceCuts(devices: spoken, cuts: cuts)]
    }

    /// Whether this device states the effective part of a removed device's operations at once.
    private func isDue(_ removed: DeviceID) -> Bool {
        let witnesses = account.witnesses(of: removed)
        return witnesses.contains(committer.device)
            || !witnesses.contains { account.standing(of: $0) == .active(.full) }
    }

    /// Whether the zone is only being fetched: this device has applied no records of it, and wrote
    /// nothing in it if there are none.
    private func isBehind(_ row: ZoneRow, in transaction: some NodeTransaction) throws -> Bool {
        if row.isUnverified { return true }
        let logs = try transaction.logs(zone: row.id)
        let data = logs.filter { $0.key.lane == .data }
        return data.isEmpty
            ? !logs.contains { $0.device == committer.device && $0.size > 0 } : !data.contains { $0.appliedSize > 0 }
    }

    /// Returns the author for this store's statements about logs under one of its account's rights.
    /// - Returns: `nil` where its own control log under that right cannot continue.
    private func author(
        under right: Hash,
        _ rights: ZoneRights,
        zone: ZoneRow,
        in transaction: some NodeTransaction
    ) throws -> Author? {
        guard let incarnation = try transaction.incarnation() else { return nil }
        let author = committer.author(in: incarnation, under: right, as: rights.role(of: right))
        let key = LogKey(zone: zone.id, actor: author.actor, lane: .control)
        guard let own = try transaction.log(key) else {
            let room = LaneRoom(try transaction.logs(zone: zone.id), .control)
            let head = LogRow(key: key, device: author.device, incarnation: incarnation, right: right)
            return room.refusal(toBeginOwn: head, as: author.role) == nil ? author : nil
        }
        let budget = ControlBudget(of: author.role, within: transaction.controlBounds)
        guard budget.hasRoom(behind: own) else { return nil }
        return own.mayContinue ? author : nil
    }
}

extension EffectiveCut {
    /// The greatest effective size.
    var size: UInt64 {
        switch self {
        case .none: .max
        case .at(let size, _): size
        case .zero, .waiting: 0
        }
    }
}
