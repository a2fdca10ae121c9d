import Testing

@testable import PeerControl

@Suite struct `Texts of others in a line` {
    @Test(arguments: [
        "👨‍👩‍👧", "❤️‍🔥", "👩🏽‍🚀", "1️⃣", "می‌خواهم", "क्‍ष", "葛󠄀", "é", "e\u{301}",
    ])
    func `keep joiners and selectors where these make the characters`(text: String) {
        #expect(Table.visible(text) == text)
        #expect(Array(Table.visible(text).unicodeScalars) == Array(text.unicodeScalars))
    }

    @Test(arguments: [
        ("no\u{200D}tes", "no�tes"), ("no\u{200C}tes", "no�tes"), ("notes\u{200D}", "notes�"),
        ("\u{200D}👧", "�👧"), ("1\u{200D}2", "1�2"), ("a\u{FE0F}", "a�"), ("می\u{200C}", "می�"),
        ("\u{202E}txt.exe", "�txt.exe"), ("a\u{2066}b\u{2069}", "a�b�"), ("a\u{200B}b", "a�b"), ("\u{FEFF}a", "�a"),
        ("a\u{AD}b", "a�b"), ("\u{3164}", "�"), ("a\u{34F}b", "a�b"), ("a\u{2028}b", "a�b"), ("\u{1B}[2J", "�[2J"),
        ("a\u{E0041}", "a�"),
    ])
    func `show invisible characters`(text: String, shown: String) {
        #expect(Table.visible(text) == shown)
    }

    @Test func `take as many columns as terminals give them`() {
        #expect(DisplayWidth.of("👨‍👩‍👧") == 2 && DisplayWidth.of("می‌خواهم") == 7)
    }
}
