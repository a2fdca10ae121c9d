/// Values by name, where names are compared as bytes.
///
/// The names of records, fields and types are bytes of UTF-8: "é" in one scalar and in two are two names. Swift's `==` takes them
/// for one, so a `Dictionary` of strings would lose one of the two. Iteration is in the order of the bytes.
public struct NameDictionary<Value> {
    private var storage: [Name: Value]

    /// No values.
    public init() { storage = [:] }

    /// Values by name; of a name that is there twice the last one.
    public init(_ values: some Sequence<(key: String, value: Value)>) {
        storage = Dictionary(values.map { (Name($0.key), $0.value) }) { _, last in last }
    }

    private init(storage: [Name: Value]) { self.storage = storage }

    /// The number of entries.
    public var count: Int { storage.count }
    /// Whether there are none.
    public var isEmpty: Bool { storage.isEmpty }
    /// The names, in the order of their bytes.
    /// - Complexity: O(count · log count).
    public var keys: [String] { storage.keys.sorted().map(\.wrappedValue) }
    /// The values, in the order of their names.
    public var values: [Value] { map(\.value) }

    /// The value of a name; `nil` when there is none.
    public subscript(name: String) -> Value? {
        get { storage[Name(name)] }
        set { storage[Name(name)] = newValue }
    }

    /// Removes the value of a name.
    /// - Returns: The value; `nil` when there was none.
    @discardableResult
    public mutating func removeValue(forKey name: String) -> Value? { storage.removeValue(forKey: Name(name)) }

    /// The same names with other values.
    public func mapValues<Other>(_ transform: (Value) throws -> Other) rethrows -> NameDictionary<Other> {
        NameDictionary<Other>(storage: try storage.mapValues(transform))
    }

    /// The values for which something holds.
    public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> NameDictionary {
        NameDictionary(storage: try storage.filter { try isIncluded(($0.key.wrappedValue, $0.value)) })
    }

    /// Merges the values of another dictionary into this one.
    /// - Parameters:
    ///   - other: The other values.
    ///   - combine: The value for a name that both have, from the present value and the other one.
    public mutating func merge(
        _ other: NameDictionary,
        uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        try storage.merge(other.storage, uniquingKeysWith: combine)
    }

    /// Returns a dictionary with the values of both.
    /// - Parameters:
    ///   - other: The other values.
    ///   - combine: The value for a name that both have, from the value here and the other one.
    /// - Returns: The merged dictionary.
    public func merging(
        _ other: NameDictionary,
        uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows -> NameDictionary {
        NameDictionary(storage: try storage.merging(other.storage, uniquingKeysWith: combine))
    }
}

extension NameDictionary: Sequence {
    /// A name and its value.
    public typealias Element = (key: String, value: Value)

    /// In the order of the names' bytes.
    public func makeIterator() -> IndexingIterator<[Element]> {
        storage.sorted { $0.key < $1.key }.map { (key: $0.key.wrappedValue, value: $0.value) }.makeIterator()
    }
}

extension NameDictionary: ExpressibleByDictionaryLiteral {
    /// Values by name; of a name that is there twice the last one.
    public init(dictionaryLiteral elements: (String, Value)...) {
        self.init(elements.map { (key: $0.0, value: $0.1) })
    }
}

extension NameDictionary: Sendable where Value: Sendable {}
extension NameDictionary: Equatable where Value: Equatable {}
extension NameDictionary: Hashable where Value: Hashable {}

extension NameDictionary: CustomStringConvertible {
    /// Names and values in their order.
    public var description: String {
        isEmpty ? "[:]" : "[" + map { "\($0.key.debugDescription): \($0.value)" }.joined(separator: ", ") + "]"
    }
}

// Foundation's encoder and decoder, other than those of the interface, keep members in dictionaries of strings, so that of two names which are canonically equivalent
// one is lost. Such values are written as an array of names and values in turn, as the standard library does for keys that are no
// strings.
extension NameDictionary: Encodable where Value: Encodable {
    /// Writes an object, or an array where an object would lose something.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        guard !(encoder is JSONValueEncoder), Set(storage.keys.map(\.wrappedValue)).count < storage.count else {
            var container = encoder.container(keyedBy: MemberKey.self)
            for (name, value) in self { try container.encode(value, forKey: MemberKey(stringValue: name)) }
            return
        }
        var container = encoder.unkeyedContainer()
        for (name, value) in self {
            try container.encode(name)
            try container.encode(value)
        }
    }
}

extension NameDictionary: Decodable where Value: Decodable {
    /// Reads either form.
    /// - Throws: Any error of the decoder.
    public init(from decoder: any Decoder) throws {
        self.init()
        // Anything but an object has the array form.
        if let container = try? decoder.container(keyedBy: MemberKey.self) {
            for key in container.allKeys { self[key.stringValue] = try container.decode(Value.self, forKey: key) }
            return
        }
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd {
            let name = try container.decode(String.self)
            self[name] = try container.decode(Value.self)
        }
    }
}
