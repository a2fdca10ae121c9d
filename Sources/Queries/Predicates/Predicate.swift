package import Wire

/// A condition on records.
///
/// Each test looks at one field and is true or false: of a field that is missing, null or of another kind than the test's
/// value, it is false, also with `!=`. `not` turns that around.
package indirect enum Predicate: Hashable, Sendable {
    /// The field lies so to the value.
    case compare(QueryField, Comparison, FieldValue)
    /// The field equals one of the values.
    case oneOf(QueryField, [FieldValue])
    /// The field is a string that begins so.
    case beginsWith(QueryField, BytewiseString)
    /// The field is a list or set with this element, or a string with this part.
    case contains(QueryField, FieldValue)
    /// The field lies between the two values, or equals one of them.
    case between(QueryField, FieldValue, FieldValue)
    /// The field is a place no further away than this.
    case near(QueryField, latitude: Double, longitude: Double, metres: Double)
    /// The field's text has all these words.
    case matches(QueryField, TextPattern)
    /// The field has a value that is not null.
    case exists(QueryField)
    /// The field is missing or null.
    case isNull(QueryField)
    /// The opposite.
    case not(Predicate)
    /// All of them; at least two.
    case all([Predicate])
    /// Any of them; at least two.
    case any([Predicate])
}

/// The required relation of a field to a value.
package enum Comparison: String, Sendable, CaseIterable {
    /// They are equal.
    case equal = "="
    /// They are of one kind, and not equal.
    case notEqual = "!="
    /// The field comes first.
    case less = "<"
    /// The field comes first, or they are equal.
    case atMost = "<="
    /// The value comes first.
    case greater = ">"
    /// The value comes first, or they are equal.
    case atLeast = ">="

    /// Returns whether an order satisfies the comparison.
    package func holds(_ order: ValueOrder) -> Bool {
        switch self {
        case .equal: order == .same
        case .notEqual: order != .same
        case .less: order == .ascending
        case .atMost: order != .descending
        case .greater: order == .descending
        case .atLeast: order != .ascending
        }
    }
}

extension Predicate {
    /// The fields whose text is searched, each once for each test.
    package var searchedFields: [QueryField] {
        switch self {
        case .matches(let field, _): [field]
        case .not(let inner): inner.searchedFields
        case .all(let inner), .any(let inner): inner.flatMap(\.searchedFields)
        default: []
        }
    }
}
