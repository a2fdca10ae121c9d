import Identity
package import Records
package import Wire

/// The schemas of containers.
///
/// Development is kept in the account's zone; production is stated by control operations in each zone, and noted in the
/// account's zone for zones that are yet to be made.
package struct Schemas: Sendable {
    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// The schemas of a container.
    /// - Parameters:
    ///   - container: Its name.
    ///   - transaction: The store.
    /// - Returns: Empty ones where nothing is known.
    /// - Throws: Any error of the store.
    /// - Complexity: O(fields).
    package func all(of container: String, in transaction: some NodeTransaction) throws -> ContainerSchemas {
        let types: [DeclaredType] = try AccountZone(committer).entries(DeclaredType.prefix(container), in: transaction)
        let promoted: PromotedSchema? = try AccountZone(committer).entry(
            PromotedSchema.name(container),
            in: transaction
        )
        return ContainerSchemas(
            development: Schema(types: types.filter { $0.container == container }.map(\.schema)),
            production: promoted?.schema
        )
    }

    /// Declares the whole development schema, in place of an earlier one.
    /// - Parameters:
    ///   - schema: The schema.
    ///   - container: The container.
    ///   - transaction: The store.
    /// - Returns: The notice.
    /// - Throws: ``SchemaRefusal/tooLarge(_:)``, ``CommitError``, `ReplicaError`, or an error of the store.
    package func declare(
        _ schema: Schema,
        container: String,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        try Self.check(schema)
        let known: [DeclaredType] = try AccountZone(committer).entries(DeclaredType.prefix(container), in: transaction)
        var writes = known.filter { schema.type(named: $0.schema.name.string) == nil }
            .map { RecordWrite(name: $0.name, delete: true) }
        for type in schema.types where !known.contains(where: { $0.schema == type }) {
            let declared = DeclaredType(container: container, schema: type)
            writes.append(
                RecordWrite(name: declared.name, type: DeclaredType.type, set: declared.fields, replaceAll: true)
            )
        }
        return writes.isEmpty ? CommitNotice() : try AccountZone(committer).save(writes, in: &transaction)
    }

    /// Checks that other devices can read a schema.
    /// - Parameter schema: The schema, as a program or person has written it.
    /// - Throws: ``SchemaRefusal/tooLarge(_:)``.
    package static func check(_ schema: Schema) throws(SchemaRefusal) {
        do throws(WireError) {
            _ = try schema.checkedEncoding()
        } catch {
            throw .tooLarge(error)
        }
    }

    /// Adds to development the types and fields of new records that it lacks.
    ///
    /// Nothing is learnt from a zone in production: all its types are declared. A device that may not write the account's zone
    /// learns nothing, nor does one that has no key to it yet, as after a join; a type that does not fit into a
    /// schema is not learnt. A later record of the type teaches the same.
    /// - Parameters:
    ///   - rows: Records that were written here.
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The notice; nil when there is nothing new.
    /// - Throws: ``CommitError``, `ReplicaError`, or an error of the store.
    /// - Complexity: O(records), a read of the account's zone for each type.
    package func learn(
        from rows: [RecordRow],
        zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice? {
        guard committer.mayWrite, let zone = try transaction.zone(zone), !zone.isInternal, zone.production.isEmpty
        else {
            return nil
        }
        if let book = try transaction.zone(ZoneID(AccountZone(committer).genesis)), book.state != .live { return nil }
        let container = zone.genesis.container
        var known: [BytewiseString: RecordTypeSchema] = [:]
        var news: [BytewiseString: RecordTypeSchema] = [:]
        for row in rows where !row.isDeleted {
            let type = BytewiseString(row.type)
            if known[type] == nil {
                let declared: DeclaredType? = try AccountZone(committer).entry(
                    DeclaredType.name(container, row.type),
                    in: transaction
                )
                known[type] = declared?.schema
            }
            guard let inferred = Schema.inferred(from: try row.content(), beyond: known[type]) else { continue }
            let all = (known[type]?.fields ?? []) + inferred.fields
            known[type] = RecordTypeSchema(name: row.type, fields: all)
            news[type] = RecordTypeSchema(name: row.type, fields: (news[type]?.fields ?? []) + inferred.fields)
        }
        let writes = news.sorted { $0.key < $1.key }.map { DeclaredType(container: container, schema: $0.value).write }
        guard !writes.isEmpty, try hasRoom(for: news, container: container, in: transaction) else { return nil }
        do {
            return try AccountZone(committer).save(writes, in: &transaction)
        } catch CommitError.noKey {
            return nil
        } catch InviteError.notWritten(_, .notReadable) {
            return nil
        }
    }

    /// Compares a schema with production before a promotion.
    /// - Parameters:
    ///   - schema: The schema.
    ///   - container: The container.
    ///   - transaction: The store.
    /// - Returns: The differences from production, additive or not; everything where nothing was promoted.
    /// - Throws: Any error of the store.
    package func differences(
        promoting schema: Schema,
        container: String,
        in transaction: some NodeTransaction
    ) throws -> [SchemaDifference] {
        (try all(of: container, in: transaction).production ?? Schema()).differences(to: schema)
    }

    /// Promotes the development schema in each zone of the container that this account rules, and in each that it
    /// makes later.
    ///
    /// Doing it again states the schema in zones that lack it, and nothing in the others.
    /// - Parameters:
    ///   - container: The container.
    ///   - transaction: The store.
    /// - Returns: The schema in force and the zones in which it was stated, and the notices of all zones.
    /// - Throws: ``SchemaRefusal``, ``CommitError``, `ReplicaError`, or an error of the store.
    /// - Complexity: O(zones of the container), and of each O(records) when its schema changes.
    package func promote(
        container: String,
        in transaction: inout some NodeTransaction
    ) throws -> (outcome: PromotionOutcome, notice: CommitNotice) {
        let schemas = try all(of: container, in: transaction)
        guard !schemas.development.types.isEmpty else { throw SchemaRefusal.nothing }
        let refused = (schemas.production ?? Schema()).differences(to: schemas.development).filter { !$0.isAdditive }
        guard refused.isEmpty else { throw SchemaRefusal.notAdditive(refused) }
        let production: Schema
        do throws(SchemaConflict) {
            production = try (schemas.production ?? schemas.development).joined(with: schemas.development)
        } catch {
            if case .tooLarge(let reason) = error { throw SchemaRefusal.tooLarge(reason) }
            throw SchemaRefusal.notAdditive(refused)
        }
        var notice = CommitNotice()
        if schemas.production != production {
            notice.merge(
                try AccountZone(committer).save(
                    [PromotedSchema(container: container, schema: production).write],
                    in: &transaction
                )
            )
        }
        var zones: [ZoneID] = []
        for zone in try transaction.zones() where isPromotable(zone, container: container) {
            guard let said = try promote(production, zone: zone, in: &transaction) else { continue }
            notice.merge(said)
            zones.append(zone.id)
        }
        return (PromotionOutcome(production: production, zones: zones), notice)
    }

    /// States in a new zone the promoted schema of its container.
    func beginProduction(in zone: ZoneRow, _ transaction: inout some NodeTransaction) throws {
        guard !zone.isInternal else { return }
        let promoted: PromotedSchema? = try AccountZone(committer).entry(
            PromotedSchema.name(zone.genesis.container),
            in: transaction
        )
        guard let promoted else { return }
        try ControlStatements(committer).commit(.schema(promoted.schema.encoded), zone: zone.id, in: &transaction)
        _ = try LogRulings(committer).rule(zone.id, in: &transaction)
    }

    // MARK: One zone

    private func isPromotable(_ zone: ZoneRow, container: String) -> Bool {
        zone.state == .live && committer.isCurrent(zone) && zone.role.rulesZone && zone.genesis.container == container
    }

    /// Says a schema in a zone.
    /// - Returns: The notice; nil where it is in force.
    private func promote(
        _ schema: Schema,
        zone: ZoneRow,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice? {
        let inForce = try zone.productionSchema()?.schema
        if let inForce {
            do throws(SchemaConflict) {
                if try inForce.joined(with: schema) == inForce { return nil }
            } catch {
                // Another device that rules the zone has promoted a field of another kind there: that stays.
                let refused = inForce.differences(to: schema).filter { !$0.isAdditive }
                throw SchemaRefusal.notAdditive(refused)
            }
        }
        return try ControlStatements(committer).say(.schema(schema.encoded), zone: zone.id, in: &transaction)
    }

    /// Whether newly learnt types fit into a schema besides the known ones.
    private func hasRoom(
        for news: [BytewiseString: RecordTypeSchema],
        container: String,
        in transaction: some NodeTransaction
    ) throws -> Bool {
        let known: [DeclaredType] = try AccountZone(committer).entries(DeclaredType.prefix(container), in: transaction)
        let types = Set(known.map(\.schema.name)).union(news.keys)
        let byteCount = known.reduce(0) { $0 + $1.schema.encoded.count }
        let newByteCount = news.values.reduce(0) { $0 + $1.encoded.count }
        // A few bytes for the frame.
        return types.count <= Limits.schemaTypeCountMax && byteCount + newByteCount + 16 <= Limits.schemaByteCountMax
    }
}
