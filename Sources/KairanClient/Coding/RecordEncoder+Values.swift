/// The values of a list.
struct ListEncodingContainer: UnkeyedEncodingContainer {
    /// `nil` where there can be no list.
    let list: ListBuffer?
    let codingPath: [any CodingKey]

    var count: Int { list?.elements.count ?? 0 }

    private func append(_ value: some Encodable) throws {
        guard let list else { throw FieldMisfit.listOutside(value, at: codingPath) }
        list.elements.append(try FieldNode(encoding: value, at: codingPath + [IndexKey(list.elements.count)]))
    }

    mutating func encodeNil() throws {
        guard let list else { throw FieldMisfit.listOutside("nil", at: codingPath) }
        list.elements.append(.value(.null))
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(
            FieldsEncodingContainer<Nested>(buffer: nil, codingPath: codingPath + [IndexKey(count)])
        )
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let path = codingPath + [IndexKey(count)]
        let inner = ListBuffer()
        list?.elements.append(.list(inner))
        return ListEncodingContainer(list: list == nil ? nil : inner, codingPath: path)
    }

    mutating func superEncoder() -> any Encoder { FieldsEncoder(buffer: nil, codingPath: codingPath) }

    mutating func encode(_ value: some Encodable) throws { try append(value) }
    mutating func encode(_ value: Bool) throws { try append(value) }
    mutating func encode(_ value: String) throws { try append(value) }
    mutating func encode(_ value: Double) throws { try append(value) }
    mutating func encode(_ value: Float) throws { try append(value) }
    mutating func encode(_ value: Int) throws { try append(value) }
    mutating func encode(_ value: Int8) throws { try append(value) }
    mutating func encode(_ value: Int16) throws { try append(value) }
    mutating func encode(_ value: Int32) throws { try append(value) }
    mutating func encode(_ value: Int64) throws { try append(value) }
    mutating func encode(_ value: UInt) throws { try append(value) }
    mutating func encode(_ value: UInt8) throws { try append(value) }
    mutating func encode(_ value: UInt16) throws { try append(value) }
    mutating func encode(_ value: UInt32) throws { try append(value) }
    mutating func encode(_ value: UInt64) throws { try append(value) }
}

/// Encodes one value, by the type's own `Encodable` conformance.
struct ValueEncoder: Encoder, SingleValueEncodingContainer {
    let slot: ValueSlot
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(FieldsEncodingContainer<Key>(buffer: nil, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        let list = ListBuffer()
        slot.node = .list(list)
        return ListEncodingContainer(list: list, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() throws { slot.node = .value(.null) }
    func encode(_ value: some Encodable) throws { slot.node = try FieldNode(encoding: value, at: codingPath) }
    func encode(_ value: Bool) throws { slot.node = .value(.bool(value)) }
    func encode(_ value: String) throws { slot.node = .value(.string(value)) }
    func encode(_ value: Double) throws { slot.node = .value(.double(value)) }
    func encode(_ value: Float) throws { slot.node = .value(.double(Double(value))) }
    func encode(_ value: Int) throws { slot.node = .value(try FieldNode.integer(value, at: codingPath)) }
    func encode(_ value: Int8) throws { slot.node = .value(try FieldNode.integer(value, at: codingPath)) }
    func encode(_ value: Int16) throws { slot.node = .value(try FieldNode.integer(value, at: codingPath)) }
    func encode(_ value: Int32) throws { slot.node = .value(try FieldNode.integer(value, at: codingPath)) }
    func encode(_ value: Int64) throws { slot.node = .value(try FieldNode.integer(value, at: codingPath)) }
    func encode(_ value: UInt) throws { slot.node = .value(try FieldNode.integer(value, at: codingPath)) }
    func encode(_ value: UInt8) throws { slot.node = .value(try FieldNode.integer(value, at: codingPath)) }
    func encode(_ value: UInt16) throws { slot.node = .value(try FieldNode.integer(value, at: codingPath)) }
    func encode(_ value: UInt32) throws { slot.node = .value(try FieldNode.integer(value, at: codingPath)) }
    func encode(_ value: UInt64) throws { slot.node = .value(try FieldNode.integer(value, at: codingPath)) }
}
