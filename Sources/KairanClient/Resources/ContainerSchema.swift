/// The schemas of a container.
public struct ContainerSchema: Sendable, Hashable, Codable {
    /// The container.
    public var container: String
    /// What was declared, or inferred from what was written.
    public var development: RecordSchema
    /// What is in force; nil before the first promotion.
    public var production: RecordSchema?
}

/// What records look like: their types by name.
public struct RecordSchema: Sendable, Hashable, Codable {
    /// The types.
    public var types: NameDictionary<RecordType>

    /// A record type: its fields by name.
    public struct RecordType: Sendable, Hashable, Codable {
        /// The fields.
        public var fields: NameDictionary<Field>
    }

    /// What a field holds; limits and values are shown by the daemon's document alone.
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

/// What a schema says otherwise than production.
public struct SchemaCheck: Sendable, Hashable, Codable {
    /// Whether it could be promoted.
    public var promotable: Bool
    /// What it says otherwise.
    public var differences: [Difference]

    /// One difference.
    public struct Difference: Sendable, Hashable, Codable {
        /// The record type; empty for what is about the whole.
        public var type: String
        /// The field.
        public var field: String?
        /// What it is about.
        public var aspect: String
        /// What becomes of it.
        public var change: String
        /// Whether it is refused.
        public var refused: Bool
        /// Why.
        public var reason: String?
    }
}

/// What a promotion did.
public struct SchemaPromotion: Sendable, Hashable, Codable {
    /// The container.
    public var container: String
    /// What is in force now.
    public var production: RecordSchema
    /// The zones in which it was said now.
    public var zones: [String]
}
