import Wire

/// Bytes as upper-case base32 in short groups, each with a check character: a form that people can read aloud and
/// type, and in which a mistake is located instead of only being reported.
///
/// The bytes are written with the alphabet of RFC 4648 §6 and cut into groups of a few characters. Each group ends with
/// a check character over GF(32): with the group's characters d₁…dₙ and the primitive element α of x⁵ + x² + 1, the
/// check is αⁿd₁ + … + αdₙ + (group's number). All factors differ, so every single wrong character and every exchange
/// of two characters in a group, the check character included, is found; the number makes exchanged groups show as
/// well.
///
///     K7QF-2MXA-…      three characters, one check, dash
///
/// Reading ignores case, spaces and dashes. It is no protection against intent: secrets are compared elsewhere.
struct CheckedGroups: Sendable {
    /// The number of bytes that the text stands for.
    let byteCount: Int

    /// The number of characters of a group that carry bytes; the last group may have fewer.
    let dataCountPerGroup: Int

    /// Far above any text with separators; a longer text was not typed.
    private static let typedByteCountMax = 1_024

    /// The number of characters that carry bytes.
    private var dataCount: Int { (byteCount * 8 + 4) / 5 }

    /// The number of groups.
    var groupCount: Int { (dataCount + dataCountPerGroup - 1) / dataCountPerGroup }

    /// The number of characters, separators not counted.
    var characterCount: Int { dataCount + groupCount }

    /// Writes bytes.
    /// - Parameter bytes: Exactly ``byteCount`` of them.
    /// - Returns: The groups, joined with dashes.
    func text(for bytes: [UInt8]) -> String {
        precondition(bytes.count == byteCount, "the form has a fixed size")
        let symbols = Array(Base32.encode(bytes).utf8).compactMap(Base32Symbol.init)
        let groups = stride(from: 0, to: symbols.count, by: dataCountPerGroup).enumerated().map { index, start in
            let data = symbols[start..<min(start + dataCountPerGroup, symbols.count)]
            return String((data + [Base32Symbol.check(of: data, group: index + 1)]).map(\.character))
        }
        return groups.joined(separator: "-")
    }

    /// Reads a text of ``text(for:)``, in any case and with any separators.
    /// - Parameter typed: The text that a person typed or pasted.
    /// - Returns: ``byteCount`` bytes.
    /// - Throws: ``CheckedGroupsError`` that names the first wrong group, if the mistake can be pinned to one.
    /// - Complexity: O(characters), bounded.
    func bytes(from typed: String) throws(CheckedGroupsError) -> [UInt8] {
        guard typed.utf8.count <= Self.typedByteCountMax else {
            throw .wrongLength(expected: characterCount, found: typed.utf8.count)
        }
        let symbols = try symbols(in: typed)
        let groupSize = dataCountPerGroup + 1
        var data: [Base32Symbol] = []
        for index in 0..<groupCount {
            let start = index * groupSize
            let end = min(start + groupSize, characterCount)
            guard end <= symbols.count, let check = symbols[start..<end].last else {
                throw .wrongLength(expected: characterCount, found: symbols.count)
            }
            let body = symbols[start..<end].dropLast()
            guard Base32Symbol.check(of: body, group: index + 1) == check else { throw .wrongGroup(index + 1) }
            data.append(contentsOf: body)
        }
        guard symbols.count == characterCount else {
            throw .wrongLength(expected: characterCount, found: symbols.count)
        }
        // The last character has bits that no byte needs; they are zero in the text that was shown.
        guard let bytes = Base32.decode(String(data.map(\.character)).lowercased()), bytes.count == byteCount else {
            throw .wrongGroup(groupCount)
        }
        return bytes
    }

    private func symbols(in typed: String) throws(CheckedGroupsError) -> [Base32Symbol] {
        var symbols: [Base32Symbol] = []
        for character in typed where !Self.isSeparator(character) {
            guard let ascii = character.asciiValue, let symbol = Base32Symbol(ascii) else {
                throw .wrongCharacter(character, group: symbols.count / (dataCountPerGroup + 1) + 1)
            }
            symbols.append(symbol)
        }
        return symbols
    }

    /// White space, and the characters that word processors substitute for a hyphen.
    private static func isSeparator(_ character: Character) -> Bool {
        character.isWhitespace || "-\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2212}\u{00AD}".contains(character)
    }
}
