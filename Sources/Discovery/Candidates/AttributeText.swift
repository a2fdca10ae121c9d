internal import Node

/// The strings of a DNS-SD TXT record (RFC 6763 section 6): `key=value`, each at most 255 bytes.
enum AttributeText {
    /// The number of attributes that are published or taken from others.
    static let countMax = 16
    /// The maximum number of bytes of one string; its length is one byte on the wire.
    static let byteCountMax = 255

    /// The string for an attribute.
    /// - Returns: `nil` when the key is no key, or the string would be too long.
    static func string(for attribute: ServiceAttribute) -> [UInt8]? {
        let key = Array(attribute.key.utf8)
        guard isKey(key[...]), key.count + 1 + attribute.value.count <= byteCountMax else { return nil }
        return key + [UInt8(ascii: "=")] + attribute.value
    }

    /// The attributes in the strings of a record from the network.
    ///
    /// By the RFC, a string without a key is passed over, one without `=` has no value, and of two with the same key
    /// (compared without regard to case) the first is used.
    /// - Parameter strings: The strings in the order of the record.
    /// - Returns: At most 16 attributes.
    static func attributes(of strings: [[UInt8]]) -> [ServiceAttribute] {
        var attributes: [ServiceAttribute] = []
        var keys: Set<[UInt8]> = []
        for string in strings where string.count <= byteCountMax {
            guard attributes.count < countMax else { break }
            let end = string.firstIndex(of: UInt8(ascii: "=")) ?? string.endIndex
            let key = string[..<end]
            guard isKey(key), keys.insert(key.map(lowercased)).inserted else { continue }
            attributes.append(
                ServiceAttribute(key: String(decoding: key, as: UTF8.self), value: Array(string[end...].dropFirst()))
            )
        }
        return attributes
    }

    /// Whether bytes are a key: printable ASCII without `=`, at least one.
    private static func isKey(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
