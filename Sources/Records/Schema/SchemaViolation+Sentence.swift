extension SchemaViolation {
    /// The violation for people, without a full stop: the required value, and the given one.
    ///
    /// Never a value of the record.
    package var sentence: String {
        let place = field.map { "field \"\($0)\"" } ?? "the record"
        let kind = type.map { "the type \"\($0)\"" } ?? "its type"
        switch rule {
        case .undeclaredType:
            let known = allowed.map { $0.isEmpty ? "; the schema has no types" : "; the schema has \($0)" } ?? ""
            return "\(kind) is not declared\(known)"
        case .undeclaredField:
            let known = allowed.map { $0.isEmpty ? ", which has no fields" : ", which has \($0)" } ?? ""
            return "\(place) is not declared for \(kind)\(known)"
        case .required:
            let expected = allowed.map { ", \(Self.noun($0))," } ?? ""
            return "\(place)\(expected) must be there"
        case .kind:
            guard let allowed else { return "\(place) holds another kind of value than declared: \(given)" }
            return "\(place) must be \(Self.noun(allowed)), and \(given) was given"
        case .element:
            return "\(place) must have elements that are each \(allowed.map(Self.noun) ?? "of the declared kind")"
        case .minimum: return "\(place) must be \(allowed.map { "at least \($0)" } ?? "as great as the least value")"
        case .maximum: return "\(place) must be \(allowed.map { "at most \($0)" } ?? "a number within its bounds")"
        case .lengthMinimum:
            return "\(place) must have \(allowed.map { "at least \($0)" } ?? "more") \(unit), and \(given) was given"
        case .lengthMaximum:
            return "\(place) must have \(allowed.map { "at most \($0)" } ?? "fewer") \(unit), and \(given) was given"
        case .values:
            return "\(place) must be \(allowed.map { "one of \($0)" } ?? "one of the values that it enumerates")"
        }
    }

    /// The kind of the value found, and its length.
    private var parts: (kind: Substring, length: Substring?) {
        let parts = found.split(separator: " ")
        return (parts.first ?? "", parts.count == 3 ? parts[2] : nil)
    }

    /// The unit of lengths of the found kind.
    private var unit: String {
        let isOne = (allowed ?? parts.length.map(String.init)) == "1"
        return switch parts.kind {
        case "string": isOne ? "character" : "characters"
        case "bytes": isOne ? "byte" : "bytes"
        default: isOne ? "element" : "elements"
        }
    }

    /// The found kind, with its article.
    private var given: String {
        let (kind, length) = parts
        guard let length else { return Self.noun(String(kind)) }
        let isOne = length == "1"
        return switch kind {
        case "string": "a text of \(length) \(isOne ? "character" : "characters")"
        case "bytes": "\(length) \(isOne ? "byte" : "bytes")"
        default: "a \(kind) of \(length) \(isOne ? "element" : "elements")"
        }
    }

    /// A kind with its article.
    private static func noun(_ kind: String) -> String {
        switch kind {
        case "string": "a text"
        case "int64", "asset": "an \(kind)"
        case "bytes": "bytes"
        case "null", "nothing": "nothing"
        default: "a \(kind)"
        }
    }
}
