/// A name: a string that is compared, sorted and hashed as its bytes.
///
/// As a property wrapper it has that done where the comparison is a synthesised one.
@propertyWrapper
public struct Name: Sendable, Hashable, Comparable, Codable {
    /// The string.
    public var wrappedValue: String

    /// Wraps a string.
    public init(wrappedValue: String) { self.wrappedValue = wrappedValue }

    /// Wraps a string.
    public init(_ text: String) { wrappedValue = text }

    /// Reads a string.
    /// - Throws: Any error of the decoder.
    public init(from decoder: any Decoder) throws {
        wrappedValue = try decoder.singleValueContainer().decode(String.self)
    }

    /// Writes the string.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }

    /// Whether both are the same bytes.
    public static func == (left: Name, right: Name) -> Bool {
        left.wrappedValue.utf8.elementsEqual(right.wrappedValue.utf8)
    }

    /// Whether the left bytes sort before the right ones.
    public static func < (left: Name, right: Name) -> Bool {
        left.wrappedValue.utf8.lexicographicallyPrecedes(right.wrappedValue.utf8)
    }

    /// Feeds the bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in wrappedValue.utf8 { hasher.combine(byte) }
        hasher.combine(0xFF as UInt8)
    }
}

extension String {
    /// Whether both are the same bytes; `==` takes canonically equivalent texts for equal.
    package func isSameName(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
