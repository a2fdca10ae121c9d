import FoundationEssentials
import KairanInterface

/// The members of a resource, found by decoding one from nothing: the decoder notes what the type asks for.
struct ResourceShape {
    /// One member.
    struct Member: CustomStringConvertible {
        var name: String
        /// Whether it may be null or missing.
        var isOptional: Bool
        var value: Value

        var description: String { "\(value)\(isOptional ? " or null" : "")" }
    }

    /// The form of a value, as far as JSON shows it.
    enum Value: Equatable {
        case text, integer, number, flag, object, any
        /// A word of a list; `key` identifies the list.
        case words(_ key: String, [String])
        /// The words of the elements, if they are words.
        case array(_ key: String, [String]?)

        /// The name of the type in JSON Schema; `nil` for any.
        var type: String? {
            switch self {
            case .text, .words: "string"
            case .integer: "integer"
            case .number: "number"
            case .flag: "boolean"
            case .object: "object"
            case .array: "array"
            case .any: nil
            }
        }

        /// The list of words, with its key.
        var words: (key: String, known: [String])? {
            switch self {
            case .words(let key, let known): (key, known)
            case .array(let key, let known?): (key, known)
            default: nil
            }
        }
    }

    private(set) var members: [Member] = []

    init(of type: any Decodable.Type) throws {
        let notes = Notes()
        _ = try type.init(from: ShapeDecoder(notes: notes))
        members = notes.members
    }

    fileprivate final class Notes {
        var members: [Member] = []
    }

    /// A type for which there is no value to go on with.
    struct Unreadable: Error { var type: String }
}

private protocol AnyArray {
    static var element: any Any.Type { get }
}

extension Array: AnyArray {
    fileprivate static var element: any Any.Type { Element.self }
}

extension ResourceShape.Value {
    fileprivate init(_ type: any Any.Type) {
        switch type {
        case is String.Type, is Date.Type, is Data.Type, is Name.Type: self = .text
        case is Bool.Type: self = .flag
        case is Double.Type: self = .number
        case is any FixedWidthInteger.Type: self = .integer
        case is RecordValue.Type: self = .any
        case let array as any AnyArray.Type:
            let words = Self.words(array.element)
            self = .array(words?.key ?? "", words?.known)
        default: self = Self.words(type).map { .words($0.key, $0.known) } ?? .object
        }
    }

    private static func words(_ type: any Any.Type) -> (key: String, known: [String])? {
        if let type = type as? any InterfaceWord.Type { return ("\(String(reflecting: type))", known(type)) }
        guard let type = type as? any CaseIterable.Type else { return nil }
        let words = cases(type)
        return words.isEmpty ? nil : ("\(String(reflecting: type))", words)
    }

    private static func known<Word: InterfaceWord>(_ type: Word.Type) -> [String] { Word.known.map(\.rawValue) }

    private static func cases<Type: CaseIterable>(_ type: Type.Type) -> [String] {
        Type.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
    }
}

private struct ShapeDecoder: Decoder {
    var notes: ResourceShape.Notes
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(ShapeMembers<Key>(notes: notes))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw ResourceShape.Unreadable(type: "array")
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        throw ResourceShape.Unreadable(type: "single value")
    }
}

private struct ShapeMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    var notes: ResourceShape.Notes
    let codingPath: [any CodingKey] = []
    let allKeys: [Key] = []

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) -> Bool { true }

    private func note(_ type: any Any.Type, _ key: Key, isOptional: Bool) {
        notes.members.append(
            ResourceShape.Member(name: key.stringValue, isOptional: isOptional, value: ResourceShape.Value(type))
        )
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        note(type, key, isOptional: false)
        return try Self.example(of: type)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) -> Value? { absent(type, key) }

    private func absent<Value>(_ type: Value.Type, _ key: Key) -> Value? {
        note(type, key, isOptional: true)
        return nil
    }

    private static func example<Value: Decodable>(of type: Value.Type) throws -> Value {
        let value: Any =
            switch type {
            case is any AnyArray.Type: try emptyArray(of: type)
            case let type as any InterfaceWord.Type: type.init(rawValue: "")
            case let type as any CaseIterable.Type: try first(of: type)
            default: try primitive(type) ?? Value(from: ShapeDecoder(notes: ResourceShape.Notes()))
            }
        guard let value = value as? Value else { throw ResourceShape.Unreadable(type: "\(type)") }
        return value
    }

    private static func emptyArray<Value: Decodable>(of type: Value.Type) throws -> Value {
        try JSONValue.array([]).decoded(as: type)
    }

    private static func first<Type: CaseIterable>(of type: Type.Type) throws -> Any {
        guard let first = type.allCases.first else { throw ResourceShape.Unreadable(type: "\(type)") }
        return first
    }

    /// A value of a type that JSON has, or that the interface writes as such; `nil` for every other type.
    private static func primitive<Value: Decodable>(_ type: Value.Type) throws -> Value? {
        switch ResourceShape.Value(type) {
        case .text:
            if type == Date.self { return try JSONValue.string("1970-01-01T00:00:00Z").decoded(as: type) }
            return try JSONValue.string("").decoded(as: type)
        case .flag: return try JSONValue.bool(false).decoded(as: type)
        case .integer, .number: return try JSONValue.integer(0).decoded(as: type)
        case .any: return try JSONValue.null.decoded(as: type)
        case .object where "\(type)".hasPrefix("NameDictionary"):
            return try JSONValue.object([]).decoded(as: type)
        default: return nil
        }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        throw ResourceShape.Unreadable(type: "\(key.stringValue)")
    }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw ResourceShape.Unreadable(type: "\(key.stringValue)")
    }
    func superDecoder() throws -> any Decoder { throw ResourceShape.Unreadable(type: "super") }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw ResourceShape.Unreadable(type: key.stringValue) }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) -> Bool? { absent(type, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) -> String? { absent(type, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) -> Double? { absent(type, key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) -> Float? { absent(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) -> Int? { absent(type, key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) -> Int8? { absent(type, key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) -> Int16? { absent(type, key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) -> Int32? { absent(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) -> Int64? { absent(type, key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) -> UInt? { absent(type, key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) -> UInt8? { absent(type, key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) -> UInt16? { absent(type, key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) -> UInt32? { absent(type, key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) -> UInt64? { absent(type, key) }
}
