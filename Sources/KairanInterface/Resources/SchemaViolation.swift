/// A rule of its schema that a record breaks.
public struct SchemaViolation: Sendable, Hashable, Codable {
    /// A rule of a schema.
    public struct Rule: InterfaceWord {
        /// The word on the interface.
        public let rawValue: String
        /// Names a word, which need not be a known one.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The schema has the type.
        public static let undeclaredType = Rule(rawValue: "undeclared_type")
        /// The schema has the field.
        public static let undeclaredField = Rule(rawValue: "undeclared_field")
        /// The field is there.
        public static let required = Rule(rawValue: "required")
        /// The value is of the kind.
        public static let kind = Rule(rawValue: "kind")
        /// The elements are of the kind.
        public static let element = Rule(rawValue: "element")
        /// The value is not less than the least one.
        public static let minimum = Rule(rawValue: "minimum")
        /// The value is not greater than the greatest one.
        public static let maximum = Rule(rawValue: "maximum")
        /// The value is not too short.
        public static let lengthMinimum = Rule(rawValue: "length_minimum")
        /// The value is not too long.
        public static let lengthMaximum = Rule(rawValue: "length_maximum")
        /// The value is one of those that are allowed.
        public static let values = Rule(rawValue: "values")
        /// The words that this version knows.
        public static let known: [Rule] = [
            .undeclaredType, .undeclaredField, .required, .kind, .element, .minimum, .maximum, .lengthMinimum,
            .lengthMaximum, .values,
        ]
    }

    /// The field; nil for a violation that concerns the type.
    public var field: String?
    /// The rule.
    public var rule: Rule
    /// The kind of the value, and its length if it has one; no part of the value itself.
    public var found: String

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(field: String?, rule: Rule, found: String) {
        (self.field, self.rule, self.found) = (field, rule, found)
    }
}
