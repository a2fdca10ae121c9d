import Records
import Sync
import Wire

/// Answers requests about schemas.
struct SchemaRequests: SchemaAPI {
    let store: CallerStore

    func schema(container: String) async throws(NodeError) -> SchemaStatus {
        try store.zones.check(container: container)
        return try await store.read { transaction in
            SchemaStatus(try Schemas(store.committer).all(of: container, in: transaction), container: container)
        }
    }

    func declareSchema(_ schema: Schema, container: String) async throws(NodeError) -> SchemaStatus {
        try store.zones.check(container: container)
        return try await store.write { transaction in
            let committer = store.committer
            let notice = try Schemas(committer).declare(schema, container: container, in: &transaction)
            let status = SchemaStatus(try Schemas(committer).all(of: container, in: transaction), container: container)
            return Changed(status, notice: notice)
        }
    }

    func checkSchema(
        _ schema: Schema?,
        container: String
    ) async throws(NodeError) -> [SchemaDifferenceStatus] {
        try store.zones.check(container: container)
        return try await store.read { transaction in
            let committer = store.committer
            if let schema { try Schemas.check(schema) }
            let wanted = try schema ?? Schemas(committer).all(of: container, in: transaction).development
            let differences = try Schemas(committer).differences(
                promoting: wanted,
                container: container,
                in: transaction
            )
            return differences.map { SchemaDifferenceStatus($0) }
        }
    }

    func promoteSchema(container: String) async throws(NodeError) -> PromotionStatus {
        try store.zones.check(container: container)
        return try await store.write { transaction in
            let (outcome, notice) = try Schemas(store.committer).promote(container: container, in: &transaction)
            let status = PromotionStatus(container: container, production: outcome.production, zones: outcome.zones)
            return Changed(status, notice: notice)
        }
    }
}

extension SchemaStatus {
    fileprivate init(_ schemas: ContainerSchemas, container: String) {
        self.init(container: container, development: schemas.development, production: schemas.production)
    }
}

extension SchemaViolationStatus {
    init(_ violation: SchemaViolation) {
        self.init(field: violation.field, rule: violation.rule.rawValue, found: violation.found)
    }
}

extension SchemaDifferenceStatus {
    init(_ difference: SchemaDifference) {
        self.init(
            type: difference.type,
            field: difference.field,
            aspect: difference.aspect.rawValue,
            change: difference.change.rawValue,
            refusal: difference.refusal
        )
    }
}
