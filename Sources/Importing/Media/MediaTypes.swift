/// The media types that the system knows by the ends of names: its `/etc/mime.types`.
package struct MediaTypes: Sendable, Hashable {
    /// The file; the package media-types of Debian has it.
    package static let path = "/etc/mime.types"
    /// The largest file that is read.
    package static let byteCountMax = 1 << 20

    private let types: [String: String]

    /// Reads the file's text: a type in a line, with the ends of names behind it; `#` begins a comment.
    package init(_ text: String) {
        var types: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
            guard let first = words.first, let type = Self.checked(String(first)) else { continue }
            // Of an end that several types have, the first one in the file is meant.
            for end in words.dropFirst() { types[end.lowercased()] = types[end.lowercased()] ?? type }
        }
        self.types = types
    }

    /// The type of a file; `nil` for a name whose end is not in the list.
    package func type(of name: String) -> String? { Self.end(of: name).flatMap { types[$0] } }

    /// The end of a name, in lower case and without the full stop; `nil` for a name without one.
    package static func end(of name: String) -> String? {
        guard let stop = name.lastIndex(of: "."), stop != name.startIndex else { return nil }
        let end = name[name.index(after: stop)...].lowercased()
        return end.isEmpty ? nil : end
    }

    /// The text where it is a media type (RFC 6838 §4.2), in lower case; `nil` for any other.
    package static func checked(_ text: String) -> String? {
        let parts = text.lowercased().split(separator: "/", omittingEmptySubsequences: false)
        let isType =
            parts.count == 2
            && parts.allSatisfy { part in
                (1...127).contains(part.utf8.count) && part.utf8.allSatisfy { isAllowed($0) }
            }
        return isType ? parts.joined(separator: "/") : nil
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$&-^_.+".utf8.contains(byte)
        }
    }
}
