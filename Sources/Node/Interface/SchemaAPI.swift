package import Wire

/// What a program or a person may ask of the node about what records of a container look like.
package protocol SchemaAPI: Sendable {
    /// The schemas of a container; empty where nothing is known.
    /// - Throws: `invalidArgument`, `forbidden` for a container outside the scope.
    func schema(container: String) async throws(NodeError) -> SchemaStatus

    /// Declares what development looks like: all of it, additive or not.
    /// - Throws: `invalidArgument`, `schemaTooLarge`, `forbidden`.
    func declareSchema(_ schema: Schema, container: String) async throws(NodeError) -> SchemaStatus

    /// What a schema says otherwise than production; nothing is changed.
    /// - Parameters:
    ///   - schema: The schema; nil for that of development.
    ///   - container: The container.
    /// - Returns: The differences, by type and field.
    /// - Throws: `invalidArgument`, `schemaTooLarge`, `forbidden`.
    func checkSchema(_ schema: Schema?, container: String) async throws(NodeError) -> [SchemaDifferenceStatus]

    /// Puts development into force in each zone of the container that this account rules.
    /// - Throws: `schemaNotAdditive` with all differences that are refused, `schemaUnknown`, `schemaTooLarge`, `forbidden`.
    func promoteSchema(container: String) async throws(NodeError) -> PromotionStatus
}

/// The schemas of a container.
package struct SchemaStatus: Sendable, Hashable {
    /// The container.
    package var container: String
    /// What was declared, or inferred from what was written.
    package var development: Schema
    /// What is in force; nil before the first promotion.
    package var production: Schema?

    /// The schemas of a container.
    /// - Parameters: as the properties of the same names.
    package init(container: String, development: Schema, production: Schema?) {
        self.container = container
        self.development = development
        self.production = production
    }
}

/// Something that a schema says otherwise than production.
package struct SchemaDifferenceStatus: Sendable, Hashable {
    /// The record type; empty for what is about the whole.
    package var type: String
    /// The field; nil for what is about the type.
    package var field: String?
    /// What it is about, like `required`.
    package var aspect: String
    /// What becomes of it: `added`, `removed`, `changed`, `loosened` or `tightened`.
    package var change: String
    /// Why it is refused; nil for what is additive.
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
    /// The field; nil for what is about the type.
    package var field: String?
    /// The rule, like `required`.
    package var rule: String
    /// The kind of what is there, and its length if it has one; nothing of the value.
    package var found: String

    /// Describes a violation.
    /// - Parameters: as the properties of the same names.
    package init(field: String?, rule: String, found: String) {
        self.field = field
        self.rule = rule
        self.found = found
    }
}

/// What a promotion did.
package struct PromotionStatus: Sendable, Hashable {
    /// The container.
    package var container: String
    /// What is in force now.
    package var production: Schema
    /// The zones in which it was said now.
    package var zones: [ZoneID]

    /// Describes a promotion.
    /// - Parameters: as the properties of the same names.
    package init(container: String, production: Schema, zones: [ZoneID]) {
        self.container = container
        self.production = production
        self.zones = zones
    }
}
