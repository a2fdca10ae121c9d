package import FileRecords

/// The files of a folder that are not kept in step: those that `.kairanignore` names, and those of Kairan itself.
///
/// The patterns are a part of those of gitignore(5). A line is a pattern; empty lines and lines that begin with `#` are none, and neither
/// spaces nor a carriage return at the end of a line belong to it. `*` stands for any characters but a slash, `?` for one of them, and the
/// part `**` for any number of folders. A pattern with a slash before its end is about the path from the folder on, any other about the name at
/// any depth. With a slash at its end it is about folders alone. `!` before it takes back what earlier patterns say. Of several
/// patterns the last one counts. A file in a folder that is ignored is ignored. All other characters stand for themselves, `[` and `\` too.
package struct IgnoreRules: Sendable, Hashable {
    /// The largest number of bytes of the file.
    package static let byteCountMax = 1 << 20
    /// The beginning of the names of Kairan's own files and folders.
    package static let ownPrefix = ".kairan-"

    /// No patterns: only Kairan's own files are ignored.
    package static let none = IgnoreRules(rules: [])

    private struct Rule: Sendable, Hashable {
        var parts: [[UInt8]]
        var isAnchored: Bool
        var isForFolders: Bool
        var includes: Bool
    }

    private let rules: [Rule]

    private init(rules: [Rule]) { self.rules = rules }

    /// Reads patterns.
    /// - Parameter text: The bytes of the file; other bytes than those of UTF-8 stand for themselves.
    package init(_ text: [UInt8]) {
        rules = text.split(separator: UInt8(ascii: "\n")).compactMap { Self.rule($0) }
    }

    private static func rule(_ line: ArraySlice<UInt8>) -> Rule? {
        var line = line
        while let last = line.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\r") { line.removeLast() }
        guard let first = line.first, first != UInt8(ascii: "#") else { return nil }
        let includes = first == UInt8(ascii: "!")
        if includes { line.removeFirst() }
        let isForFolders = line.last == UInt8(ascii: "/")
        if isForFolders { line.removeLast() }
        let isAnchored = line.contains(UInt8(ascii: "/"))
        let parts = line.split(separator: UInt8(ascii: "/")).map { Array($0) }
        guard !parts.isEmpty else { return nil }
        return Rule(parts: parts, isAnchored: isAnchored, isForFolders: isForFolders, includes: includes)
    }

    /// Whether a file is not kept in step.
    /// - Parameter path: The file.
    /// - Returns: True as well where a folder that it is in is ignored.
    /// - Complexity: O(parts × patterns).
    package func isIgnored(_ path: FilePath) -> Bool { isIgnored(path, isFolder: false) }

    /// Whether the files of a folder are not kept in step.
    package func isIgnoredFolder(_ path: FilePath) -> Bool { isIgnored(path, isFolder: true) }

    private func isIgnored(_ path: FilePath, isFolder: Bool) -> Bool {
        let parts = path.parts.map { Array($0.utf8) }
        if parts.contains(where: { $0.starts(with: Self.ownPrefix.utf8) }) { return true }
        guard !rules.isEmpty else { return false }
        for count in 1...parts.count {
            let isLast = count == parts.count
            if isNamed(parts[..<count], isFolder: !isLast || isFolder) { return true }
        }
        return false
    }

    /// Whether the last pattern about a path ignores it.
    private func isNamed(_ parts: ArraySlice<[UInt8]>, isFolder: Bool) -> Bool {
        let rule = rules.last { rule in
            guard isFolder || !rule.isForFolders else { return false }
            guard rule.isAnchored else {
                return rule.parts.first.map { Self.fits(parts.last ?? [], $0) } ?? false
            }
            return Self.fits(Array(parts), rule.parts)
        }
        return rule.map { !$0.includes } ?? false
    }

    /// Whether a path fits a pattern, part by part; `**` stands for any number of parts, and at the end for at least one.
    private static func fits(_ path: [[UInt8]], _ pattern: [[UInt8]]) -> Bool {
        let any = Array("**".utf8)
        var needed = pattern
        // `a/**` is everything in a, and not a itself.
        if needed.last == any, needed.count > 1 { needed.append(Array("*".utf8)) }
        return fits(path, needed, isAny: { $0 == any }, isFit: { fits($0, $1) })
    }

    /// Whether a name fits a pattern without slashes.
    private static func fits(_ name: [UInt8], _ pattern: [UInt8]) -> Bool {
        fits(
            characters(name),
            characters(pattern),
            isAny: { $0.elementsEqual([UInt8(ascii: "*")]) },
            isFit: { $1.elementsEqual([UInt8(ascii: "?")]) || $0 == $1 }
        )
    }

    /// The scalars of UTF-8 as their bytes, and each other byte alone.
    private static func characters(_ name: [UInt8]) -> [ArraySlice<UInt8>] {
        var characters: [ArraySlice<UInt8>] = []
        var start = name.startIndex
        for index in name.indices.dropFirst() where name[index] & 0xC0 != 0x80 {
            characters.append(name[start..<index])
            start = index
        }
        if start < name.endIndex { characters.append(name[start...]) }
        return characters
    }

    /// Whether a sequence fits a pattern in which some elements stand for any number of elements.
    /// - Complexity: O(elements × pattern): only the last such element is tried again.
    private static func fits<Element>(
        _ elements: [Element],
        _ pattern: [Element],
        isAny: (Element) -> Bool,
        isFit: (Element, Element) -> Bool
    ) -> Bool {
        var (element, place) = (0, 0)
        var retry: (element: Int, place: Int)?
        while element < elements.count {
            if place < pattern.count, isAny(pattern[place]) {
                retry = (element, place)
                place += 1
            } else if place < pattern.count, isFit(elements[element], pattern[place]) {
                element += 1
                place += 1
            } else if let last = retry {
                retry = (last.element + 1, last.place)
                (element, place) = (last.element + 1, last.place + 1)
            } else {
                return false
            }
        }
        while place < pattern.count, isAny(pattern[place]) { place += 1 }
        return place == pattern.count
    }
}
