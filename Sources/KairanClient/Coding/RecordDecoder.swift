/// Turns the fields of a record into a value of an application's own type; the inverse of ``RecordEncoder``.
///
/// It ignores fields that the type does not name; these stay unchanged when the value is saved again. A field that is
/// absent or null is nil.
public struct RecordDecoder: Sendable {
    /// Makes a decoder.
    public init() {}

    /// Decodes a value.
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - fields: The fields of a record.
    /// - Returns: The value.
    /// - Throws: ``KairanError`` with the code `record.undecodable` and the ``KairanError/path`` of the part that
    ///   does not fit.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self,
        from fields: NameDictionary<RecordValue>
    ) throws(KairanError) -> Value {
        do {
            return try Value(from: FieldsDecoder(fields: fields, codingPath: []))
        } catch {
            throw KairanError.undecodable(error)
        }
    }
}

/// Reads fields.
struct FieldsDecoder: Decoder {
    let fields: NameDictionary<RecordValue>
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(FieldsDecodingContainer<Key>(fields: fields, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw misfit([RecordValue].self) }

    /// A type that only passes on another one that has the fields.
    func singleValueContainer() throws -> any SingleValueDecodingContainer { FieldsReader(decoder: self) }

    func misfit(_ type: any Any.Type) -> DecodingError {
        .typeMismatch(
            type,
            .init(codingPath: codingPath, debugDescription: "a record consists of named fields")
        )
    }
}

private struct FieldsReader: SingleValueDecodingContainer {
    let decoder: FieldsDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { false }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: decoder) }
    func decode(_ type: Bool.Type) throws -> Bool { throw decoder.misfit(type) }
    func decode(_ type: String.Type) throws -> String { throw decoder.misfit(type) }
    func decode(_ type: Double.Type) throws -> Double { throw decoder.misfit(type) }
    func decode(_ type: Float.Type) throws -> Float { throw decoder.misfit(type) }
    func decode(_ type: Int.Type) throws -> Int { throw decoder.misfit(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { throw decoder.misfit(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { throw decoder.misfit(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { throw decoder.misfit(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { throw decoder.misfit(type) }
    func decode(_ type: UInt.Type) throws -> UInt { throw decoder.misfit(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { throw decoder.misfit(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { throw decoder.misfit(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { throw decoder.misfit(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { throw decoder.misfit(type) }
}
