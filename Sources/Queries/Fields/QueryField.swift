package import Wire

/// A field of a record that a query uses.
package enum QueryField: Hashable, Sendable {
    /// A system field of the record.
    case system(SystemField)
    /// A field set by a program, by the bytes of its name.
    case field(BytewiseString)

    /// Returns a field set by a program.
    /// - Parameter name: Its name.
    /// - Returns: The field.
    package static func named(_ name: String) -> QueryField { .field(BytewiseString(name)) }
}

extension QueryField {
    /// Reads a field where nothing else can stand, such as in a list of fields to sort by.
    ///
    /// `nil` for an empty or overlong name, and for a system field that does not exist.
    /// - Parameter text: The name of a field set by a program, or `@` and the name of a system field.
    package init?(text: String) {
        if text.utf8.first == UInt8(ascii: "@") {
            guard let system = SystemField(rawValue: String(text.dropFirst())) else { return nil }
            self = .system(system)
        } else {
            guard (1...Limits.nameByteCountMax).contains(text.utf8.count) else { return nil }
            self = .named(text)
        }
    }

    /// The field as `init(text:)` reads it.
    package var text: String {
        switch self {
        case .system(let system): "@" + system.rawValue
        case .field(let name): name.string
        }
    }
}
