/// A container with keys that leaves each value to a decoder of its own.
package protocol ForwardingKeyedContainer: KeyedDecodingContainerProtocol {
    /// The decoder of one value.
    associatedtype Forwarded: Decoder & SingleValueDecodingContainer

    /// Returns the decoder of a key's value.
    /// - Throws: `DecodingError.keyNotFound`.
    func decoder(_ key: Key) throws -> Forwarded
}

extension ForwardingKeyedContainer {
    package func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }

    package func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder(key).container(keyedBy: type)
    }

    package func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    package func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

    package func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decoder(key).decode(type)
    }
    package func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try decoder(key).decode(type) }
    package func decode(_ type: String.Type, forKey key: Key) throws -> String { try decoder(key).decode(type) }
    package func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try decoder(key).decode(type) }
    package func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try decoder(key).decode(type) }
    package func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try decoder(key).decode(type) }
    package func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try decoder(key).decode(type) }
    package func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try decoder(key).decode(type) }
    package func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try decoder(key).decode(type) }
    package func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try decoder(key).decode(type) }
    package func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try decoder(key).decode(type) }
    package func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try decoder(key).decode(type) }
    package func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try decoder(key).decode(type) }
    package func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try decoder(key).decode(type) }
    package func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try decoder(key).decode(type) }
}

/// A container of elements in order that leaves each one to a decoder of its own.
package protocol ForwardingUnkeyedContainer: UnkeyedDecodingContainer {
    /// The decoder of one element.
    associatedtype Forwarded: Decoder & SingleValueDecodingContainer

    /// The next element.
    var currentIndex: Int { get set }

    /// Returns the decoder of the next element.
    /// - Throws: `DecodingError.valueNotFound` behind the last one.
    func decoder() throws -> Forwarded
}

extension ForwardingUnkeyedContainer {
    /// Moves on only when the element was understood.
    private mutating func taking<Value>(_ read: (Forwarded) throws -> Value) throws -> Value {
        let value = try read(decoder())
        currentIndex += 1
        return value
    }

    package mutating func decodeNil() throws -> Bool {
        let isNil = try decoder().decodeNil()
        if isNil { currentIndex += 1 }
        return isNil
    }

    package mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try taking { try $0.container(keyedBy: type) }
    }

    package mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try taking { try $0.unkeyedContainer() }
    }

    package mutating func superDecoder() throws -> any Decoder { try taking { $0 } }
    package mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try taking { try $0.decode(type) }
    }
    package mutating func decode(_ type: Bool.Type) throws -> Bool { try taking { try $0.decode(type) } }
    package mutating func decode(_ type: String.Type) throws -> String { try taking { try $0.decode(type) } }
    package mutating func decode(_ type: Double.Type) throws -> Double { try taking { try $0.decode(type) } }
    package mutating func decode(_ type: Float.Type) throws -> Float { try taking { try $0.decode(type) } }
    package mutating func decode(_ type: Int.Type) throws -> Int { try taking { try $0.decode(type) } }
    package mutating func decode(_ type: Int8.Type) throws -> Int8 { try taking { try $0.decode(type) } }
    package mutating func decode(_ type: Int16.Type) throws -> Int16 { try taking { try $0.decode(type) } }
    package mutating func decode(_ type: Int32.Type) throws -> Int32 { try taking { try $0.decode(type) } }
    package mutating func decode(_ type: Int64.Type) throws -> Int64 { try taking { try $0.decode(type) } }
    package mutating func decode(_ type: UInt.Type) throws -> UInt { try taking { try $0.decode(type) } }
    package mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try taking { try $0.decode(type) } }
    package mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try taking { try $0.decode(type) } }
    package mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try taking { try $0.decode(type) } }
    package mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try taking { try $0.decode(type) } }
}
