import KairanClient
import TestSupport
import Testing

@Suite struct `JSON texts` {
    private func parse(_ text: String) throws(JSONSyntaxError) -> JSONValue {
        try JSONParser.parse(Array(text.utf8))
    }

    private static let allowed: [(String, JSONValue)] = [
        ("null", JSONValue.null), (" \t\r\n true ", true), ("0", 0), ("-0", 0), ("-12", -12), ("0.5", 0.5),
        ("1E-2", 0.01), ("\"\"", ""), (#""\"\\\/\b\f\n\r\t\u0041\uD83D\uDE00""#, "\"\\/\u{8}\u{C}\n\r\tA😀"),
        ("[]", []), ("[1, 2]", [1, 2]), ("{}", JSONValue.object([])),
        (#"{"b":1,"a":{"c":[]}}"#, ["b": 1, "a": ["c": []]]),
        ("\"é😀\"", "é😀"),
    ]

    @Test(arguments: allowed) func `text that the grammar allows is read`(text: String, value: JSONValue) throws {
        #expect(try parse(text) == value)
    }

    @Test(arguments: [
        ("", 1, 1), ("  ", 1, 3), ("nul", 1, 1), ("01", 1, 1), ("+1", 1, 1), ("1.", 1, 3), ("1e", 1, 3), ("-", 1, 2),
        (".5", 1, 1), ("1e999", 1, 1), ("[9223372036854775808]", 1, 2), ("-9223372036854775809", 1, 1), ("[1,]", 1, 4),
        ("[1 2]", 1, 4), ("[1", 1, 3), ("{\"a\"}", 1, 5),
        ("{\"a\":1,}", 1, 8), ("{a:1}", 1, 2), ("\"a", 1, 1), ("\"\n\"", 1, 2), ("\"\\x\"", 1, 3), ("\"\\u12\"", 1, 6),
        ("\"\\uD800\"", 1, 4), ("\"\\uD800\\u0041\"", 1, 4), ("\"\\uDC00\"", 1, 4), ("1 2", 1, 3), ("\n\n [,", 3, 3),
        ("'a'", 1, 1), ("NaN", 1, 1), ("{\"a\":1,\"b\":2,\"a\":3}", 1, 2), ("[1]//", 1, 4), ("\u{FEFF}1", 1, 1),
    ])
    func `text that the grammar does not allow is refused at its place`(text: String, line: Int, column: Int) throws {
        let error = #expect(throws: JSONSyntaxError.self) { try parse(text) }
        #expect(error?.line == line && error?.column == column, "\(text): \(error?.description ?? "")")
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(throws: JSONSyntaxError.self) { try JSONParser.parse([0x22, 0xFF, 0x22]) }
        #expect(throws: JSONSyntaxError.self) { try JSONParser.parse([0x22, 0x5C, 0x6E, 0xC3, 0x22]) }
    }

    @Test func `names that only look alike are two names`() throws {
        #expect(try parse("{\"\u{e9}\":1,\"e\u{301}\":2}").members?.count == 2)
        #expect(throws: JSONSyntaxError.self) { try parse("{\"a\":1,\"\\u0061\":2}") }
    }

    @Test func `nesting ends at its limit`() throws {
        let deepest =
            String(repeating: "[", count: JSONParser.depthMax) + String(repeating: "]", count: JSONParser.depthMax)
        #expect(throws: Never.self) { try parse(deepest) }
        #expect(throws: JSONSyntaxError.self) { try parse("[" + deepest + "]") }
        #expect(throws: JSONSyntaxError.self) { try parse(String(repeating: "[", count: 1_000_000)) }
    }

    @Test(arguments: 0..<100) func `random bytes never trap, and values that were read are written the same`(
        seed: UInt64
    ) {
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("{}[]\",:\\u0019.eE+-truefalsn \n".utf8)
        for _ in 0..<200 {
            let bytes = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
            }
            // Most of these are not JSON; only those that are can be compared.
            guard let value = try? JSONParser.parse(bytes) else { continue }
            // A failure to parse shows as an unequal value.
            #expect((try? JSONParser.parse(value.encoded)) == value, "seed \(seed)")
        }
    }
}

@Suite struct `Times in text` {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"), (1_784_626_200_125, "2026-07-21T09:30:00.125Z"),
        (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        (253_402_300_800_000, "+010000-01-01T00:00:00.000Z"), (-62_167_219_200_001, "-000001-12-31T23:59:59.999Z"),
        (Int64.max, "+292278994-08-17T07:12:55.807Z"), (Int64.min, "-292275055-05-16T16:47:04.192Z"),
    ])
    func `a time and its text belong together`(milliseconds: Int64, text: String) {
        #expect(RFC3339.text(milliseconds: milliseconds) == text)
        #expect(RFC3339.milliseconds(text) == milliseconds)
    }

    @Test(arguments: [
        "2026-07-21t09:30:00z", "2026-07-21T09:30:00Z", "2026-07-21T09:30:00.0Z", "2026-07-21T11:30:00+02:00",
        "2026-07-21T09:30:00.000000Z", "2026-07-20T23:00:00-10:30",
    ])
    func `other spellings of a time are read`(text: String) {
        #expect(RFC3339.milliseconds(text) == 1_784_626_200_000)
    }

    @Test(arguments: [
        "", "2026-07-21", "2026-07-21T09:30Z", "2026-07-21T09:30:00", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
        "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z", "2016-12-31T23:59:60Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00.0001Z",
        "2026-01-01T00:00:00Zx", "2026-01-01T00:00:00+24:00", "-000000-01-01T00:00:00Z",
        "+292278994-08-17T07:12:55.808Z",
        "-292275055-05-16T16:47:04.191Z", "+999999999-01-01T00:00:00Z", "２026-01-01T00:00:00Z", "2026-1-01T00:00:00Z",
    ])
    func `an invalid time is refused`(text: String) {
        #expect(RFC3339.milliseconds(text) == nil)
    }

    @Test(arguments: 0..<50) func `every time survives its text`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let time = Int64(bitPattern: generator.next()) >> Int64.random(in: 0...40, using: &generator)
            #expect(RFC3339.milliseconds(RFC3339.text(milliseconds: time)) == time, "seed \(seed)")
        }
    }
}
