import Records
import Wire

/// A kind of record of the account's book.
///
/// Two devices that are apart may write one record. Fields merge one by one, so each kind is made so that concurrent
/// statements add up: a field is written once, or only ever set, or the stricter of two values is taken.
protocol BookEntry: Sendable {
    /// The records' type, and the prefix of their names, before a slash.
    static var type: String { get }

    /// The record's name.
    var name: String { get }

    /// Every field that the entry sets.
    var fields: [FieldAssignment] { get }

    /// Reads a record.
    /// - Returns: Nil for a record that a later version wrote, or that is malformed.
    init?(_ body: RecordBody)
}

extension BookEntry {
    /// The prefix of the names of all such records.
    static var prefix: String { type + "/" }

    /// The write that sets every field.
    var write: RecordWrite { RecordWrite(name: name, type: Self.type, set: fields) }
}

extension FieldAssignment {
    static func bytes(_ field: String, _ bytes: [UInt8]) -> Self { Self(field: field, value: .bytes(bytes)) }

    static func text(_ field: String, _ text: String) -> Self { Self(field: field, value: .string(text)) }

    static func date(_ field: String, _ milliseconds: UInt64) -> Self {
        Self(field: field, value: .date(milliseconds: Int64(clamping: milliseconds)))
    }

    static func flag(_ field: String, _ value: Bool = true) -> Self { Self(field: field, value: .bool(value)) }
}

extension RecordBody {
    /// The bytes that a field shows.
    func bytes(_ name: String) -> [UInt8]? {
        guard case .bytes(let bytes)? = field(named: name)?.winner?.value else { return nil }
        return bytes
    }

    /// The text that a field shows.
    func text(_ name: String) -> String? {
        guard case .string(let text)? = field(named: name)?.winner?.value else { return nil }
        return text
    }

    /// The value of a field, as an identifier.
    func identifier<Kind: IdentifierKind>(_ name: String) -> Identifier<Kind>? {
        bytes(name).flatMap { Identifier($0) }
    }

    /// The moment that a field shows.
    func date(_ name: String) -> UInt64? {
        guard case .date(let milliseconds)? = field(named: name)?.winner?.value else { return nil }
        return UInt64(exactly: milliseconds)
    }

    /// The number that a field shows.
    func number(_ name: String) -> Int64? {
        guard case .int64(let number)? = field(named: name)?.winner?.value else { return nil }
        return number
    }

    /// Whether any of the concurrent values is true; a concurrent false does not override it.
    func isSaid(_ name: String) -> Bool {
        field(named: name)?.entries.contains { $0.value == .bool(true) } ?? false
    }
}
