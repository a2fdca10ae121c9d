import KairanInterface

/// The names of conflict files: `NAME (conflict DEVICE TIME).EXTENSION`.
package enum ConflictName {
    /// The time of a version in its name, in UTC: `2026-07-21 09-30-00`.
    /// - Parameter milliseconds: The time, in milliseconds since 1970.
    /// - Returns: The word.
    package static func word(milliseconds: Int64) -> String {
        String(RFC3339.text(milliseconds: milliseconds).prefix(19)).replacing("T", with: " ").replacing(":", with: "-")
    }

    private static let opening = " (conflict "
    private static let deviceByteCountMax = 40
    private static let extensionByteCountMax = 20

    /// The path of a version of a file that has lost a conflict.
    ///
    /// A conflict of a conflict file is named after the first file.
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - device: The name of the device that wrote the version.
    ///   - time: The time of the version, or another word that tells it from others.
    ///   - number: From 1; counts versions of one device and time.
    /// - Returns: The path, in the same folder; `nil` if it would be too long.
    package static func path(of path: FilePath, device: String, time: String, number: Int = 1) -> FilePath? {
        let file = original(of: path) ?? path
        let (stem, suffix) = parts(of: file.lastPart)
        let count = number > 1 ? " \(number)" : ""
        let mark = "\(opening)\(sound(device)) \(sound(time))\(count))"
        let room = FilePath.partByteCountMax - mark.utf8.count - suffix.utf8.count
        guard let name = cut(stem, to: room), !name.isEmpty else { return nil }
        return FilePath(name + mark + suffix, in: file.folder)
    }

    /// The path of the file that a conflict file is another version of, by its name; `nil` for a name of another form.
    package static func original(of path: FilePath) -> FilePath? {
        let (stem, suffix) = parts(of: path.lastPart)
        guard stem.utf8.last == UInt8(ascii: ")"), let start = lastIndex(of: opening, in: stem) else { return nil }
        let name = String(Substring(stem.utf8[..<start]))
        let inside = stem.utf8[start...].dropFirst(opening.utf8.count).dropLast()
        guard !name.isEmpty, inside.contains(UInt8(ascii: " ")),
            !inside.contains(where: { $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: ")") })
        else { return nil }
        return FilePath(name + suffix, in: path.folder)
    }

    /// The name without its extension, and the extension with its point.
    private static func parts(of name: String) -> (stem: String, suffix: String) {
        let bytes = name.utf8
        guard let point = bytes.lastIndex(of: UInt8(ascii: ".")), point > bytes.startIndex else { return (name, "") }
        let suffix = String(Substring(bytes[point...]))
        // A space shows that the point is one of a sentence, and a long word that it is no type of file.
        guard suffix.utf8.count <= extensionByteCountMax, !suffix.utf8.contains(UInt8(ascii: " ")),
            !suffix.utf8.contains(UInt8(ascii: ")"))
        else { return (name, "") }
        return (String(Substring(bytes[..<point])), suffix)
    }

    private static func lastIndex(of text: String, in name: String) -> String.Index? {
        var end = name.utf8.endIndex
        while end > name.utf8.startIndex {
            end = name.utf8.index(before: end)
            if name.utf8[end...].starts(with: text.utf8) { return end }
        }
        return nil
    }

    /// The letters, digits and harmless marks of a text, and a stroke for each other character.
    private static func sound(_ text: String) -> String {
        let marks = Set(" ._-+".unicodeScalars)
        var result = ""
        for scalar in text.unicodeScalars {
            let isSound =
                scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal || marks.contains(scalar)
            let next = isSound ? String(scalar) : "-"
            guard result.utf8.count + next.utf8.count <= deviceByteCountMax else { break }
            result += next
        }
        return result.isEmpty ? "unknown" : result
    }

    /// The beginning of a text that has at most so many bytes; `nil` without room.
    private static func cut(_ text: String, to byteCount: Int) -> String? {
        guard byteCount > 0 else { return nil }
        var result = ""
        for scalar in text.unicodeScalars {
            guard result.utf8.count + scalar.utf8.count <= byteCount else { break }
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}
