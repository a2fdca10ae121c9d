import FoundationEssentials
import TestSupport
import Testing

@testable import KairanClient

private enum Mood: String, Codable { case calm, cross }
private enum Level: Int, Codable { case low = 1, high = 2 }

private struct Everything: RecordContent, Equatable {
    var text = "Milk \"and\" 🥖"
    var flag = true
    var small: Int8 = -128
    var int = 7
    var smallest = Int64.min
    var greatest = Int64.max
    var word = UInt32.max
    var real = 3.0
    var float: Float = 0.25
    var when = Date(timeIntervalSince1970: 1_700_000_000.125)
    var data = Data([0, 255])
    var bytes: [UInt8] = [1, 2]
    var id = UUID()
    var link = URL(string: "https://example.org/a?b=c")
    var place = Location(latitude: 48.5, longitude: -9)
    var parent = RecordReference("n1", zone: "z")
    var anchor = RecordReference("n2", deletesSelf: true)
    var sum: Counter = -3
    var mood = Mood.cross
    var level = Level.high
    var list = ["a", "b"]
    var dates = [Date(timeIntervalSince1970: 0)]
    var nested = [[1], [], [2, 3]]
    var tags: Set<String> = ["x", "y", "z"]
    var numbers: Set<Int> = []
    var raw: RecordValue = .list([.null, 1])
    var maybe: Int? = nil
    var there: Date? = Date(timeIntervalSince1970: -1.5)
    var holes: [Int?] = [1, nil]
}

@Suite struct `Values and the fields of records` {
    private func decoded<Value: Decodable>(_ type: Value.Type, _ fields: NameDictionary<RecordValue>) throws -> Value {
        try RecordDecoder().decode(type, from: fields)
    }

    @Test func `every kind of property comes back as it was`() throws {
        let value = Everything()
        let fields = try RecordEncoder().encode(value)
        #expect(try decoded(Everything.self, fields.values) == value)
        #expect(fields.absent == ["maybe"])
        #expect(fields.values["smallest"] == .integer(.min) && fields.values["greatest"] == .integer(.max))
        #expect(fields.values["real"] == .double(3) && fields.values["int"] == .integer(7))
        #expect(fields.values["bytes"] == .bytes([1, 2]) && fields.values["data"] == .bytes([0, 255]))
        #expect(fields.values["sum"] == .counter(-3) && fields.values["mood"] == "cross")
        #expect(fields.values["place"] == .location(latitude: 48.5, longitude: -9))
        #expect(fields.values["anchor"] == .anchor(record: "n2"))
        #expect(fields.values["parent"] == .reference(zone: "z", record: "n1"))
        #expect(fields.values["tags"] == .set(["x", "y", "z"]) && fields.values["numbers"] == .set([]))
        #expect(fields.values["holes"] == .list([1, .null]))
    }

    @Test func `every field survives the text in which it travels`() throws {
        let fields = try RecordEncoder().encode(Everything()).values
        let text = RecordWrite.json(fields).encoded
        let members = try #require(try JSONParser.parse(text).members)
        let read = Dictionary(uniqueKeysWithValues: members.map { ($0.name, RecordValue(json: $0.value)) })
        #expect(read.count == fields.count)
        for (name, value) in fields { #expect(read[name] == value, "\(name)") }
    }

    @Test(arguments: 0..<50) func `random integers, doubles and times are exact`(seed: UInt64) throws {
        struct Numbers: RecordContent, Equatable {
            var integers: [Int64]
            var doubles: [Double]
            var times: [Date]
        }
        var generator = SeededGenerator(seed: seed)
        let value = Numbers(
            integers: (0..<20).map { _ in Int64(bitPattern: generator.next()) >> Int64(generator.next() % 64) },
            doubles: (0..<20).compactMap { _ in
                let number = Double(bitPattern: generator.next())
                return number.isNaN ? nil : number
            },
            times: (0..<20).map { _ in
                Date(timeIntervalSince1970: Double(Int64(bitPattern: generator.next()) >> 20) / 1000)
            }
        )
        let fields = try RecordEncoder().encode(value).values
        let travelled = try #require(
            RecordValue(json: try JSONParser.parse(RecordValue.list(Array(fields.values)).json.encoded))
        )
        #expect(travelled == .list(Array(fields.values)), "seed \(seed)")
        #expect(try decoded(Numbers.self, fields) == value, "seed \(seed)")
    }

    @Test func `a time is kept to the millisecond, so that it equals the time that is read`() throws {
        struct Time: RecordContent { var at: Date }
        let exact = Date(timeIntervalSince1970: 1.0004)
        let fields = try RecordEncoder().encode(Time(at: exact)).values
        #expect(fields["at"] == .date(Date(timeIntervalSince1970: 1)))
        let error = #expect(throws: KairanError.self) { try RecordEncoder().encode(Time(at: .distantFuture + 1e300)) }
        #expect(error?.code == "record.unencodable" && error?.path == "at")
    }

    @Test func `a value that no field can hold is refused with its place`() throws {
        struct Inner: Codable { var x = 1 }
        struct Names: Encodable { var inner = Inner() }
        struct InList: Encodable { var list = [Inner()] }
        struct Big: Encodable { var numbers: [UInt64] = [1, .max] }
        struct Table: Encodable { var table = ["a": 1] }
        enum Choice: Codable { case one(Int) }
        struct Chosen: Encodable { var choice = Choice.one(1) }
        struct Empty: Codable {}
        struct HasEmpty: Encodable { var empty = Empty() }
        let cases: [(any Encodable, String?)] = [
            (Names(), "inner"), (InList(), "list[0]"), (Big(), "numbers[1]"), (Table(), "table"),
            (Chosen(), "choice"), (HasEmpty(), "empty"), ("text", nil), ([1], nil), (Mood.calm, nil), (Date(), nil),
        ]
        for (value, path) in cases {
            func encode(_ value: some Encodable) throws { _ = try RecordEncoder().encode(value) }
            let error = #expect(throws: KairanError.self) { try encode(value) }
            #expect(error?.code == "record.unencodable" && error?.kind == .misfit, "\(value)")
            #expect(error?.path?.hasPrefix(path ?? "?") ?? (path == nil), "\(value): \(error?.path ?? "")")
            #expect(error?.isRetryable == false)
        }
    }

    @Test(
        arguments: [
            ("title", [:]), ("title", ["title": 1]), ("count", ["title": "a", "count": 1.5]),
            ("count", ["title": "a", "count": 300]), ("tags[1]", ["title": "a", "count": 1, "tags": ["a", 2]]),
            ("due", ["title": "a", "count": 1, "tags": [], "due": "2026-01-01"]),
            ("names", ["title": "a", "count": 1, "tags": [], "names": ["a"]]),
            ("sum", ["title": "a", "count": 1, "tags": [], "sum": 1]),
            ("mood", ["title": "a", "count": 1, "tags": [], "mood": "merry"]),
        ] as [(String, NameDictionary<RecordValue>)]
    )
    func `a record that does not fit is refused with the field's place`(
        path: String,
        fields: NameDictionary<RecordValue>
    ) {
        struct Note: RecordContent {
            var title: String
            var count: Int8
            var tags: [String]
            var due: Date?
            var names: Set<String>?
            var sum: Counter?
            var mood: Mood?
        }
        let error = #expect(throws: KairanError.self) { try decoded(Note.self, fields) }
        #expect(error?.code == "record.undecodable" && error?.path == path, "\(error?.description ?? "")")
    }

    @Test func `an absent and a null field are nil, a whole double may be written as an integer`() throws {
        struct Sparse: RecordContent, Equatable {
            var first: Int?
            var second: Int?
            var size: Double
        }
        let value = try decoded(Sparse.self, ["second": .null, "size": 3, "other": "ignored"])
        #expect(value == Sparse(first: nil, second: nil, size: 3))
        #expect(throws: KairanError.self) { try decoded(Sparse.self, ["size": .integer(.max)]) }
    }

    @Test func `a dictionary of values, a wrapped type and a subclass are fields too`() throws {
        struct Wrapped: Encodable {
            var inner = ["a": RecordValue.integer(1)]
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(inner)
            }
        }
        #expect(try RecordEncoder().encode(Wrapped()).values == ["a": 1])
        #expect(try decoded([String: RecordValue].self, ["a": 1, "b": .null]) == ["a": 1, "b": .null])
    }
}

@Suite struct `Typed records` {
    private struct Note: RecordContent, Equatable {
        var title: String
        var due: Date?
        var tags: Set<String> = []
    }

    private func record(_ fields: NameDictionary<RecordValue>, type: String = "Note") -> Record {
        Record(
            zone: "z",
            name: "n1",
            type: type,
            fields: fields,
            version: "v1",
            isDeleted: false,
            createdBy: "d1",
            modifiedBy: "d2",
            modifiedAt: Date(timeIntervalSince1970: 5),
            conflicts: 1
        )
    }

    @Test func `a typed record has its metadata beside its value`() throws {
        let note = try TypedRecord(record(["title": "Milk", "tags": .set([])]), as: Note.self)
        #expect(note.name == "n1" && note.version == "v1" && note.createdBy == "d1" && note.modifiedBy == "d2")
        #expect(note.modifiedAt == Date(timeIntervalSince1970: 5) && note.conflicts == 1)
        #expect(note.value == Note(title: "Milk") && note.reference == RecordReference("n1"))
        let error = #expect(throws: KairanError.self) {
            try TypedRecord(record(["title": "Milk", "tags": .set([])], type: "Task"), as: Note.self)
        }
        #expect(error?.code == "record.undecodable")
    }

    @Test func `changed keys are all that is written, and nothing where nothing changed`() throws {
        let known = record([
            "title": "Milk", "due": .date(.init(timeIntervalSince1970: 1)), "other": 1, "tags": .set(["b", "a"]),
        ])
        var note = try TypedRecord(known, as: Note.self)
        note.value.tags = ["b", "a"]
        #expect(try note.write() == nil)
        note.value.due = nil
        note.value.title = "Bread"
        #expect(try note.write() == RecordWrite("n1", fields: ["title": "Bread"], removing: ["due"]))
        #expect(
            try note.write(.ifUnchanged)
                == RecordWrite("n1", fields: ["title": "Bread"], removing: ["due"], ifVersion: "v1")
        )
        #expect(
            try note.write(.allKeys)
                == RecordWrite("n1", fields: ["title": "Bread", "tags": .set(["a", "b"])], removing: ["due"])
        )
    }

    @Test func `counters and sets are written as additions and removals`() throws {
        struct Post: RecordContent, Equatable {
            var likes: Counter = 0
            var views: Counter?
            var tags: Set<String> = []
        }
        var known = record(["likes": .counter(5), "tags": .set(["a", "b"]), "other": 1], type: "Post")
        var post = try TypedRecord(known, as: Post.self)
        #expect(try post.write() == nil)
        post.value.likes.total -= 2
        post.value.views = 4
        post.value.tags = ["b", "c"]
        var expected = RecordWrite("n1")
        expected.increments = ["likes": -2, "views": 4]
        expected.insertions = ["tags": ["c"]]
        expected.withdrawals = ["tags": ["a"]]
        #expect(try post.write() == expected)
        #expect(try post.write(.allKeys)?.fields["likes"] == .counter(3))

        // On top of the changes of others: they removed `b`, added `d`, and counted too.
        let now = record(
            ["likes": .counter(15), "views": .counter(1), "tags": .set(["a", "d"]), "other": 2],
            type: "Post"
        )
        let rebased = try post.rebased(onto: now)
        #expect(rebased.value == Post(likes: 13, views: 5, tags: ["c", "d"]) && rebased.known == now)
        #expect(try rebased.write() == expected)

        known.fields["likes"] = .counter(.min)
        var far = try TypedRecord(known, as: Post.self)
        far.value.likes = Counter(.max)
        far.value.views = 0
        #expect(try far.write()?.fields == ["likes": .counter(.max), "views": .counter(0)])
    }

    @Test(arguments: 0..<200) func `computed changes turn the known fields into the wanted ones`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        func value() -> RecordValue {
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: .counter(Int64(bitPattern: generator.next()) >> Int64.random(in: 0..<64, using: &generator))
            case 1: .set((0..<4).filter { _ in Bool.random(using: &generator) }.map { .integer($0) })
            case 2: .string("\(generator.next() % 3)")
            case 3: .double(.nan)
            default: .list([.null])
            }
        }
        let names = ["a", "b", "c", "d", "e"]
        var known: NameDictionary<RecordValue> = [:]
        var wanted = RecordFields(values: [:], absent: [])
        for name in names {
            if Bool.random(using: &generator) { known[name] = value() }
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: wanted.values[name] = known[name]
            case 1: wanted.values[name] = value()
            default: wanted.absent.append(name)
            }
        }
        let result = FieldChanges(from: known, to: wanted).applied(to: known)
        for name in names {
            switch (result[name], wanted.values[name]) {
            case (let result?, let wanted?): #expect(result.isSame(as: wanted), "seed \(seed), \(name)")
            case (let result, nil): #expect(result == nil || !wanted.absent.contains(name), "seed \(seed), \(name)")
            case (nil, _?): Issue.record("seed \(seed): \(name) is missing")
            }
        }
    }

    @Test func `a new record states its type and removes nothing`() throws {
        let note = TypedRecord("n2", Note(title: "Milk"))
        let fields: NameDictionary<RecordValue> = ["title": "Milk", "tags": .set([])]
        #expect(try note.write() == RecordWrite("n2", type: "Note", fields: fields))
        #expect(try note.write(.ifUnchanged)?.ifVersion == "")
        #expect(note.version == nil && TypedRecord(Note(title: "")).name != TypedRecord(Note(title: "")).name)
    }
}
