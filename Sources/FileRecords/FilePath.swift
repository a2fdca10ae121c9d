import Crypto
import KairanInterface
import Wire

/// The path of a file in a zone: names of folders and of the file, separated by single slashes.
///
/// Paths are bytes of UTF-8 and are compared as such, as names of records are. A path has neither a leading nor a trailing slash, and
/// no part that is empty, `.` or `..`, so it leads out of no folder that it is resolved beneath.
package struct FilePath: Sendable, Hashable, Comparable {
    /// The largest number of bytes of a path (Linux: `PATH_MAX`, with the NUL).
    package static let byteCountMax = 4_095
    /// The largest number of bytes of a part (Linux: `NAME_MAX`).
    package static let partByteCountMax = 255

    /// The path as text.
    package var text: String { name.wrappedValue }
    private let name: Name

    /// Reads a path; `nil` where the text is none.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard (1...Self.byteCountMax).contains(bytes.count), !bytes.contains(0) else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.allSatisfy({ Self.isPart($0) }) else { return nil }
        name = Name(text)
    }

    /// The path of a file, or folder, in a folder of the zone; `nil` where the name is none of a file, or the path becomes too long.
    /// - Parameters:
    ///   - part: The name of the file or folder.
    ///   - folder: The path of the folder; `nil` for the zone itself.
    package init?(_ part: String, in folder: FilePath?) {
        guard Self.isPart(part.utf8[...]) else { return nil }
        self.init(folder.map { $0.text + "/" + part } ?? part)
    }

    /// The names of the folders from the zone down, and the name of the file.
    package var parts: [String] {
        text.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The name of the file alone.
    package var lastPart: String {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return text }
        return String(decoding: text.utf8[text.utf8.index(after: slash)...], as: UTF8.self)
    }

    /// The folder that the file is in; `nil` for a file of the zone itself.
    package var folder: FilePath? {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return FilePath(String(decoding: text.utf8[..<slash], as: UTF8.self))
    }

    /// Whether this file, or folder, is beneath a folder.
    package func isBeneath(_ folder: FilePath) -> Bool {
        text.utf8.count > folder.text.utf8.count && text.utf8.starts(with: folder.text.utf8)
            && text.utf8.dropFirst(folder.text.utf8.count).first == UInt8(ascii: "/")
    }

    /// The name of the record that describes the file of this path.
    ///
    /// It is the path itself where that is a name for records (`docs/api/limits.md`), and otherwise a slash with the SHA-256 of the
    /// path in hexadecimal digits: no path begins with a slash, so no two paths have one name.
    package var recordName: String {
        if text.utf8.count <= Limits.nameByteCountMax, text.utf8.contains(where: { $0 != UInt8(ascii: ".") }),
            !text.unicodeScalars.contains(where: \.isRefusedInNames)
        {
            return text
        }
        var hash = SHA256()
        Array(text.utf8).withUnsafeBytes { hash.update(bufferPointer: $0) }
        return "/" + FileDigest(hash.finalize()).hexadecimal
    }

    /// Whether the left path sorts before the right one, by its bytes.
    package static func < (left: FilePath, right: FilePath) -> Bool { left.name < right.name }

    private static func isPart(_ part: Substring.UTF8View) -> Bool {
        (1...partByteCountMax).contains(part.count) && !part.contains(0) && !part.contains(UInt8(ascii: "/"))
            && !part.elementsEqual(".".utf8) && !part.elementsEqual("..".utf8)
    }
}
