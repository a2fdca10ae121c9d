/// The name of an account, or of one of its devices; for people, never an identity.
///
/// ```
/// +-----------------------+-------------+
/// | 0, or 1 and a device  | name string |      1 to 64 bytes
/// +-----------------------+-------------+
/// ```
///
/// Only a name by the rules of ``mistake(in:)`` is read. They list code points, and ask no table of Unicode: those change with
/// the versions of a library, and replicas would differ.
package struct Naming: Hashable, Sendable {
    /// The device that has the name; `nil` for the account itself.
    package let device: DeviceID?
    /// The name, by the rules of ``mistake(in:)``.
    package let name: String

    /// Names an account or a device.
    /// - Parameters: as the properties of the same names.
    package init(of device: DeviceID?, name: String) {
        self.device = device
        self.name = name
    }

    /// The reason why a text is not a name.
    package enum Mistake: Hashable, Sendable {
        /// It has another number of bytes than 1 to 64.
        case byteCount(Int)
        /// It has a character that controls, ends lines or sets the direction of text.
        case character(Unicode.Scalar)
        /// It has nothing but spaces.
        case blank
    }

    /// Checks a name: 1 to 64 bytes, no character that ``Swift/Unicode/Scalar/isRefusedInNames``, not only spaces.
    /// - Parameter name: The name.
    /// - Returns: The mistake; `nil` for a valid name.
    /// - Complexity: O(bytes).
    package static func mistake(in name: String) -> Mistake? {
        guard (1...Limits.namingByteCountMax).contains(name.utf8.count) else { return .byteCount(name.utf8.count) }
        if let scalar = name.unicodeScalars.first(where: \.isRefusedInNames) { return .character(scalar) }
        return name.unicodeScalars.allSatisfy(isSpace) ? .blank : nil
    }

    /// Characters that show nothing and take room.
    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20, 0xA0, 0x115F...0x1160, 0x1680, 0x2000...0x200D, 0x202F, 0x205F...0x2060, 0x2800, 0x3000, 0x3164,
            0xFE00...0xFE0F, 0xFEFF, 0xFFA0:
            true
        default: false
        }
    }
}

extension Unicode.Scalar {
    /// Whether it is a control, ends a line or a paragraph, or sets the direction of text.
    package var isRefusedInNames: Bool {
        switch value {
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

extension Naming: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeOptional(device)
        writer.writeString(name)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        device = try reader.readOptional()
        name = try reader.readString(minimum: 1, maximum: Limits.namingByteCountMax)
        guard Self.mistake(in: name) == nil else { throw .invalidValue("name") }
    }
}

extension Naming.Mistake: CustomStringConvertible {
    /// The part of a sentence that says why a text is no name.
    package var description: String {
        switch self {
        case .byteCount(let count): "it has \(count) bytes, and a name has 1 to \(Limits.namingByteCountMax)"
        case .character(let scalar):
            "it has the character U+\(String(scalar.value, radix: 16, uppercase: true)), which no name may have"
        case .blank: "it has nothing but spaces"
        }
    }
}
