/// A JSON text as a value that loses nothing that Kairan cares about.
///
/// Foundation's decoder reads `1.0` and `1e3` as integers when asked for one, and keeps only one of two members with
/// the same name. Here an integer and a number with a fraction stay apart, the order of members is kept, and a
/// doubled name is refused by the parser, because a record must never be stored otherwise than it was written.
package indirect enum JSONValue: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number written without fraction and exponent.
    case integer(Int64)
    /// Every other number; finite when it came from the parser.
    case number(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object with its members in the order in which they were written.
    case object([JSONMember])

    /// The value of a member; `nil` when this is no object or has no such member.
    /// - Complexity: O(members).
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.isSameName(as: name) }?.value
    }

    /// The text when this is a string.
    package var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The number when this is an integer.
    package var integer: Int64? {
        guard case .integer(let number) = self else { return nil }
        return number
    }

    /// The elements when this is an array.
    package var elements: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The members when this is an object.
    package var members: [JSONMember]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    /// The name of the kind, for messages.
    package var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer: "an integer"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// One member of a JSON object.
package struct JSONMember: Sendable, Hashable {
    /// Its name.
    package var name: String
    /// Its value.
    package var value: JSONValue

    /// Makes a member.
    package init(_ name: String, _ value: JSONValue) {
        self.name = name
        self.value = value
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// `null`.
    package init(nilLiteral: ()) { self = .null }
    /// A boolean.
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An integer.
    package init(integerLiteral value: Int64) { self = .integer(value) }
    /// A number.
    package init(floatLiteral value: Double) { self = .number(value) }
    /// A string.
    package init(stringLiteral value: String) { self = .string(value) }
    /// An array.
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object; the caller sees to it that no name is there twice.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { JSONMember($0.0, $0.1) })
    }
}
