import Queries
import TestSupport
import Testing
import Wire

@Suite struct `A predicate` {
    private let record = QueryRecord.sample([
        "title": .string("Grüße aus Wien"), "count": .int64(1 << 53 + 1), "ratio": .double(0.5),
        "done": .bool(false), "at": .location(latitude: 48.2082, longitude: 16.3738),
        "tags": .list([.string("red"), .int64(3)]), "none": .null, "odd": .double(.nan),
        "list": .anchor(record: "groceries"),
        "total": .counter(CounterState(entries: [.init(actor: .zero, counter: 1, total: 7)])),
        "set": .set(SetState(entries: [.init(element: .string("x"), dots: [Dot(actor: .zero, counter: 1)])])),
    ])

    @Test(arguments: [
        ("title = 'Grüße aus Wien'", true), ("title = 'grüße aus wien'", false), ("title != 'x'", true),
        ("title begins with 'Grü'", true), ("title begins with ''", true), ("title begins with 'Wien'", false),
        ("title contains 'aus'", true), ("title contains ''", true), ("title contains 'xx'", false),
        ("title matches 'WIEN grüße'", true), ("title matches 'wie*'", true), ("title matches 'wie'", false),
        ("count = 9007199254740993", true), ("count = 9007199254740992", false),
        ("count = 9007199254740992.0", false), ("count > 9007199254740992.0", true),
        ("count < 9007199254740994.0", true), ("ratio between 0 and 1", true), ("ratio < 1", true),
        ("ratio in (1, 0.5)", true), ("ratio in (1, 'x')", false),
        ("done = false", true), ("done < true", true), ("done = 0", false),
        ("tags contains 'red'", true), ("tags contains 3.0", true), ("tags contains 'blue'", false),
        ("tags matches 'RED'", true), ("set contains 'x'", true), ("total = 7", true), ("total >= 7.5", false),
        ("near(at, 48.2082, 16.3738, 0)", true), ("near(at, 48.21, 16.37, 400)", true),
        ("near(at, 48.15, 17.11, 50000)", false), ("near(at, 48.15, 17.11, 60000)", true),
        ("near(title, 0, 0, 1e9)", false),
        ("list = reference('groceries')", true), ("list in (reference('groceries'))", true),
        ("list != reference('groceries')", false), ("missing = 1", false), ("missing != 1", false),
        ("not missing = 1", true), ("title != 5", false),
        ("none exists", false), ("none is null", true), ("missing is null", true), ("title is not null", true),
        ("odd = 1", false), ("odd != 1", false), ("odd exists", true),
        ("@name = 'one'", true), ("@modified_at = date('1000')", true), ("@parent is null", true),
        ("@conflicts = 0", true),
        ("done = true or title exists and ratio = 0.5", true), ("not (done = false and ratio = 0.5)", false),
    ])
    func `is true or false as the grammar defines it`(text: String, holds: Bool) throws {
        #expect(try parsed(text).matches(record) == holds)
    }

    @Test func `about the far ends of numbers is exact`() throws {
        let numbers: [FieldValue] = [
            .double(-.infinity), .double(-9.3e18), .int64(.min), .int64(.min + 1), .double(-1), .int64(0),
            .double(.leastNonzeroMagnitude),
            .int64(1 << 53), .int64(1 << 53 + 1), .double(9_007_199_254_740_994), .int64(.max - 1), .int64(.max),
            .double(9_223_372_036_854_775_808), .double(.infinity),
        ]
        for (index, one) in numbers.enumerated() {
            for (other, value) in numbers.enumerated() {
                let expected: ValueOrder = index < other ? .ascending : index > other ? .descending : .same
                #expect(one.order(to: value) == expected, "\(one) and \(value)")
            }
        }
        #expect(FieldValue.double(-0.0).order(to: .int64(0)) == .same)
        #expect(FieldValue.double(-9_223_372_036_854_775_808).order(to: .int64(.min)) == .same)
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `keeps the laws of logic and of order`(seed: UInt64) throws {
        var chance = Chance(seed: seed)
        for index in 0..<100 {
            let record = chance.record("record-\(index)")
            let predicate = chance.predicate()
            #expect(Predicate.not(predicate).matches(record) != predicate.matches(record), "seed \(seed)")
            let (one, other) = (chance.value(), chance.value())
            if let order = one.order(to: other), let first = SortValue(one), let second = SortValue(other) {
                let isShort = first.bytes.count < 257 && second.bytes.count < 257
                let expected: ValueOrder = first < second ? .ascending : second < first ? .descending : .same
                #expect(!isShort || order == expected, "seed \(seed): \(one) and \(other)")
            }
        }
    }
}

@Suite struct `The words of a text` {
    @Test func `are its letters and digits in lower case, ideographs one by one`() {
        #expect(
            TextWords.words(of: "Hello, WORLD-wide 2nd ÄÖ café! 中文字x") == [
                "hello", "world", "wide", "2nd", "äö", "café", "中", "文", "字", "x",
            ]
        )
        #expect(TextWords.words(of: " .,;* ").isEmpty)
        #expect(TextWords.words(of: String(repeating: "A", count: 200)) == [String(repeating: "a", count: 64)])
    }

    @Test func `are all wanted by a pattern, beginnings with a star`() throws {
        let pattern = try #require(TextPattern("quick* fox"))
        #expect(pattern.matches("The fox, quickly!"))
        #expect(!pattern.matches("The foxes, quickly!"))
        #expect(TextPattern("* ,") == nil)
        #expect(TextPattern(String(repeating: "a ", count: 33)) == nil)
    }
}
