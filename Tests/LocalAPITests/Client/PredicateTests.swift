import FoundationEssentials
import LocalAPI
import Queries
import TestSupport
import Testing
import Wire

@testable import KairanClient

private typealias Condition = Queries.Predicate

/// A source of values that try to be more than values.
private struct Mischief {
    var generator: SeededGenerator

    private static let pieces = [
        "\"", "'", "`", "\\", "(", ")", ",", "@", "=", " ", "\n", "\r", "\t", "\0", "{", "}", "\\u{22}",
        "\" or true = true",
        "' or x exists or y = '", "`", "\u{301}", "\u{200D}", "\u{FE0F}", "é", "e\u{301}", "👩‍👩‍👧", "not", "null", "a", "7",
        "\\\"", "\r\n",
    ]

    mutating func text() -> String {
        (0..<Int.random(in: 0...8, using: &generator))
            .map { _ in Self.pieces[Int.random(in: 0..<Self.pieces.count, using: &generator)] }
            .joined()
    }

    /// A value, and the form in which the daemon has to take it.
    mutating func value() -> (RecordValue, FieldValue) {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0:
            let number = Int64(bitPattern: generator.next()) >> Int64.random(in: 0..<64, using: &generator)
            return (.integer(number), .int64(number))
        case 1:
            let number = Double(bitPattern: generator.next())
            return number.isFinite ? (.double(number), .double(number)) : (.double(-0.0), .double(-0.0))
        case 2:
            let flag = Bool.random(using: &generator)
            return (.bool(flag), .bool(flag))
        case 3:
            let milliseconds = Int64(bitPattern: generator.next()) >> 20
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            return (.date(date), .date(milliseconds: milliseconds))
        case 4:
            let bytes = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                UInt8(truncatingIfNeeded: generator.next())
            }
            return (.bytes(bytes), .bytes(bytes))
        case 5:
            let name = "r" + text()
            return (.reference(zone: nil, record: name), .reference(zone: nil, record: name))
        default:
            let text = text()
            return (.string(text), .string(text))
        }
    }
}

@Suite struct `Predicates with values in them` {
    private func parsed(_ predicate: RecordPredicate) throws -> Condition {
        try PredicateParser.parse(try predicate.checkedText(), forms: .interface)
    }

    /// Two texts that look alike are not the same here.
    private func isSame(_ left: Condition, _ right: Condition) -> Bool {
        left == right && "\(left)".utf8.elementsEqual("\(right)".utf8)
    }

    @Test(arguments: 0..<400) func `no value changes the query`(seed: UInt64) throws {
        var mischief = Mischief(generator: SeededGenerator(seed: seed))
        let (value, expected) = mischief.value()
        let (other, otherExpected) = mischief.value()
        let (text, field) = (mischief.text(), "f" + mischief.text())
        let title = QueryField.named("title")
        let cases: [(RecordPredicate, Condition)] = [
            ("title = \(value)", .compare(title, .equal, expected)),
            ("title=\(value)and not x exists", .all([.compare(title, .equal, expected), .not(.exists(.named("x")))])),
            ("title in \([value, other])", .oneOf(title, [expected, otherExpected])),
            ("title in (\(value),\(other))", .oneOf(title, [expected, otherExpected])),
            (
                "title contains \(value) or title != \(other)",
                .any([.contains(title, expected), .compare(title, .notEqual, otherExpected)])
            ),
            ("title begins with\(text)", .beginsWith(title, BytewiseString(text))),
            ("title begins with \"Re: \(text)!\"", .beginsWith(title, BytewiseString("Re: \(text)!"))),
            ("title begins with 'Re: \(text)\\\'\(text)'", .beginsWith(title, BytewiseString("Re: \(text)'\(text)"))),
            ("`f\(text)` is null", .isNull(.named("f\(text)"))),
            ("\(field: field) exists", .exists(.named(field))),
            (
                "x = 1 or \("y = \(value) and z = \(other)" as RecordPredicate)",
                .any([
                    .compare(.named("x"), .equal, .int64(1)),
                    .all([.compare(.named("y"), .equal, expected), .compare(.named("z"), .equal, otherExpected)]),
                ])
            ),
        ]
        for (predicate, meaning) in cases {
            #expect(isSame(try parsed(predicate), meaning), "seed \(seed): \(predicate)")
        }
    }

    @Test(arguments: 0..<200) func `a value where none belongs is refused, and changes nothing then either`(
        seed: UInt64
    ) {
        var mischief = Mischief(generator: SeededGenerator(seed: seed))
        let (value, _) = mischief.value()
        let text = mischief.text()
        let cases: [RecordPredicate] = [
            "\(value) = 1", "title \(text) 1", "title \(value)", "@\(text) = 1", "title = 1\(value)",
            "title = \(value)\(value)",
            "title = date(\(value)", "-\(value) = title", "not\(value)", "\(value)", "title = \(value)1",
        ]
        for predicate in cases {
            #expect(throws: (any Error).self, "seed \(seed): \(predicate)") { try parsed(predicate) }
        }
    }

    @Test func `a condition that no predicate can express is refused before it is sent, with the reason`() {
        let cases: [(RecordPredicate, String)] = [
            ("a = \(Double.nan)", "number"), ("a = \(-Double.infinity)", "number"),
            ("a = \(RecordValue.null)", "is null"),
            ("a = \(RecordValue.set([1]))", "set"), ("a in \([String]())", "empty"), ("a = '\(1)'", "quotation marks"),
            ("a = '\(["b"])'", "quotation marks"), ("a = '\\\("n")'", "backslash"),
            ("a = 1) or (b = \(1)", "parenthesis"),
            ("\("a = 1) or (b = 2" as RecordPredicate) and c = 3", "parenthesis"),
            ("\(RecordPredicate(text: "(a = 1")) and c = 3", "parenthesis"),
            ("\(RecordPredicate(text: "a = '1")) and c = 3", "quotation mark"),
            ("'\("a = 1" as RecordPredicate)'", "quotation marks"),
        ]
        for (predicate, reason) in cases {
            let error = #expect(throws: KairanError.self, "\(predicate)") { try predicate.checkedText() }
            #expect(error?.code == "query.bad_predicate" && error?.kind == .misfit)
            #expect(error?.problem.detail.contains(reason) == true, "\(error?.problem.detail ?? "")")
        }
    }

    @Test func `values of Swift's own types equal those of fields of these types`() throws {
        enum Mood: String { case calm }
        let id = UUID()
        let when = Date(timeIntervalSince1970: 1.0004)
        let cases: [(RecordPredicate, FieldValue)] = [
            ("a = \(7)", .int64(7)), ("a = \(Int64.min)", .int64(.min)), ("a = \(0.1)", .double(0.1)),
            ("a = \(Float(0.25))", .double(0.25)), ("a = \(true)", .bool(true)), ("a = \("x".prefix(1))", .string("x")),
            ("a = \(when)", .date(milliseconds: 1000)), ("a = \(Data([0, 255]))", .bytes([0, 255])),
            ("a = \(id)", .string(id.uuidString)), ("a = \(Mood.calm)", .string("calm")),
            ("a = \(Counter(3))", .int64(3)),
            ("a = \(RecordReference("r"))", .reference(zone: nil, record: "r")),
            ("a = \(RecordReference("r", deletesSelf: true))", .reference(zone: nil, record: "r")),
        ]
        for (predicate, value) in cases {
            #expect(try parsed(predicate) == .compare(.named("a"), .equal, value), "\(predicate)")
        }
    }
}
