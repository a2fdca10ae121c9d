import Queries
import TestSupport
import Testing
import Wire

@Suite struct `A cursor` {
    private let query = Query(
        type: "Note",
        predicate: .exists(.named("a")),
        sort: [SortField(.named("a")), SortField(.named("b"), isAscending: false)]
    )

    @Test func `is read as the place that it was written for`() throws {
        var chance = Chance(seed: 1)
        for index in 0..<300 {
            let place = query.position(of: chance.record("récord \(index)"))
            let text = QueryCursor.text(place, of: query)
            #expect(text.utf8.count <= QueryLimits.cursorCharacterCountMax)
            #expect(try QueryCursor.position(text, of: query) == place)
        }
    }

    @Test func `of the longest values keeps within its limit`() throws {
        let sort = ["a", "b", "c", "d"].map { SortField(.named($0)) }
        let longest = FieldValue.reference(zone: .zero, record: String(repeating: "x", count: 255))
        let values = Dictionary(uniqueKeysWithValues: ["a", "b", "c", "d"].map { ($0, longest) })
        let query = Query(type: "Note", sort: sort)
        let place = query.position(of: .sample(values, name: String(repeating: "y", count: 255)))
        #expect(try QueryCursor.position(QueryCursor.text(place, of: query), of: query) == place)
    }

    @Test func `of another query is known as such`() throws {
        let text = QueryCursor.text(query.position(of: .sample(["a": .int64(1)])), of: query)
        var others = [query, query, query, query]
        others[0].type = BytewiseString("Other")
        others[1].predicate = nil
        others[2].predicate = .isNull(.named("a"))
        others[3].sort[1].isAscending = true
        for other in others {
            #expect(throws: QueryCursor.Failure.ofAnotherQuery) { try QueryCursor.position(text, of: other) }
        }
    }

    @Test func `that is damaged is refused`() {
        let text = QueryCursor.text(query.position(of: .sample(["a": .int64(1), "b": .string("x")])), of: query)
        for bad in [
            "", "x", "00", String(text.dropLast(2)), text + "00", text.uppercased() + "A", "02" + text.dropFirst(2),
        ] {
            #expect(throws: QueryCursor.Failure.malformed) { try QueryCursor.position(bad, of: query) }
        }
        #expect(throws: QueryCursor.Failure.malformed) {
            try QueryCursor.position(String(repeating: "0", count: 4_098), of: query)
        }
    }
}

@Suite struct `The order of an answer` {
    @Test(arguments: 0..<30 as Range<UInt64>)
    func `is total, and pages leave nothing out`(seed: UInt64) throws {
        var chance = Chance(seed: seed)
        let sort = [
            SortField(.named("a"), isAscending: chance.below(2) == 0),
            SortField(.named("b"), isAscending: chance.below(2) == 0),
        ]
        let query = Query(type: "Note", sort: Array(sort.prefix(chance.below(3))))
        let places = (0..<60).map { query.position(of: chance.record("record-\($0)")) }
        let sorted = places.sorted { query.areAscending($0, $1) }
        for (index, place) in sorted.enumerated() {
            for later in sorted[(index + 1)...] {
                #expect(query.areAscending(place, later) && !query.areAscending(later, place), "seed \(seed)")
            }
        }
    }

    @Test func `puts records without a value last either way`() {
        for isAscending in [true, false] {
            let query = Query(type: "Note", sort: [SortField(.named("a"), isAscending: isAscending)])
            let with = query.position(of: .sample(["a": .int64(1)], name: "z"))
            let without = query.position(of: .sample([:], name: "a"))
            let unsortable = query.position(of: .sample(["a": .double(.nan)], name: "b"))
            #expect(query.areAscending(with, without))
            #expect(query.areAscending(with, unsortable))
        }
    }
}
