import Queries
import TestSupport
import Wire

extension LiteralForms {
    /// Dates as numbers and bytes as digits: the real forms belong to the readers of predicates.
    static let plain = LiteralForms(
        readTime: { Int64($0) },
        writeTime: { String($0) },
        readBytes: { Hexadecimal.decode($0) },
        writeBytes: { Hexadecimal.encode($0) }
    )
}

/// Parses a text that is known to be a predicate.
func parsed(_ text: String) throws -> Predicate { try PredicateParser.parse(text, forms: .plain) }

extension QueryRecord {
    /// A record with some fields.
    static func sample(_ fields: [String: FieldValue], name: String = "one", type: String = "Note") -> QueryRecord {
        QueryRecord(
            name: name,
            type: type,
            creator: DeviceID.zero,
            modifier: DeviceID.zero,
            modifiedMilliseconds: 1_000,
            parent: nil,
            conflicts: 0,
            fields: Dictionary(uniqueKeysWithValues: fields.map { (BytewiseString($0.key), $0.value) })
        )
    }
}

/// Makes random predicates and values, all within the parser's limits.
struct Chance {
    var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func below(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    static let names = ["a", "b", "title", "not", "ä field", "with `marks`", "line\nbreak", "\u{1}", "É", "E\u{301}"]

    mutating func field() -> QueryField {
        below(6) == 0 ? .system(pick(SystemField.allCases)) : .named(pick(Self.names))
    }

    mutating func text() -> String {
        pick([
            "", "a", "ab", "abc", "b", "Ünïcode", "e\u{301}", "\"quoted\"", "back\\slash", "\u{0}\u{7F}\t\r\n", "😀",
            "'",
        ])
    }

    mutating func number() -> FieldValue {
        switch below(4) {
        case 0: .int64(pick([0, 1, -1, 5, .max, .min, 1 << 53, 1 << 53 + 1]))
        case 1:
            .double(
                pick([0, -0.0, 0.5, -2.25, 1e300, .leastNonzeroMagnitude, 9_007_199_254_740_992, 9.223372036854775e18])
            )
        case 2: .int64(Int64(bitPattern: generator.next()))
        default: .double(Double(Int64(bitPattern: generator.next())) / Double(1 + below(1_000)))
        }
    }

    mutating func literal() -> FieldValue {
        switch below(7) {
        case 0, 1: .string(text())
        case 2, 3: number()
        case 4: .bool(below(2) == 0)
        case 5: .date(milliseconds: pick([0, -1, 1_000, .max, .min]))
        default:
            below(2) == 0
                ? .bytes(generator.bytes(below(4)))
                : .reference(zone: below(2) == 0 ? nil : ZoneID(generator.bytes(32)), record: pick(["one", "two"]))
        }
    }

    mutating func value() -> FieldValue {
        switch below(12) {
        case 0: .null
        case 1: .double(.nan)
        case 2: .location(latitude: Double(below(180) - 90), longitude: Double(below(360) - 180))
        case 3: .list((0..<below(3)).map { _ in literal() })
        case 4:
            .set(SetState(entries: Set([literal(), literal()]).map { .init(element: $0, dots: [Self.dot]) }))
        case 5: .counter(CounterState(entries: [.init(actor: .zero, counter: 1, total: Int64(below(9)) - 4)]))
        default: literal()
        }
    }

    private static let dot = Dot(actor: .zero, counter: 1)

    mutating func predicate(depth: Int = 4) -> Predicate {
        switch below(depth == 0 ? 9 : 13) {
        case 0, 1: return .compare(field(), pick(Comparison.allCases), literal())
        case 2: return .oneOf(field(), (0...below(3)).map { _ in literal() })
        case 3: return .beginsWith(field(), BytewiseString(text()))
        case 4: return .contains(field(), literal())
        case 5: return below(2) == 0 ? .between(field(), number(), number()) : .isNull(field())
        case 6:
            return .near(
                field(),
                latitude: Double(below(181) - 90),
                longitude: Double(below(361) - 180),
                metres: Double(below(20_000_000)) / 3
            )
        case 7:
            let pattern = TextPattern(pick(["one", "ONE two", "pre*", "Ünï* 中文 x", "a, b; c"]))
            return pattern.map { .matches(field(), $0) } ?? .exists(field())
        case 8: return .exists(field())
        case 9: return .not(predicate(depth: depth - 1))
        case 10, 11: return .all((0...(1 + below(2))).map { _ in predicate(depth: depth - 1) })
        default: return .any((0...(1 + below(2))).map { _ in predicate(depth: depth - 1) })
        }
    }

    mutating func record(_ name: String) -> QueryRecord {
        var fields: [String: FieldValue] = [:]
        for name in ["a", "b", "title"] where below(5) > 0 { fields[name] = value() }
        return .sample(fields, name: name)
    }
}
