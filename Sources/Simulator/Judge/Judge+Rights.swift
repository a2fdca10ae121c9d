import Capabilities
import Identity
import Records
import Sync
import Wire

// Checks the rights in zones of several accounts: the nodes' resolution against the plain model.
extension Judge {
    /// Resolves the rights in a zone from a node's store and the account logs that it has.
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

    /// Resolves the rights in a zone from control logs, each as one of several stores has it.
    func rights(
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

    // MARK: A store against the model

    /// Checks that a store resolves a zone's logs as its control operations and the account logs require.
    func checkRights(_ zone: ZoneRow, _ look: StoreLook) throws {
        // A zone that was left is not followed any more; its rights are resolved again when it is taken up again.
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
        else { throw look.violation(.rights, "the schema in force in \(zone.id.shortText) is not the promoted one") }
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
                "the node's role in \(zone.id.shortText) is \(zone.role), its account has"
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
            throw look.violation(.rights, "\(row.key) has the role \(row.role), should be \(role)")
        }
        let lane = row.key.actorLane
        let limit = model.limit(of: lane, device: row.device, under: row.right)
        // A size does not decide which history of a forked log is effective.
        if row.isForked || library.forked.contains(row.key) { return }
        guard row.key.lane == .data else {
            let held = model.heldLimit(of: lane, device: row.device, under: row.right)
            if role != .unknown, held ?? .max != row.cut?.size ?? .max {
                throw look.violation(.rights, "\(row.key) is held up to \(row.cut?.size ?? .max), not \(held ?? .max)")
            }
            return
        }
        // The operations that lead to a stated end are effective once all of them are here.
        let end = model.statedEnd(of: lane, device: row.device, under: row.right)
        if let end, row.cut?.size == end, row.size >= end { return }
        guard limit ?? 0 == row.cut?.size ?? .max else {
            throw look.violation(
                .rights,
                "\(row.key) of \(row.device.shortText) is effective up to \(row.cut.map { "\($0.size)" } ?? "its end"),"
                    + " should be \(limit.map { "\($0)" } ?? "unknown")"
            )
        }
    }

    // MARK: Operations within a right

    /// Whether the author of an operation may make it, by the roles of the logs.
    func isWithinRight(_ entry: OperationLibrary.Entry, at place: OperationLibrary.Place, _ roles: Roles) -> Bool {
        guard let body = entry.body else { return false }
        // A write that names an effective promotion must comply with all promotions together.
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

    /// Whether the author of an unreadable operation may make it, provided its type and name are allowed.
    func isWithinRight(unread header: OperationHeader, at place: OperationLibrary.Place, _ roles: Roles) -> Bool {
        switch roles[place.key.actor] ?? .unknown {
        case .owner: true
        case .unknown, .ended: false
        case .participant(let scope): isWithinLevel(header, scope, at: place, roles)
        }
    }

    /// Whether an operation is within a level: an author that may only add has seen nothing of the record but its
    /// account's own writes.
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

    /// The roles of the authors of a zone's logs, as a store has them.
    ///
    /// An actor has one right, so one role in both lanes. A store that received a log with gaps may not have received any
    /// part of the data log yet that supersedes what the gaps stand for.
    func roles(in zone: ZoneID, _ store: MemoryStore) throws -> Roles {
        let production = try store.zone(zone)?.productionSchema()
        return try store.logs(zone: zone).reduce(into: Roles(production: production)) { roles, row in
            if row.key.lane == .data || roles[row.key.actor] == nil { roles[row.key.actor] = row.role }
        }
    }

    /// The roles of the authors of a zone's logs, and the schema that all of them follow.
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

/// The inputs on which a resolved control log depends.
struct RightsStamp: Hashable {
    var zone: ZoneID
    var device: DeviceID?
    var accounts: [AccountID: [Hash]]
    var logs: [ActorID: UInt64] = [:]
}
