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
    /// The kind of an index.
    public struct IndexKind: InterfaceWord {
        /// The word on the interface.
        public let rawValue: String
        /// Names a word, which need not be a known one.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// On the values of a field.
        public static let value = IndexKind(rawValue: "value")
        /// On the words of a text.
        public static let text = IndexKind(rawValue: "text")
        /// The words that this version knows.
        public static let known: [IndexKind] = [.value, .text]
    }

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
        public var indexes: [IndexKind]?
    }
}

/// The comparison of a schema with production.
public struct SchemaCheck: Sendable, Hashable, Codable {
    /// Whether it could be promoted.
    public var promotable: Bool
    /// The differences from production.
    public var differences: [Difference]

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(promotable: Bool, differences: [Difference]) {
        (self.promotable, self.differences) = (promotable, differences)
    }

    /// One difference.
    public struct Difference: Sendable, Hashable, Codable {
        /// The kind of a difference.
        public struct Change: InterfaceWord {
            /// The word on the interface.
            public let rawValue: String
            /// Names a word, which need not be a known one.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// It is not in production.
            public static let added = Change(rawValue: "added")
            /// It is in production alone.
            public static let removed = Change(rawValue: "removed")
            /// It is another one in production.
            public static let changed = Change(rawValue: "changed")
            /// It allows more than in production.
            public static let loosened = Change(rawValue: "loosened")
            /// It allows less than in production.
            public static let tightened = Change(rawValue: "tightened")
            /// The words that this version knows.
            public static let known: [Change] = [.added, .removed, .changed, .loosened, .tightened]
        }

        /// The record type; empty for a difference in the whole schema.
        public var type: String
        /// The field.
        public var field: String?
        /// The aspect that differs.
        public var aspect: String
        /// The change to it.
        public var change: Change
        /// Whether a promotion refuses the change.
        public var refused: Bool
        /// Why.
        public var reason: String?

        /// Describes it.
        /// - Parameters: as the properties of the same names.
        package init(type: String, field: String?, aspect: String, change: Change, refused: Bool, reason: String?) {
            self.type = type
            self.field = field
            self.aspect = aspect
            self.change = change
            self.refused = refused
            self.reason = reason
        }
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
