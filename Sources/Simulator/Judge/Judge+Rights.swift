import Capabilities
import Identity
import Records
import Sync
import Wire

// Who may do what in zones of several accounts: what the nodes make of it, against the plain model.
extension Judge {
    /// What a node's store, and the account logs it has, say about who may do what in a zone.
    ///
    /// - Complexity: O(operations²) when the control log or an account log has changed, else O(logs).
    func rights(
        in zone: ZoneRow,
        store: MemoryStore,
        accounts: KnownAccounts,
        ownDevice: DeviceID?
    ) throws -> RightsModel {
        let controls = try store.logs(zone: zone.id).filter { $0.key.lane == .control }
        return try rights(in: zone, logs: controls.map { (store, $0) }, accounts: accounts, ownDevice: ownDevice)
    }

    /// What control logs say, each as one of several stores has it.
    func rights(
        in zone: ZoneRow,
        logs: [(store: MemoryStore, row: LogRow)],
        accounts: KnownAccounts,
        ownDevice: DeviceID?
    ) throws -> RightsModel {
        var stamp = RightsStamp(zone: zone.id, device: ownDevice, accounts: accounts.heads)
        stamp.logs = ends(of: logs.map(\.row), by: nil)
        var model = try model(stamp, zone, logs, accounts)
        // A right that is known now may reach further, and more be known by what is read then: no more often than there are logs.
        for _ in logs {
            let ends = ends(of: logs.map(\.row), by: model)
            if ends == stamp.logs { break }
            stamp.logs = ends
            model = try self.model(stamp, zone, logs, accounts)
        }
        return model
    }

    /// Up to where each control log counts, as far as rights are known.
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

    /// A capability whose signature is valid; each is looked at once.
    private func valid(_ signed: SignedCapability) -> Capability? {
        if let known = tokens[signed.id] { return known }
        // What is not valid grants nothing.
        let capability = (try? VerifiedCapability(UnverifiedCapability(signed)))?.capability
        tokens[signed.id] = .some(capability)
        return capability
    }

    // MARK: A store against the model

    /// What a store makes of a zone's logs has to be what its control operations and the account logs say.
    func checkRights(_ zone: ZoneRow, _ look: StoreLook) throws {
        // What was left is not followed any more; it is ruled anew when it is taken up again.
        guard let account = look.account, zone.state != .sealed else { return }
        let model = try rights(in: zone, store: look.store, accounts: look.accounts, ownDevice: look.device)
        if model.isPair, zone.isDeleted {
            throw look.violation(.rights, "a zone of two accounts, \(zone.id.shortText), was deleted")
        }
        for row in try look.store.logs(zone: zone.id) { try checkRuling(of: row, model, look) }
        let held = try zone.productionSchema()
        guard held?.schema == model.production?.schema,
            Set(held?.promotions ?? []) == model.production?.promotions ?? [],
            held?.last == model.production?.last
        else { throw look.violation(.rights, "another schema is in force in \(zone.id.shortText) than was promoted") }
        let level = model.level(of: account.account)
        let own: AccessLevel? =
            switch zone.role {
            case .owner: .admin
            case .participant(let scope): scope.level
            case .unknown, .ended: nil
            }
        guard level == own, (zone.role == .owner) == model.present.contains(account.account) else {
            throw look.violation(
                .rights,
                "the node takes itself for \(zone.role) in \(zone.id.shortText), its account has"
                    + " \(level.map { "\($0)" } ?? "nothing")"
            )
        }
    }

    private func checkRuling(of row: LogRow, _ model: RightsModel, _ look: StoreLook) throws {
        let scope = model.account(row.right).flatMap { _ in model.tokens[row.right] }.map { WriteScope($0) }
        let role: LogRole =
            model.owners.contains { $0.right == row.right } ? .owner : scope.map { .participant($0) } ?? .unknown
        var spoken = row.role
        if case .ended(let before, _) = spoken { spoken = before }
        guard spoken == role else {
            throw look.violation(.rights, "\(row.key) speaks as \(row.role), should be \(role)")
        }
        let lane = row.key.actorLane
        let limit = model.limit(of: lane, device: row.device, under: row.right)
        // Which history of a log counts that has two is not decided by a size.
        if row.isForked || library.forked.contains(row.key) { return }
        guard row.key.lane == .data else {
            let held = model.heldLimit(of: lane, device: row.device, under: row.right)
            if role != .unknown, held ?? .max != row.cut?.size ?? .max {
                throw look.violation(.rights, "\(row.key) is held up to \(row.cut?.size ?? .max), not \(held ?? .max)")
            }
            return
        }
        // What leads to a stated end counts once it is there.
        let end = model.statedEnd(of: lane, device: row.device, under: row.right)
        if let end, row.cut?.size == end, row.size >= end { return }
        guard limit ?? 0 == row.cut?.size ?? .max else {
            throw look.violation(
                .rights,
                "\(row.key) of \(row.device.shortText) counts up to \(row.cut.map { "\($0.size)" } ?? "its end"),"
                    + " should be \(limit.map { "\($0)" } ?? "unknown")"
            )
        }
    }

    // MARK: What is within a right

    /// Whether an operation is one that its author may make, by the roles of the logs.
    func isWithinRight(_ entry: OperationLibrary.Entry, at place: OperationLibrary.Place, _ roles: Roles) -> Bool {
        guard let body = entry.body else { return false }
        // Whoever names a promotion that counts has to go by what all of them say.
        if let production = roles.production, production.promotions.contains(entry.operation.header.controlHeads),
            !production.schema.violations(of: body, by: Dot(actor: place.key.actor, counter: place.counter)).isEmpty
        {
            return false
        }
        switch roles[place.key.actor] ?? .unknown {
        case .owner: return true
        case .unknown, .ended: return false
        case .participant(let scope):
            let isReached =
                (scope.caveats.recordTypes.isEmpty || scope.caveats.recordTypes.contains(body.type))
                && body.name.hasPrefix(scope.caveats.namePrefix)
            return isReached && isWithinLevel(entry.operation.header, scope, at: place, roles)
        }
    }

    /// Whether an operation that cannot be read is one that its author may make, if it is of the right type and name.
    func isWithinRight(unread header: OperationHeader, at place: OperationLibrary.Place, _ roles: Roles) -> Bool {
        switch roles[place.key.actor] ?? .unknown {
        case .owner: true
        case .unknown, .ended: false
        case .participant(let scope): isWithinLevel(header, scope, at: place, roles)
        }
    }

    /// Who may only add has seen nothing of the record but what its own account wrote.
    private func isWithinLevel(
        _ header: OperationHeader,
        _ scope: WriteScope,
        at place: OperationLibrary.Place,
        _ roles: Roles
    ) -> Bool {
        if scope.level >= .write { return true }
        guard scope.level >= .append else { return false }
        return header.vector.entries.allSatisfy { dot in
            if dot.actor == place.key.actor { return true }
            guard case .participant(let other)? = roles[dot.actor] else { return false }
            return other.account == scope.account
        }
    }

    /// As whom the authors of a zone's data logs speak in a store.
    func roles(in zone: ZoneID, _ store: MemoryStore) throws -> Roles {
        let production = try store.zone(zone)?.productionSchema()
        return try store.logs(zone: zone).reduce(into: Roles(production: production)) { roles, row in
            if row.key.lane == .data { roles[row.key.actor] = row.role }
        }
    }

    /// As whom the author of each data log of a zone speaks, and the schema that all go by.
    struct Roles {
        /// As the store has it; whether that is right is checked elsewhere.
        let production: ProductionSchema?
        private var byActor: [ActorID: LogRole] = [:]

        init(production: ProductionSchema?) {
            self.production = production
        }

        subscript(actor: ActorID) -> LogRole? {
            get { byActor[actor] }
            set { byActor[actor] = newValue }
        }
    }
}

/// What a resolved control log hangs on.
struct RightsStamp: Hashable {
    var zone: ZoneID
    var device: DeviceID?
    var accounts: [AccountID: [Hash]]
    var logs: [ActorID: UInt64] = [:]
}
