import Queries
import TestSupport
import Testing
import Wire

@Suite struct `Reading a predicate` {
    @Test(arguments: [
        ("a = 1", Predicate.compare(.named("a"), .equal, .int64(1))),
        ("a == 1", .compare(.named("a"), .equal, .int64(1))),
        ("a!=-9223372036854775808", .compare(.named("a"), .notEqual, .int64(.min))),
        ("a<=9223372036854775807", .compare(.named("a"), .atMost, .int64(.max))),
        ("a > 1.5e3", .compare(.named("a"), .greater, .double(1_500))),
        ("`not` = 'it\\'s'", .compare(.named("not"), .equal, .string("it's"))),
        ("a = \"\\u{1F600}\\n\"", .compare(.named("a"), .equal, .string("😀\n"))),
        ("done = TRUE", .compare(.named("done"), .equal, .bool(true))),
        ("at >= date(\"5\")", .compare(.named("at"), .atLeast, .date(milliseconds: 5))),
        ("key = bytes(\"0aff\")", .compare(.named("key"), .equal, .bytes([10, 255]))),
        ("of = reference(\"x\")", .compare(.named("of"), .equal, .reference(zone: nil, record: "x"))),
        ("a in (1, 'two', 3.0)", .oneOf(.named("a"), [.int64(1), .string("two"), .double(3)])),
        ("a begins with 'x'", .beginsWith(.named("a"), BytewiseString("x"))),
        ("a contains 1", .contains(.named("a"), .int64(1))),
        ("a between 1 and 2.5", .between(.named("a"), .int64(1), .double(2.5))),
        ("near(at, 48.2, 16, 500)", .near(.named("at"), latitude: 48.2, longitude: 16, metres: 500)),
        ("@parent is null", .isNull(.system(.parent))),
        ("@modified_at is not null", .exists(.system(.modifiedAt))),
        ("a exists", .exists(.named("a"))),
        (
            "not a exists and b exists or c exists",
            .any([.all([.not(.exists(.named("a"))), .exists(.named("b"))]), .exists(.named("c"))])
        ),
        (
            "not (a exists or (b exists))",
            .not(.any([.exists(.named("a")), .exists(.named("b"))]))
        ),
    ])
    func `returns the value of the text`(text: String, meaning: Predicate) throws {
        #expect(try parsed(text) == meaning)
    }

    @Test(arguments: [
        ("", 0, 1, "the end"),
        ("a", 1, 2, "the end"),
        ("a = ", 4, 5, "the end"),
        ("ä = 1", 0, 1, "ä"),
        ("`ä` = ?", 7, 7, "?"),
        ("a = 1 b", 6, 7, "b"),
        ("a = 9223372036854775808", 4, 5, "9223372036854775808"),
        ("a = 1e999", 4, 5, "1e999"),
        ("a = 1.", 4, 5, "1."),
        ("a = 1x", 4, 5, "1x"),
        ("a = 'open", 4, 5, "a string without an end"),
        ("a = '\\q'", 5, 6, "an unknown escape"),
        ("a = '\\u{D800}'", 5, 6, "an unknown escape"),
        ("and = 1", 0, 1, "and"),
        ("@nothing = 1", 0, 1, "@nothing"),
        ("(a = 1", 6, 7, "the end"),
        ("a = 1)", 5, 6, ")"),
        ("a in ()", 6, 7, ")"),
        ("a between 1 and 'x'", 16, 17, "'x'"),
        ("near(a, 91, 0, 1)", 8, 9, "91"),
        ("near(a, 0, 0, -1)", 14, 15, "-1"),
        ("a matches '...'", 10, 11, "'...'"),
        ("a = date('yesterday')", 9, 10, "'yesterday'"),
        ("a ! 1", 2, 3, "!"),
    ])
    func `names the position of its error`(text: String, offset: Int, column: Int, found: String) {
        let error = #expect(throws: PredicateError.self) { try parsed(text) }
        #expect(error?.offset == offset)
        #expect(error?.column == column)
        #expect(error?.found == found)
        #expect(error?.expected.isEmpty == false)
    }

    @Test func `is bounded in length, depth, tests and values`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "(", count: depth) + "a exists" + String(repeating: ")", count: depth)
        }
        func joined(_ count: Int) -> String { Array(repeating: "a=1", count: count).joined(separator: " or ") }
        func listed(_ count: Int) -> String { "a in (\(Array(repeating: "1", count: count).joined(separator: ",")))" }
        #expect(throws: Never.self) { try parsed(nested(32)) }
        #expect(throws: PredicateError.self) { try parsed(nested(33)) }
        #expect(throws: PredicateError.self) { try parsed(String(repeating: "not ", count: 33) + "a exists") }
        #expect(throws: Never.self) { try parsed(joined(256)) }
        #expect(throws: PredicateError.self) { try parsed(joined(257)) }
        #expect(throws: Never.self) { try parsed(listed(256)) }
        #expect(throws: PredicateError.self) { try parsed(listed(257)) }
        let text = "a = '" + String(repeating: "x", count: 16_378) + "'"
        #expect(throws: Never.self) { try parsed(text) }
        #expect(throws: PredicateError.self) { try parsed(text + " ") }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `is the opposite of writing it`(seed: UInt64) throws {
        var chance = Chance(seed: seed)
        for _ in 0..<50 {
            let predicate = chance.predicate()
            let text = predicate.text(.plain)
            #expect(try parsed(text) == predicate, "seed \(seed): \(text)")
            #expect(try parsed(text).text(.plain) == text, "seed \(seed)")
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `accepts or refuses any text, and never traps`(seed: UInt64) {
        var chance = Chance(seed: seed)
        for _ in 0..<200 {
            var bytes = Array(chance.predicate().text(.plain).utf8)
            for _ in 0..<chance.below(4) where !bytes.isEmpty {
                let place = chance.below(bytes.count)
                switch chance.below(3) {
                case 0: bytes.remove(at: place)
                case 1: bytes[place] = UInt8(truncatingIfNeeded: chance.below(256))
                default: bytes.insert(bytes[chance.below(bytes.count)], at: place)
                }
            }
            let text = String(decoding: bytes, as: UTF8.self)
            do {
                let predicate = try parsed(text)
                #expect(throws: Never.self, "seed \(seed): \(text)") { try parsed(predicate.text(.plain)) }
            } catch {
                guard let error = error as? PredicateError else { continue }
                #expect(error.offset <= text.utf8.count && error.column <= error.offset + 1, "seed \(seed): \(text)")
            }
        }
    }
}
