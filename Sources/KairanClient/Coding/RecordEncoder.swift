import FoundationEssentials

/// Turns a value of an application's own type into the fields of a record.
///
/// Each stored property becomes a field of its name. `String`, `Bool`, all integers up to 64 bits (exactly), `Double`,
/// `Float`, `Date` (to the millisecond), `Data`, `[UInt8]`, `UUID`, `URL`, ``Location``, ``RecordReference``, ``Counter``,
/// ``AssetDescription``, ``RecordValue``, enums with a raw value, arrays of these, and sets of them are supported.
/// Types with named members, such as structs and dictionaries, are not: make such a value a record of its own and
/// refer to it.
public struct RecordEncoder: Sendable {
    /// Makes an encoder.
    public init() {}

    /// Encodes a value.
    /// - Parameter value: A struct, class or dictionary; its properties become fields.
    /// - Returns: The fields, and the names of fields that are nil.
    /// - Throws: ``KairanError`` with the code `record.unencodable` and the ``KairanError/path`` of the unsupported
    ///   value.
    public func encode(_ value: some Encodable) throws(KairanError) -> RecordFields {
        let buffer = FieldBuffer()
        do {
            try value.encode(to: FieldsEncoder(buffer: buffer, codingPath: []))
        } catch {
            throw KairanError.unencodable(error)
        }
        return RecordFields(values: buffer.fields.mapValues(\.value), absent: buffer.absent.keys)
    }
}

/// The encoded fields of a value.
public struct RecordFields: Sendable, Hashable {
    /// The fields by name.
    public var values: NameDictionary<RecordValue>
    /// Names of fields that the value knows and has nothing to say of: they are removed when it is saved.
    ///
    /// In the order of their bytes, each once.
    public var absent: [String]
}

/// Writes fields.
struct FieldsEncoder: Encoder {
    let buffer: FieldBuffer?
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(FieldsEncodingContainer<Key>(buffer: buffer, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        ListEncodingContainer(list: nil, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { FieldsForwarder(encoder: self) }
}

/// A type that only passes on another one that has the fields.
private struct FieldsForwarder: SingleValueEncodingContainer {
    let encoder: FieldsEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() throws { throw FieldMisfit.listOutside("nil", at: codingPath) }
    func encode(_ value: some Encodable) throws {
        // Simple values would come back here without an end.
        guard !FieldKind.isSimple(value) else { throw FieldMisfit.listOutside(value, at: codingPath) }
        try value.encode(to: encoder)
    }
    func encode(_ value: Bool) throws { throw FieldMisfit.listOutside(value, at: codingPath) }
    func encode(_ value: String) throws { throw FieldMisfit.listOutside(value, at: codingPath) }
    func encode(_ value: Double) throws { throw FieldMisfit.listOutside(value, at: codingPath) }
    func encode(_ value: Float) throws { throw FieldMisfit.listOutside(value, at: codingPath) }
    func encode(_ value: Int) throws { throw FieldMisfit.listOutside(value, at: codingPath) }
    func encode(_ value: Int8) throws { throw FieldMisfit.listOutside(value, at: codingPath) }
    func encode(_ value: Int16) throws { throw FieldMisfit.listOutside(value, at: codingPath) }
    func encode(_ value: Int32) throws { throw FieldMisfit.listOutside(value, at: codingPath) }
    func encode(_ value: Int64) throws { throw FieldMisfit.listOutside(value, at: codingPath) }
    func encode(_ value: UInt) throws { throw FieldMisfit.listOutside(value, at: codingPath) }
    func encode(_ value: UInt8) throws { throw FieldMisfit.listOutside(value, at: codingPath) }
    func encode(_ value: UInt16) throws { throw FieldMisfit.listOutside(value, at: codingPath) }
    func encode(_ value: UInt32) throws { throw FieldMisfit.listOutside(value, at: codingPath) }
    func encode(_ value: UInt64) throws { throw FieldMisfit.listOutside(value, at: codingPath) }
}
