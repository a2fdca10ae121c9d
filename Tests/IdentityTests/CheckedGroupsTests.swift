import TestSupport
import Testing

@testable import Identity

@Suite struct CheckedGroupsTests {
    static let forms = [
        CheckedGroups(byteCount: 16, dataCountPerGroup: 3), CheckedGroups(byteCount: 32, dataCountPerGroup: 4),
    ]
    static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")

    @Test(arguments: 0..<forms.count)
    func `a code is read back in any case and with any separators`(index: Int) throws {
        let form = Self.forms[index]
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            let bytes = generator.bytes(form.byteCount)
            let text = form.text(for: bytes)
            #expect(try form.bytes(from: text) == bytes)
            #expect(try form.bytes(from: text.lowercased()) == bytes)
            #expect(try form.bytes(from: text.filter { $0 != "-" }) == bytes)
            #expect(try form.bytes(from: " " + text.map { $0 == "-" ? " – " : String($0) }.joined() + "\n") == bytes)
        }
    }

    @Test(arguments: 0..<forms.count)
    func `every single wrong character names its group`(index: Int) {
        let form = Self.forms[index]
        var generator = SeededGenerator(seed: 2)
        let text = Array(form.text(for: generator.bytes(form.byteCount)))
        for position in text.indices where text[position] != "-" {
            let group = text[..<position].count { $0 == "-" } + 1
            for other in Self.alphabet where other != text[position] {
                var wrong = text
                wrong[position] = other
                #expect(throws: CheckedGroupsError.wrongGroup(group)) { try form.bytes(from: String(wrong)) }
            }
        }
    }

    @Test(arguments: 0..<forms.count)
    func `every exchange of two characters in a group names the group`(index: Int) {
        let form = Self.forms[index]
        var generator = SeededGenerator(seed: 3)
        let groups = form.text(for: generator.bytes(form.byteCount)).split(separator: "-").map(Array.init)
        for (number, group) in groups.enumerated() {
            for left in group.indices {
                for right in group.indices where left < right && group[left] != group[right] {
                    var wrong = groups
                    wrong[number].swapAt(left, right)
                    let text = wrong.map { String($0) }.joined(separator: "-")
                    #expect(throws: CheckedGroupsError.wrongGroup(number + 1)) { try form.bytes(from: text) }
                }
            }
        }
    }

    @Test func `exchanged groups are noticed`() {
        let form = Self.forms[0]
        var generator = SeededGenerator(seed: 4)
        var groups = form.text(for: generator.bytes(16)).split(separator: "-")
        groups.swapAt(2, 5)
        #expect(throws: CheckedGroupsError.wrongGroup(3)) { try form.bytes(from: groups.joined(separator: "-")) }
    }

    @Test(arguments: ["0", "1", "8", "9", "!", "é", "Ａ"])
    func `a character outside of the alphabet is named with its group`(character: Character) {
        let form = Self.forms[0]
        var text = Array(form.text(for: Array(repeating: 7, count: 16)))
        text[11] = character
        #expect(throws: CheckedGroupsError.wrongCharacter(character, group: 3)) { try form.bytes(from: String(text)) }
    }

    @Test func `missing and surplus characters are reported with their number`() {
        let form = Self.forms[0]
        let text = form.text(for: Array(repeating: 7, count: 16))
        #expect(throws: CheckedGroupsError.wrongLength(expected: 35, found: 0)) { try form.bytes(from: "") }
        #expect(throws: CheckedGroupsError.wrongLength(expected: 35, found: 32)) {
            try form.bytes(from: String(text.dropLast(4)))
        }
        #expect(throws: CheckedGroupsError.wrongLength(expected: 35, found: 36)) { try form.bytes(from: text + "A") }
        #expect(throws: CheckedGroupsError.wrongLength(expected: 35, found: 2_000)) {
            try form.bytes(from: String(repeating: "A", count: 2_000))
        }
    }

    @Test func `bits that no byte needs must be zero`() throws {
        let form = Self.forms[0]
        var text = Array(form.text(for: Array(repeating: 0, count: 16)))
        // The last group is two characters and a check; the second one ends in two unused bits.
        let last = try #require(text.indices.last)
        text[last - 1] = "B"
        let symbols = text[(last - 2)..<last].compactMap { $0.asciiValue.flatMap(Base32Symbol.init) }
        text[last] = Base32Symbol.check(of: symbols, group: 9).character
        #expect(throws: CheckedGroupsError.wrongGroup(9)) { try form.bytes(from: String(text)) }
    }

    @Test func `the written form does not change`() {
        #expect(Self.forms[0].text(for: Array(0..<16)) == "AAAB-QEAG-YEAN-UDAZ-OCAS-JBIQ-FQYV-DIOJ-B4Q")
    }
}
