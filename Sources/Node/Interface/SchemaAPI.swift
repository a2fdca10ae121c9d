package import Wire

/// The node's interface for the schemas of a container's records.
package protocol SchemaAPI: Sendable {
    /// The schemas of a container; empty where nothing is known.
    /// - Throws: `invalidArgument`, `forbidden` for a container outside the scope.
    func schema(container: String) async throws(NodeError) -> SchemaStatus

    /// Declares the development schema as a whole, additive or not.
    /// - Throws: `invalidArgument`, `schemaTooLarge`, `forbidden`.
    func declareSchema(_ schema: Schema, container: String) async throws(NodeError) -> SchemaStatus

    /// Compares a schema with production; nothing is changed.
    /// - Parameters:
    ///   - schema: The schema; nil for that of development.
    ///   - container: The container.
    /// - Returns: The differences, by type and field.
    /// - Throws: `invalidArgument`, `schemaTooLarge`, `forbidden`.
    func checkSchema(_ schema: Schema?, container: String) async throws(NodeError) -> [SchemaDifferenceStatus]

    /// Puts the development schema into force in each zone of the container that this account administers.
    /// - Throws: `schemaNotAdditive` with all differences that are refused, `schemaUnknown`, `schemaTooLarge`, `forbidden`.
    func promoteSchema(container: String) async throws(NodeError) -> PromotionStatus
}

/// The schemas of a container.
package struct SchemaStatus: Sendable, Hashable {
    /// The container.
    package var container: String
    /// The schema that was declared, or inferred from written records.
    package var development: Schema
    /// The schema in force; nil before the first promotion.
    package var production: Schema?

    /// The schemas of a container.
    /// - Parameters: as the properties of the same names.
    package init(container: String, development: Schema, production: Schema?) {
        self.container = container
        self.development = development
        self.production = production
    }
}

/// A difference between a schema and production.
package struct SchemaDifferenceStatus: Sendable, Hashable {
    /// The record type; empty for a difference of the schema as a whole.
    package var type: String
    /// The field; nil for a difference of the type.
    package var field: String?
    /// The aspect that differs, like `required`.
    package var aspect: String
    /// The kind of the difference: `added`, `removed`, `changed`, `loosened` or `tightened`.
    package var change: String
    /// The reason for the refusal; nil for an additive difference.
    package var refusal: String?

    /// Describes a difference.
    /// - Parameters: as the properties of the same names.
    package init(type: String, field: String?, aspect: String, change: String, refusal: String?) {
        self.type = type
        self.field = field
        self.aspect = aspect
        self.change = change
        self.refusal = refusal
    }
}

/// A rule of a schema that a record breaks.
package struct SchemaViolationStatus: Sendable, Hashable {
    /// The field; nil for a violation of the type as a whole.
    package var field: String?
    /// The rule, like `required`.
    package var rule: String
    /// The kind of the value found, and its length if it has one; nothing of the value itself.
    package var found: String

    /// Describes a violation.
    /// - Parameters: as the properties of the same names.
    package init(field: String?, rule: String, found: String) {
        self.field = field
        self.rule = rule
        self.found = found
    }
}

/// The outcome of a promotion.
package struct PromotionStatus: Sendable, Hashable {
    /// The container.
    package var container: String
    /// The schema that is in force now.
    package var production: Schema
    /// The zones in which this promotion announced it.
    package var zones: [ZoneID]

    /// Describes a promotion.
    /// - Parameters: as the properties of the same names.
    package init(container: String, production: Schema, zones: [ZoneID]) {
        self.container = container
        self.production = production
        self.zones = zones
    }
}
