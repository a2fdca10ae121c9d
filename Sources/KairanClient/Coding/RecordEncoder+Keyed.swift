/// Fields by name.
///
/// Where there can be none, every attempt to write one is refused.
struct FieldsEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    /// `nil` where a value with names of its own cannot be kept.
    let buffer: FieldBuffer?
    let codingPath: [any CodingKey]

    private func store(_ value: some Encodable, _ key: Key) throws {
        let path = codingPath + [key]
        guard let buffer else { throw FieldMisfit.namesInside(value, at: codingPath) }
        let field = try FieldNode(encoding: value, at: path)
        // An optional that is nil means the same as an omitted one; a `RecordValue` states its meaning.
        if case .value(.null) = field, !(value is RecordValue) {
            buffer.remove(key.stringValue)
        } else {
            buffer.set(key.stringValue, field)
        }
    }

    /// A nil is remembered: saving then removes the field.
    private mutating func storeIfPresent(_ value: (some Encodable)?, _ key: Key) throws {
        if let value { try store(value, key) } else { try encodeNil(forKey: key) }
    }

    mutating func encodeNil(forKey key: Key) throws {
        guard let buffer else { throw FieldMisfit.namesInside(key.stringValue, at: codingPath) }
        buffer.remove(key.stringValue)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy keyType: Nested.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(FieldsEncodingContainer<Nested>(buffer: nil, codingPath: codingPath + [key]))
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let list = ListBuffer()
        buffer?.set(key.stringValue, .list(list))
        return ListEncodingContainer(list: buffer == nil ? nil : list, codingPath: codingPath + [key])
    }

    /// The fields of a superclass stand beside those of the class.
    mutating func superEncoder() -> any Encoder { FieldsEncoder(buffer: buffer, codingPath: codingPath) }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        FieldsEncoder(buffer: nil, codingPath: codingPath + [key])
    }

    mutating func encode(_ value: some Encodable, forKey key: Key) throws { try store(value, key) }
    mutating func encode(_ value: Bool, forKey key: Key) throws { try store(value, key) }
    mutating func encode(_ value: String, forKey key: Key) throws { try store(value, key) }
    mutating func encode(_ value: Double, forKey key: Key) throws { try store(value, key) }
    mutating func encode(_ value: Float, forKey key: Key) throws { try store(value, key) }
    mutating func encode(_ value: Int, forKey key: Key) throws { try store(value, key) }
    mutating func encode(_ value: Int8, forKey key: Key) throws { try store(value, key) }
    mutating func encode(_ value: Int16, forKey key: Key) throws { try store(value, key) }
    mutating func encode(_ value: Int32, forKey key: Key) throws { try store(value, key) }
    mutating func encode(_ value: Int64, forKey key: Key) throws { try store(value, key) }
    mutating func encode(_ value: UInt, forKey key: Key) throws { try store(value, key) }
    mutating func encode(_ value: UInt8, forKey key: Key) throws { try store(value, key) }
    mutating func encode(_ value: UInt16, forKey key: Key) throws { try store(value, key) }
    mutating func encode(_ value: UInt32, forKey key: Key) throws { try store(value, key) }
    mutating func encode(_ value: UInt64, forKey key: Key) throws { try store(value, key) }

    mutating func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws { try storeIfPresent(value, key) }
    mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try storeIfPresent(value, key) }
    mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws { try storeIfPresent(value, key) }
    mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try storeIfPresent(value, key) }
    mutating func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try storeIfPresent(value, key) }
    mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try storeIfPresent(value, key) }
    mutating func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try storeIfPresent(value, key) }
    mutating func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try storeIfPresent(value, key) }
    mutating func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try storeIfPresent(value, key) }
    mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try storeIfPresent(value, key) }
    mutating func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try storeIfPresent(value, key) }
    mutating func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try storeIfPresent(value, key) }
    mutating func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try storeIfPresent(value, key) }
    mutating func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try storeIfPresent(value, key) }
    mutating func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try storeIfPresent(value, key) }
}
