/// The schemas of a container.
public struct ContainerSchema: Sendable, Hashable, Codable {
    /// The container.
    public var container: String
    /// The schema as declared, or as inferred from the records that were written.
    public var development: RecordSchema
    /// The schema in force; nil before the first promotion.
    public var production: RecordSchema?
}

/// A schema of records: their types by name.
public struct RecordSchema: Sendable, Hashable, Codable {
    /// The types.
    public var types: NameDictionary<RecordType>

    /// A record type: its fields by name.
    public struct RecordType: Sendable, Hashable, Codable {
        /// The fields.
        public var fields: NameDictionary<Field>
    }

    /// The declaration of a field; only the daemon's document shows limits and values.
    public struct Field: Sendable, Hashable, Codable {
        /// The kind of its values.
        public var kind: String
        /// Whether it has to be there.
        public var required: Bool?
        /// The kind of its elements, of a list or set.
        public var elements: String?
        /// The indexes that it asks for.
        public var indexes: [String]?
    }
}

/// The comparison of a schema with production.
public struct SchemaCheck: Sendable, Hashable, Codable {
    /// Whether it could be promoted.
    public var promotable: Bool
    /// The differences from production.
    public var differences: [Difference]

    /// One difference.
    public struct Difference: Sendable, Hashable, Codable {
        /// The record type; empty for a difference in the whole schema.
        public var type: String
        /// The field.
        public var field: String?
        /// The aspect that differs.
        public var aspect: String
        /// The change to it.
        public var change: String
        /// Whether a promotion refuses the change.
        public var refused: Bool
        /// Why.
        public var reason: String?
    }
}

/// The result of a promotion.
public struct SchemaPromotion: Sendable, Hashable, Codable {
    /// The container.
    public var container: String
    /// The schema in force now.
    public var production: RecordSchema
    /// The zones in which this promotion declared it.
    public var zones: [String]
}
