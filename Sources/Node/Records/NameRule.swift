import Wire

/// What a name must be that a program on this machine gives: a record's, a type's, a field's, a zone's.
///
/// Names are bytes and are compared as such: nothing is normalised, and two that look alike are two. What people cannot
/// see, or what turns the text around it, is refused here. From peers it is taken: a name that is there must be kept.
package enum NameRule {
    /// Looks at a name.
    /// - Parameter name: The name.
    /// - Returns: What is wrong with it, as the end of a sentence; `nil` when nothing is.
    package static func mistake(in name: String) -> String? {
        guard (1...Limits.nameByteCountMax).contains(name.utf8.count) else {
            return "a name has 1 to \(Limits.nameByteCountMax) bytes, and this one \(name.utf8.count)"
        }
        guard let scalar = name.unicodeScalars.first(where: isRefused) else { return nil }
        return "a name has no control characters, and this one U+\(hexadecimal(scalar.value))"
    }

    /// Controls, line and paragraph separators, and what sets the direction of text.
    private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    private static func hexadecimal(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
