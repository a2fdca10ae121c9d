import Wire

/// The rules for names given by programs on this machine: a record's, a type's, a field's, a zone's, a container's.
///
/// Names are bytes and are compared as such: nothing is normalised, and two that look alike are two. Refused here are
/// characters that people cannot see or that turn the text around them, and names that a path, a reference or a URL
/// client reads as something else. Names from peers are accepted: a name that exists must be kept.
package enum NameRule {
    /// Looks at the name of a record, a type or a field.
    /// - Parameter name: The name.
    /// - Returns: The fault, as the end of a sentence; `nil` when there is none.
    package static func mistake(in name: String) -> String? {
        guard (1...Limits.nameByteCountMax).contains(name.utf8.count) else {
            return "a name has 1 to \(Limits.nameByteCountMax) bytes, and this one \(name.utf8.count)"
        }
        if let scalar = name.unicodeScalars.first(where: \.isRefusedInNames) {
            return "a name has no control characters, and this one U+\(hexadecimal(scalar.value))"
        }
        guard name.utf8.contains(where: { $0 != UInt8(ascii: ".") }) else {
            return "a name does not consist of dots alone: URL clients resolve . and .. as steps in a path"
        }
        return nil
    }

    /// Looks at the name of a zone.
    ///
    /// A reference with a slash is `CONTAINER/NAME`, and one of 52 characters may be an id: a zone's name is neither.
    /// - Parameter name: The name.
    /// - Returns: The fault, as the end of a sentence; `nil` when there is none.
    package static func mistake(inZone name: String) -> String? {
        if let mistake = mistake(in: name) { return mistake }
        guard !name.utf8.contains(UInt8(ascii: "/")) else {
            return "it has no slash, which separates a container from a zone's name"
        }
        return ZoneID(text: name) == nil ? nil : "it does not have the form of a zone's id"
    }

    /// Looks at the name of a container: parts of ASCII letters, digits, `-` and `_`, with single dots between them.
    ///
    /// Only ASCII, so that no two containers look the same.
    /// - Parameter container: The name.
    /// - Returns: The fault, as the end of a sentence; `nil` when there is none.
    package static func mistake(inContainer container: String) -> String? {
        guard (1...Limits.nameByteCountMax).contains(container.utf8.count) else {
            return "it has 1 to \(Limits.nameByteCountMax) bytes, and this one \(container.utf8.count)"
        }
        let parts = container.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isContainerByte) }) else {
            return "it consists of ASCII letters, digits, - and _, with single dots between its parts"
        }
        return nil
    }

    /// Makes sure that a name fits.
    /// - Parameters:
    ///   - name: The name.
    ///   - what: The thing that it names, at the beginning of a sentence.
    /// - Throws: `NodeError` `invalidArgument`.
    static func check(_ name: String, _ what: String) throws(NodeError) { try check(mistake(in: name), what) }

    /// Makes sure that a zone that is made here may have a name.
    static func check(zone name: String) throws(NodeError) { try check(mistake(inZone: name), "a zone's name") }

    /// Makes sure that a container may have a name.
    static func check(container name: String) throws(NodeError) {
        try check(mistake(inContainer: name), "a container's name")
    }

    private static func check(_ mistake: String?, _ what: String) throws(NodeError) {
        guard let mistake else { return }
        throw NodeError(.invalidArgument, "\(what): \(mistake).", fix: "Choose another name.")
    }

    private static func isContainerByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    static func hexadecimal(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
