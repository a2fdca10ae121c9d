import Capabilities
import Identity
import Records
import Sync
import Wire

/// The rights in zones by the judge's own model, each resolved once for the same knowledge.
final class ResolvedRights {
    /// The number of operations of a control log that are effective.
    var controlBound = ControlBound()
    /// Resolved control logs, by the inputs on which they depend.
    private var models: [RightsStamp: RightsModel] = [:]
    /// Verified capabilities by their hash; `nil` for one that is not valid.
    private var tokens: [Hash: Capability?] = [:]

    /// Resolves the rights in a zone from a node's store and the account logs that it has.
    ///
    /// - Complexity: O(operations²) when the control log or an account log has changed, else O(logs).
    func model(
        in zone: ZoneRow,
        store: MemoryStore,
        accounts: KnownAccounts,
        ownDevice: DeviceID?
    ) throws -> RightsModel {
        let controls = try store.logs(zone: zone.id).filter { $0.key.lane == .control }
        return try model(in: zone, logs: controls.map { (store, $0) }, accounts: accounts, ownDevice: ownDevice)
    }

    /// Resolves the rights in a zone from control logs, each as one of several stores has it.
    func model(
        in zone: ZoneRow,
        logs: [(store: MemoryStore, row: LogRow)],
        accounts: KnownAccounts,
        ownDevice: DeviceID?
    ) throws -> RightsModel {
        var stamp = RightsStamp(zone: zone.id, device: ownDevice, accounts: accounts.heads)
        stamp.logs = ends(of: logs.map(\.row), by: nil)
        var model = try model(stamp, zone, logs, accounts)
        // A right that is known now may extend a log, which may make further rights known: at most once for each log.
        for _ in logs {
            let ends = ends(of: logs.map(\.row), by: model)
            if ends == stamp.logs { break }
            stamp.logs = ends
            model = try self.model(stamp, zone, logs, accounts)
        }
        return model
    }

    /// The effective size of a log in a world of one account; `nil` for all of it.
    func limit(of key: LogKey, device: DeviceID, under right: Hash, _ look: StoreLook) throws -> UInt64? {
        guard let account = look.account, account.standing(of: device) != .active(.full),
            let zone = try look.store.zone(key.zone)
        else { return nil }
        let model = try model(in: zone, store: look.store, accounts: KnownAccounts(account), ownDevice: look.device)
        return model.limit(of: key.actorLane, device: device, under: right).flatMap { $0 == .max ? nil : $0 }
    }

    /// The size up to which each control log is effective, as far as rights are known.
    private func ends(of rows: [LogRow], by model: RightsModel?) -> [ActorID: UInt64] {
        rows.reduce(into: [:]) { ends, row in
            let bound = controlBound.size(under: row.right, by: model)
            ends[row.key.actor] = min(row.size, row.forkProof?.forkPoint ?? .max, bound)
        }
    }

    private func model(
        _ stamp: RightsStamp,
        _ zone: ZoneRow,
        _ logs: [(store: MemoryStore, row: LogRow)],
        _ accounts: KnownAccounts
    ) throws -> RightsModel {
        if let known = models[stamp] { return known }
        let statements = try logs.flatMap { store, row in
            try store.items(row.key, from: 0, to: stamp.logs[row.key.actor] ?? 0).compactMap { item in
                try statement(item, of: row)
            }
        }
        let model = RightsModel(
            zone: zone.id,
            owners: zone.genesis.owners,
            statements: statements,
            accounts: accounts.states,
            ownDevice: stamp.device
        )
        if models.count > 256 { models = [:] }
        models[stamp] = model
        return model
    }

    private func statement(_ item: StoredItem, of row: LogRow) throws -> RightsModel.Statement? {
        guard case .operation(let stored) = item.content else { return nil }
        let (header, body) = (stored.operation.header, try ControlBody(decoding: stored.operation.body))
        var seen = header.vector
        seen[row.key.actor] = 0
        return RightsModel.Statement(
            place: Dot(actor: row.key.actor, counter: header.counter),
            device: row.device,
            right: row.right,
            seen: seen,
            hash: header.leafHash,
            body: body,
            carried: body.capabilities.reduce(into: [:]) { carried, signed in
                if let capability = valid(signed) { carried[signed.id] = capability }
            }
        )
    }

    /// Returns a capability whose signature is valid; each signature is verified once.
    private func valid(_ signed: SignedCapability) -> Capability? {
        if let known = tokens[signed.id] { return known }
        // An invalid capability grants nothing.
        let capability = (try? VerifiedCapability(UnverifiedCapability(signed)))?.capability
        tokens[signed.id] = .some(capability)
        return capability
    }
}

/// The inputs on which a resolved control log depends.
struct RightsStamp: Hashable {
    var zone: ZoneID
    var device: DeviceID?
    var accounts: [AccountID: [Hash]]
    var logs: [ActorID: UInt64] = [:]
}
