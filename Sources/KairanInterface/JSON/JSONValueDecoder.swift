import FoundationEssentials

extension JSONValue {
    /// Reads a resource of the interface.
    /// - Parameter type: The type of the resource.
    /// - Returns: The resource.
    /// - Throws: `DecodingError` where the JSON does not fit.
    package func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONValueDecoder(self).decode(type)
    }
}

/// Reads values of the interface from JSON that was parsed already.
///
/// Foundation's decoder keeps the members of an object in a dictionary of strings, in which of two names that are canonically
/// equivalent ("é" in one scalar and in two) only one is left. Names of the interface are bytes. Dates are read from RFC 3339,
/// data from base64.
struct JSONValueDecoder: Decoder {
    let value: JSONValue
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ value: JSONValue, at path: [any CodingKey] = []) {
        self.value = value
        codingPath = path
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let members = value.members else { throw misfit([String: JSONValue].self) }
        return KeyedDecodingContainer(JSONMembers<Key>(members, at: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let elements = value.elements else { throw misfit([JSONValue].self) }
        return JSONElements(elements: elements, codingPath: codingPath)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    func misfit(_ type: any Any.Type) -> DecodingError {
        .typeMismatch(type, .init(codingPath: codingPath, debugDescription: "there is \(value.kindName)"))
    }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard case .bool(let flag) = value else { throw misfit(type) }
        return flag
    }

    func decode(_ type: String.Type) throws -> String {
        guard let text = value.text else { throw misfit(type) }
        return text
    }

    func decode(_ type: Double.Type) throws -> Double {
        switch value {
        case .number(let number): return number
        case .integer(let integer): return Double(integer)
        default: throw misfit(type)
        }
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }

    private func whole<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        let number: Number? =
            switch value {
            case .integer(let integer): Number(exactly: integer)
            // The parser represents integers beyond the range of 64 bits with a sign as numbers.
            case .number(let number): Number(exactly: number)
            default: nil
            }
        guard let number else { throw misfit(type) }
        return number
    }

    func decode(_ type: Int.Type) throws -> Int { try whole(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try whole(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try whole(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try whole(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try whole(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try whole(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try whole(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try whole(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try whole(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try whole(type) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if type == Data.self {
            guard let data = Data(base64Encoded: try decode(String.self)) as? Value else {
                throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: "not base64"))
            }
            return data
        }
        guard type == Date.self else { return try Value(from: self) }
        guard let milliseconds = RFC3339.milliseconds(try decode(String.self)),
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000) as? Value
        else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: codingPath, debugDescription: "not a time of RFC 3339")
            )
        }
        return date
    }
}

/// The members of an object; the parser has seen to it that no name is there twice.
private struct JSONMembers<Key: CodingKey>: ForwardingKeyedContainer {
    private let members: [Name: JSONValue]
    let codingPath: [any CodingKey]

    init(_ members: [JSONMember], at path: [any CodingKey]) {
        self.members = Dictionary(members.map { (Name($0.name), $0.value) }) { first, _ in first }
        codingPath = path
    }

    var allKeys: [Key] { members.keys.sorted().compactMap { Key(stringValue: $0.wrappedValue) } }

    func contains(_ key: Key) -> Bool { members[Name(key.stringValue)] != nil }

    func decoder(_ key: Key) throws -> JSONValueDecoder {
        guard let value = members[Name(key.stringValue)] else {
            throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "it is missing"))
        }
        return JSONValueDecoder(value, at: codingPath + [key])
    }

    func superDecoder() throws -> any Decoder {
        JSONValueDecoder(.object(members.map { JSONMember($0.key.wrappedValue, $0.value) }), at: codingPath)
    }
}

/// The elements of an array, in order.
private struct JSONElements: ForwardingUnkeyedContainer {
    let elements: [JSONValue]
    let codingPath: [any CodingKey]
    var currentIndex = 0

    init(elements: [JSONValue], codingPath: [any CodingKey]) {
        self.elements = elements
        self.codingPath = codingPath
    }

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    func decoder() throws -> JSONValueDecoder {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                JSONValue.self,
                .init(codingPath: codingPath, debugDescription: "the array has no more elements")
            )
        }
        return JSONValueDecoder(elements[currentIndex], at: codingPath + [IndexKey(currentIndex)])
    }
}
