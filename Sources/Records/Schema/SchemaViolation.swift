/// A part of a record that its schema does not allow.
///
/// Names fields and shapes, never a value: it is shown and kept in places where the record's content is not.
package struct SchemaViolation: Hashable, Sendable {
    /// The broken rule.
    package enum Rule: String, Hashable, Sendable, CaseIterable {
        /// The schema does not have the record's type.
        case undeclaredType = "undeclared_type"
        /// The type does not have the field.
        case undeclaredField = "undeclared_field"
        /// The field has to be there.
        case required
        /// The field holds another kind of value.
        case kind
        /// The list or set has elements of another kind.
        case element
        /// The value lies below the least one.
        case minimum
        /// The value lies above the greatest one, or is not a number.
        case maximum
        /// The value is shorter than allowed.
        case lengthMinimum = "length_minimum"
        /// The value is longer than allowed.
        case lengthMaximum = "length_maximum"
        /// The value is none of those that the field enumerates.
        case values
    }

    /// The field; `nil` for a violation by the type itself.
    package let field: String?
    /// The rule.
    package let rule: Rule
    /// The kind of the value found, and its length if it has one: "int64", "string of 12"; "nothing" for no value.
    package let found: String
    /// The record's type; `nil` where another device has decided, which does not say it.
    package let type: String?
    /// The part of the schema that is broken, in the words of a schema: a kind, a bound, a number, or names and values in a row; `nil`
    /// where another device has decided.
    package let allowed: String?

    /// Describes a violation.
    /// - Parameters: as the properties of the same names.
    package init(field: String?, rule: Rule, found: String, type: String? = nil, allowed: String? = nil) {
        self.field = field
        self.rule = rule
        self.found = found
        self.type = type
        self.allowed = allowed
    }
}

extension SchemaViolation: CustomStringConvertible {
    package var description: String {
        "\(field.map { "field \"\($0)\"" } ?? "type"): \(rule.rawValue), found \(found)"
    }
}
