import Records
import Sync
package import Wire

extension Node {
    /// See `SchemaAPI`.
    package func schema(container: String) async throws(NodeError) -> SchemaStatus {
        try check(container: container)
        return try await reading { [self] transaction in
            SchemaStatus(try Schemas(replica.committer).all(of: container, in: transaction), container: container)
        }
    }

    /// See `SchemaAPI`.
    package func declareSchema(_ schema: Schema, container: String) async throws(NodeError) -> SchemaStatus {
        try check(container: container)
        return try await writing { [self] transaction in
            let committer = replica.committer
            let notice = try Schemas(committer).declare(schema, container: container, in: &transaction)
            let status = SchemaStatus(try Schemas(committer).all(of: container, in: transaction), container: container)
            return Changed(status, notice: notice)
        }
    }

    /// See `SchemaAPI`.
    package func checkSchema(
        _ schema: Schema?,
        container: String
    ) async throws(NodeError) -> [SchemaDifferenceStatus] {
        try check(container: container)
        return try await reading { [self] transaction in
            let committer = replica.committer
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

    /// See `SchemaAPI`.
    package func promoteSchema(container: String) async throws(NodeError) -> PromotionStatus {
        try check(container: container)
        return try await writing { [self] transaction in
            let (outcome, notice) = try Schemas(replica.committer).promote(container: container, in: &transaction)
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
