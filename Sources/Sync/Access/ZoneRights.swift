import Capabilities
import Identity
import Records
import Wire

/// The decisions in one zone at one moment.
struct ZoneRights {
    /// The state of the control log, from all control operations that are held.
    let state: ControlState
    /// The accounts by whose logs it is read.
    let directory: ZoneDirectory
    /// The epochs of the zone's key.
    let graph: EpochGraph

    init(_ zone: ZoneRow, of committer: Committer, in transaction: some NodeTransaction) throws {
        let directory = committer.directory
        self.directory = directory
        (state, graph) = try committer.controls.use(zone, directory, verify: committer.verify, in: transaction) {
            controls,
            rows in
            (controls.state(rows, directory), controls.graph)
        }
    }

    /// Reads the control log of a zone.
    /// - Throws: `ReplicaError.unknownZone`, or an error of the store.
    init(_ zone: ZoneID, of committer: Committer, in transaction: some NodeTransaction) throws {
        guard let row = try transaction.zone(zone) else { throw ReplicaError.unknownZone(zone) }
        try self.init(row, of: committer, in: transaction)
    }

    /// The schema in force; nil in development.
    var production: ProductionSchema? {
        ProductionSchema(state.promotions.map { SchemaPromotion(hash: $0.entry, bytes: $0.schema) })
    }

    /// Whether the zone is read by accounts that have no right in it, so that sealing it would hide
    /// nothing.
    var isReadByAll: Bool {
        let access = state.publicAccess
        return access.world.contains(.read) || access.authenticated.contains(.read)
    }

    /// The devices that are to read new writes, with their accounts: those of the owners and of all
    /// accounts that may read, except devices that only store.
    ///
    /// A device that moved from one account to another without being removed from the first is in
    /// both. It reads for an owner where it can, and for the first of the others by their ids.
    var readers: [DeviceID: AccountID] {
        let members =
            state.owners + state.participants.filter { $0.value.rights.level >= .read }.map(\.key).sorted()
        var readers: [DeviceID: AccountID] = [:]
        for account in members {
            guard let known = directory.accounts[account] else { continue }
            for device in known.activeDevices where known.devices[device]?.role != .relayOnly {
                if readers[device] == nil { readers[device] = account }
            }
        }
        return readers
    }

    /// The active devices that are to hold the zone, ascending: those of its owners and of all
    /// accounts that may read it.
    var members: [DeviceID] {
        let readers = state.participants.filter { $0.value.rights.level >= .read }.map(\.key)
        return Set(state.owners + readers).flatMap { directory.accounts[$0]?.activeDevices ?? [] }.sorted()
    }

    /// Whether an account holds a right to write that is in its time.
    ///
    /// The right under which its devices write is the strongest one, and another one may outlast
    /// it.
    func mayAppend(_ account: AccountID, at wallMilliseconds: UInt64) -> Bool {
        let held = (state.participants[account]?.capabilities ?? []).compactMap { state.capabilities[$0]?.capability }
        return held.contains { $0.rights.level >= .append && $0.caveats.refusal(at: wallMilliseconds) == nil }
    }

    // MARK: Rulings

    /// Decides about a log, as far as it is held: once a data log has reached a stated end, all of
    /// it up to that end is effective.
    /// - Complexity: as of ``ControlState/cut(of:device:under:directory:)``, and O(leaves since a
    ///   retained head) where an end is stated.
    func ruling(of row: LogRow, in transaction: some NodeTransaction) throws -> LogRuling {
        var ruling = ruling(of: row)
        if let end = statedEnd(of: row), try StoredLog(row).reaches(end, in: transaction) {
            ruling.cut = LogCut(size: end.size, root: end.root)
        }
        return ruling
    }

    /// The end of a data log by the operation that ended its right, if the owner has not confirmed
    /// so much; all up to there is effective once it is held.
    func statedEnd(of row: LogRow) -> (size: UInt64, root: Hash)? {
        guard row.key.lane == .data else { return nil }
        if let capability = state.capabilities[row.right]?.capability, capability.rights.level < .append { return nil }
        let open = state.openCut(of: row.key.actorLane, device: row.device, under: row.right, directory: directory)
        guard case .at(let size, let root) = open, !effectiveCut(of: row).admits(size) else { return nil }
        return (size, root)
    }

    func ruling(of row: LogRow) -> LogRuling {
        let role = role(of: row.right)
        guard row.key.lane == .control else { return LogRuling(role: role, cut: effectiveCut(of: row).logCut) }
        let held = state.heldCut(of: row.key.actorLane, device: row.device, under: row.right, directory: directory)
        let cut = held.controlCut
        let isFormer = role == .owner && !state.stands(row.device, under: row.right, directory: directory)
        guard role != .unknown, let counting = effectiveCut(of: row).controlCut,
            isFormer || counting.size < cut?.size ?? .max
        else {
            return LogRuling(role: role, cut: cut)
        }
        return LogRuling(role: .ended(role, at: counting.size), cut: cut)
    }

    // MARK: Roles

    /// The right and the role by which an account writes now; `.unknown` while it has none.
    func own(_ account: AccountID) -> (right: Hash, role: LogRole) {
        if let ownership = state.ownership(of: account) { return (ownership.right, .owner) }
        guard let right = state.participants[account]?.via else { return (.zero, .unknown) }
        return (right, role(of: right))
    }

    func role(of right: Hash) -> LogRole {
        if state.ownership(with: right) != nil { return .owner }
        guard let capability = state.capabilities[right]?.capability else { return .unknown }
        return .participant(WriteScope(capability))
    }

    /// Returns the effective size of a log, or that it is not known yet.
    func effectiveCut(of row: LogRow) -> EffectiveCut { cut(of: row, directory) }

    /// Returns the effective size of a log for stores of other devices than this one.
    func cutForOthers(of row: LogRow) -> EffectiveCut {
        cut(of: row, ZoneDirectory(accounts: directory.accounts, ownDevice: nil))
    }

    private func cut(of row: LogRow, _ directory: ZoneDirectory) -> EffectiveCut {
        // Data of an author without the right to write is not kept.
        if row.key.lane == .data, let capability = state.capabilities[row.right]?.capability,
            capability.rights.level < .append
        {
            return .zero
        }
        return state.cut(of: row.key.actorLane, device: row.device, under: row.right, directory: directory)
    }
}

extension ZoneControls {
    /// Returns the state that results from the operations, without those of surplus logs.
    fileprivate func state(_ rows: [LogRow], _ directory: ZoneDirectory) -> ControlState {
        let whole = resolution.state
        guard LaneRoom.mayHaveSurplus(rows, .control), LaneRoom(rows, .control, cut: { _ in nil }).hasSurplus else {
            return whole
        }
        // The state of all operations decides which logs end for another reason; the result comes
        // from the logs that are not surplus.
        let room = LaneRoom(rows, .control) {
            whole.heldCut(of: $0.key.actorLane, device: $0.device, under: $0.right, directory: directory).controlCut
        }
        guard room.hasSurplus else { return whole }
        return resolution.state(without: Set(rows.filter(room.isSurplus).map(\.key.actorLane)))
    }
}

extension EffectiveCut {
    /// The end of a data log; no records are taken until it is known.
    fileprivate var logCut: LogCut? {
        switch self {
        case .none: nil
        case .at(let size, let root): LogCut(size: size, root: root)
        case .zero, .waiting: .zero
        }
    }

    /// The end of a control log; the log is kept, without an effect, while it is not known.
    fileprivate var controlCut: LogCut? {
        if case .waiting = self { nil } else { logCut }
    }
}
