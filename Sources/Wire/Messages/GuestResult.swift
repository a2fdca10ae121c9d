/// The outcome of one write of a guest.
///
/// ```
/// 1 ‖ version 16 ‖ time varint ‖ RecordBody as bytes      saved: the record as the write left it
/// 2 ‖ refusal                                             refused
///
/// refusal  1 ‖ version (optional) 16   another version     7 ‖ field string   said twice
///          2 ‖ version 16              exists              8                  cannot be encoded
///          3                           does not exist      9 ‖ size varint    too large
///          4                           needs a type       10                  not allowed
///          5 ‖ type string             has another type   11                  too many writers
///          6 ‖ field string            another kind       12                  batch too large
///                                                         13 ‖ index varint   fell with another write
///         14 ‖ count × (field, rule, found: strings)          breaks the schema; an empty field is the type
/// ```
package enum GuestResult: Hashable, Sendable {
    /// The record as the write left it: its version of 16 bytes, the time in milliseconds since 1970, and its
    /// contents.
    case saved(version: [UInt8], milliseconds: UInt64, body: GuestRecord)
    /// The reason for the refusal.
    case refused(Refusal)

    /// Why one write was refused.
    package enum Refusal: Hashable, Sendable {
        /// The record has another version, of 16 bytes, or does not exist.
        case versionMismatch(current: [UInt8]?)
        /// The record exists, with this version of 16 bytes.
        case alreadyExists(current: [UInt8])
        /// The record does not exist.
        case notFound
        /// A new record needs a type.
        case typeMissing
        /// The record has this type.
        case typeMismatch(current: String)
        /// The field holds something else.
        case wrongKind(field: String)
        /// The write states the field twice.
        case ambiguousField(String)
        /// A name or a value cannot be encoded within the limits.
        case invalid
        /// The record would take so many bytes.
        case tooLarge(byteCount: UInt64)
        /// Neither public access nor a right of the asking account reaches to the record.
        case notAllowed
        /// Too many stores have written the record.
        case tooManyActors
        /// The batch has too many writes or bytes.
        case batchTooLarge
        /// Another write of the same atomic batch, at this place, was refused.
        case batchRefused(index: UInt64)
        /// The zone's schema in force does not allow it; the first 16 things that it breaks.
        case schemaViolation([GuestViolation])
    }

    /// The smallest result: a refusal without more.
    static let byteCountMin = 2
}

/// A part of a guest's write that the zone's schema does not allow.
package struct GuestViolation: Hashable, Sendable {
    /// The field; empty for a violation that concerns the type.
    package let field: String
    /// The rule's name.
    package let rule: String
    /// The kind of the value that is there.
    package let found: String

    /// Describes a violation.
    /// - Parameters: as the properties of the same names; the last two have at most 63 bytes.
    package init(field: String, rule: String, found: String) {
        self.field = field
        self.rule = rule
        self.found = found
    }
}

extension GuestViolation: WireCodable {
    /// Three empty strings.
    static let byteCountMin = 3
    private static let wordByteCountMax = 63

    package func encode(into writer: inout WireWriter) {
        writer.writeString(field)
        writer.writeString(rule)
        writer.writeString(found)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        field = try reader.readString(maximum: Limits.nameByteCountMax)
        rule = try reader.readString(maximum: Self.wordByteCountMax)
        found = try reader.readString(maximum: Self.wordByteCountMax)
    }
}

/// The contents of a record, as its encoded `RecordBody`; equal if the bytes are.
package struct GuestRecord: Hashable, Sendable {
    /// The bytes of a `RecordBody`, which were decoded once.
    package let bytes: [UInt8]

    /// Takes the contents of a record.
    package init(_ body: RecordBody) { bytes = body.encoded }

    /// Decodes the contents of the record.
    /// - Returns: The body.
    /// - Throws: `WireError` never for bytes that were decoded or made here.
    package func body() throws(WireError) -> RecordBody { try RecordBody(decoding: bytes) }
}

extension GuestRecord: WireCodable {
    package func encode(into writer: inout WireWriter) { writer.writeBytes(bytes) }

    package init(from reader: inout WireReader) throws(WireError) {
        bytes = try reader.readBytes(maximum: Limits.bodyByteCountMax)
        _ = try RecordBody(decoding: bytes)
    }
}

extension GuestResult: WireCodable {
    package func encode(into writer: inout WireWriter) {
        switch self {
        case .saved(let version, let milliseconds, let body):
            writer.writeByte(1)
            writer.writeFixed(version, count: GuestRecordWrite.versionByteCount)
            writer.writeVarint(milliseconds)
            writer.write(body)
        case .refused(let refusal):
            writer.writeByte(2)
            writer.write(refusal)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        switch try reader.readByte() {
        case 1:
            self = .saved(
                version: try reader.readFixed(GuestRecordWrite.versionByteCount),
                milliseconds: try reader.readVarint(),
                body: try GuestRecord(from: &reader)
            )
        case 2: self = .refused(try Refusal(from: &reader))
        default: throw .invalidValue("result of a guest's write")
        }
    }
}

extension GuestResult.Refusal: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeByte(code)
        switch self {
        case .versionMismatch(let current):
            writer.writeBool(current != nil)
            if let current { writer.writeFixed(current, count: GuestRecordWrite.versionByteCount) }
        case .alreadyExists(let current): writer.writeFixed(current, count: GuestRecordWrite.versionByteCount)
        case .typeMismatch(let text), .wrongKind(let text), .ambiguousField(let text): writer.writeString(text)
        case .tooLarge(let number), .batchRefused(let number): writer.writeVarint(number)
        case .schemaViolation(let violations): writer.writeList(violations)
        case .notFound, .typeMissing, .invalid, .notAllowed, .tooManyActors, .batchTooLarge: break
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let versionByteCount = GuestRecordWrite.versionByteCount
        switch try reader.readByte() {
        case 1: self = .versionMismatch(current: try reader.readBool() ? try reader.readFixed(versionByteCount) : nil)
        case 2: self = .alreadyExists(current: try reader.readFixed(versionByteCount))
        case 3: self = .notFound
        case 4: self = .typeMissing
        case 5: self = .typeMismatch(current: try reader.readString(maximum: Limits.nameByteCountMax))
        case 6: self = .wrongKind(field: try reader.readString(maximum: Limits.nameByteCountMax))
        case 7: self = .ambiguousField(try reader.readString(maximum: Limits.nameByteCountMax))
        case 8: self = .invalid
        case 9: self = .tooLarge(byteCount: try reader.readVarint())
        case 10: self = .notAllowed
        case 11: self = .tooManyActors
        case 12: self = .batchTooLarge
        case 13: self = .batchRefused(index: try reader.readVarint())
        case 14:
            self = .schemaViolation(
                try reader.readList(
                    maximum: Limits.guestViolationCountMax,
                    itemByteCountMin: GuestViolation.byteCountMin
                )
            )
        default: throw .invalidValue("refusal of a guest's write")
        }
    }

    private var code: UInt8 {
        switch self {
        case .versionMismatch: 1
        case .alreadyExists: 2
        case .notFound: 3
        case .typeMissing: 4
        case .typeMismatch: 5
        case .wrongKind: 6
        case .ambiguousField: 7
        case .invalid: 8
        case .tooLarge: 9
        case .notAllowed: 10
        case .tooManyActors: 11
        case .batchTooLarge: 12
        case .batchRefused: 13
        case .schemaViolation: 14
        }
    }
}
