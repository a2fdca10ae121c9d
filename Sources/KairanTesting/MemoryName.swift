import Wire

/// The daemon's rules for names.
enum MemoryName {
    /// Checks the name of a record, a type or a field.
    /// - Throws: `invalid_argument`.
    static func check(_ name: String, _ path: String) throws(MemoryRefusal) {
        guard (1...Limits.nameByteCountMax).contains(name.utf8.count) else {
            throw .invalid(path, "a name has 1 to \(Limits.nameByteCountMax) bytes, and this one \(name.utf8.count)")
        }
        guard !name.unicodeScalars.contains(where: isRefused) else {
            throw .invalid(path, "a name has no control characters")
        }
        guard name.utf8.contains(where: { $0 != UInt8(ascii: ".") }) else {
            throw .invalid(path, "a name does not consist of dots alone")
        }
    }

    /// A zone's name.
    /// - Throws: `invalid_argument`.
    static func check(zone name: String) throws(MemoryRefusal) {
        try check(name, "a zone's name")
        guard !name.utf8.contains(UInt8(ascii: "/")) else { throw .invalid("a zone's name", "it has no slash") }
        guard ZoneID(text: name) == nil else {
            throw .invalid("a zone's name", "it does not have the form of a zone's id")
        }
    }

    /// A container's name.
    /// - Throws: `invalid_argument`.
    static func check(container: String) throws(MemoryRefusal) {
        let path = "a container's name"
        guard (1...Limits.nameByteCountMax).contains(container.utf8.count) else {
            throw .invalid(path, "it has 1 to \(Limits.nameByteCountMax) bytes")
        }
        let parts = container.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isContainerByte) }) else {
            throw .invalid(path, "it consists of ASCII letters, digits, - and _, with single dots between its parts")
        }
        guard !isReserved(container) else { throw .invalid(path, "names that begin with kairan. are the daemon's own") }
    }

    /// Whether a type or a container is the daemon's own.
    static func isReserved(_ name: String) -> Bool { name.utf8.starts(with: "kairan.".utf8) }

    private static func isContainerByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Controls, line and paragraph separators, and characters that set the direction of text.
    private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
