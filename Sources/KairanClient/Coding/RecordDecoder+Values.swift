import KairanInterface

/// The values of a list.
struct ListDecodingContainer: ForwardingUnkeyedContainer {
    let elements: [RecordValue]
    let codingPath: [any CodingKey]
    var currentIndex = 0

    init(elements: [RecordValue], codingPath: [any CodingKey]) {
        self.elements = elements
        self.codingPath = codingPath
    }

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    func decoder() throws -> ValueDecoder {
        let path = codingPath + [IndexKey(currentIndex)]
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                RecordValue.self,
                .init(codingPath: path, debugDescription: "the list ends here")
            )
        }
        return ValueDecoder(value: elements[currentIndex], codingPath: path)
    }
}

/// Reads one value.
struct ValueDecoder: Decoder, SingleValueDecodingContainer {
    let value: RecordValue
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw misfit([String: RecordValue].self)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        switch value {
        case .list(let elements), .set(let elements):
            return ListDecodingContainer(elements: elements, codingPath: codingPath)
        default: throw misfit([RecordValue].self)
        }
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { value == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard case .bool(let flag) = value else { throw misfit(type) }
        return flag
    }

    func decode(_ type: String.Type) throws -> String {
        guard case .string(let text) = value else { throw misfit(type) }
        return text
    }

    /// An integer will do where it is exact: programs in languages with one kind of number write 3 for 3.0.
    func decode(_ type: Double.Type) throws -> Double {
        switch value {
        case .double(let number): return number
        case .integer(let integer):
            guard let number = Double(exactly: integer) else { throw misfit(type) }
            return number
        default: throw misfit(type)
        }
    }

    func decode(_ type: Float.Type) throws -> Float {
        let number = try decode(Double.self)
        guard let float = Float(exactly: number) ?? (number.isNaN ? .nan : nil) else { throw misfit(type) }
        return float
    }

    private func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        guard case .integer(let integer) = value, let number = Number(exactly: integer) else { throw misfit(type) }
        return number
    }

    func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let special = try FieldKind.read(type, from: self) { return special }
        return try type.init(from: self)
    }

    func misfit(_ type: any Any.Type) -> DecodingError {
        .typeMismatch(type, .init(codingPath: codingPath, debugDescription: "the field holds \(value.kindName)"))
    }
}
