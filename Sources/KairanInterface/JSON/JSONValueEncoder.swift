import FoundationEssentials

/// A resource of which some members are left out where they have no value; of all other resources they are `null` then.
package protocol SparseResource: Encodable {
    /// The names of these members on the interface.
    static var sparseMembers: Set<String> { get }
}

extension JSONValue {
    /// The form of a resource on the interface.
    ///
    /// Its members are in the order of its coding keys. A member without a value is `null`, unless its type is a
    /// ``SparseResource`` that leaves it out. Dates are RFC 3339, data is base64, and an integer beyond 64 bits with a sign is
    /// the largest one. ``JSONValueDecoder`` reads all of it back.
    /// - Parameters:
    ///   - resource: The resource.
    ///   - leftOut: The names of further members that are left out where they have no value, at any depth.
    /// - Throws: Any error of the resource's own `encode(to:)`; a synthesised one throws none.
    /// - Complexity: O(size of the form).
    package init<Resource: Encodable>(encoding resource: Resource, leavingOut leftOut: Set<String> = []) throws {
        if Resource.self == Date.self, let date = resource as? Date {
            self = .string(RFC3339.text(milliseconds: date.roundedMilliseconds))
        } else if Resource.self == Data.self, let data = resource as? Data {
            self = .string(data.base64EncodedString())
        } else {
            let encoder = JSONValueEncoder(leavingOut: leftOut, of: Resource.self)
            try resource.encode(to: encoder)
            self = encoder.value
        }
    }
}

/// Writes one value of the interface; the counterpart of ``JSONValueDecoder``.
final class JSONValueEncoder: Encoder {
    /// A part of which the value may not be complete yet.
    private enum Part {
        case value(JSONValue)
        case encoder(JSONValueEncoder)

        var value: JSONValue {
            switch self {
            case .value(let value): value
            case .encoder(let encoder): encoder.value
            }
        }
    }

    private var members: [(name: String, part: Part)] = []
    private var elements: [Part]?
    private var single: JSONValue?
    /// Left out where they have no value, at any depth.
    private let leftOut: Set<String>
    /// Left out where they have no value, of this object alone.
    private let sparse: Set<String>

    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    init(leavingOut leftOut: Set<String>, of type: (any Encodable.Type)? = nil) {
        self.leftOut = leftOut
        sparse = (type as? any SparseResource.Type)?.sparseMembers ?? []
    }

    /// All that was written; an object without members if nothing was.
    var value: JSONValue {
        single ?? elements.map { .array($0.map(\.value)) }
            ?? .object(members.map { JSONMember($0.name, $0.part.value) })
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(JSONMemberWriter<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        elements = elements ?? []
        return JSONElementWriter(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// Writes the whole value.
    func write(_ value: JSONValue) { single = value }

    /// Appends a member.
    fileprivate func append(_ value: JSONValue, as name: String) { members.append((name, .value(value))) }

    /// Appends a member.
    fileprivate func append<Value: Encodable>(encoding value: Value, as name: String) throws {
        append(try JSONValue(encoding: value, leavingOut: leftOut), as: name)
    }

    /// Appends a member without a value, unless it is one that is left out.
    fileprivate func appendNull(as name: String) {
        if !leftOut.contains(name), !sparse.contains(name) { append(.null, as: name) }
    }

    /// Appends an element.
    fileprivate func append<Value: Encodable>(encoding value: Value) throws {
        elements?.append(.value(try JSONValue(encoding: value, leavingOut: leftOut)))
    }

    /// Appends a member, or an element without a name, that is written later.
    fileprivate func child(_ name: String?) -> JSONValueEncoder {
        let child = JSONValueEncoder(leavingOut: leftOut)
        if let name { members.append((name, .encoder(child))) } else { elements?.append(.encoder(child)) }
        return child
    }

    fileprivate var elementCount: Int { elements?.count ?? 0 }
}

extension JSONValueEncoder: SingleValueEncodingContainer {
    func encodeNil() { single = .null }
    func encode(_ value: Bool) { single = .bool(value) }
    func encode(_ value: String) { single = .string(value) }
    func encode(_ value: Double) { single = value.plainJSON }
    func encode(_ value: Float) { single = Double(value).plainJSON }
    func encode(_ value: Int) { encode(whole: value) }
    func encode(_ value: Int8) { encode(whole: value) }
    func encode(_ value: Int16) { encode(whole: value) }
    func encode(_ value: Int32) { encode(whole: value) }
    func encode(_ value: Int64) { encode(whole: value) }
    func encode(_ value: UInt) { encode(whole: value) }
    func encode(_ value: UInt8) { encode(whole: value) }
    func encode(_ value: UInt16) { encode(whole: value) }
    func encode(_ value: UInt32) { encode(whole: value) }
    func encode(_ value: UInt64) { encode(whole: value) }
    func encode<Value: Encodable>(_ value: Value) throws {
        single = try JSONValue(encoding: value, leavingOut: leftOut)
    }

    private func encode(whole value: some FixedWidthInteger) { single = .integer(Int64(clamping: value)) }
}

/// The members of an object.
private struct JSONMemberWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: JSONValueEncoder
    let codingPath: [any CodingKey] = []

    func encodeNil(forKey key: Key) { encoder.append(.null, as: key.stringValue) }
    func encode(_ value: Bool, forKey key: Key) { encoder.append(.bool(value), as: key.stringValue) }
    func encode(_ value: String, forKey key: Key) { encoder.append(.string(value), as: key.stringValue) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try encoder.append(encoding: value, as: key.stringValue)
    }

    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws { try encode(optional: value, key) }

    private func encode<Value: Encodable>(optional value: Value?, _ key: Key) throws {
        if let value {
            try encode(value, forKey: key)
        } else {
            encoder.appendNull(as: key.stringValue)
        }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        encoder.child(key.stringValue).container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.child(key.stringValue).unkeyedContainer()
    }
    func superEncoder() -> any Encoder { encoder.child("super") }
    func superEncoder(forKey key: Key) -> any Encoder { encoder.child(key.stringValue) }
}

/// The elements of an array.
private struct JSONElementWriter: UnkeyedEncodingContainer {
    let encoder: JSONValueEncoder
    let codingPath: [any CodingKey] = []
    var count: Int { encoder.elementCount }

    func encodeNil() throws { try encoder.append(encoding: JSONValue.null) }
    func encode<Value: Encodable>(_ value: Value) throws { try encoder.append(encoding: value) }
    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoder.child(nil).container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.child(nil).unkeyedContainer() }
    func superEncoder() -> any Encoder { encoder.child(nil) }
}
