import Queries
import Records
import ReplicaBehaviour
import Sync
import TestSupport
import Wire

// Queries, which every store must answer as the evaluator does, with any indexes.
extension NodeStoreBehaviour {
    func checkQueries(_ store: inout some NodeTransaction) throws {
        try store.createTestZone()
        var world = QueryWorld(seed: 1)
        for round in 0..<30 {
            try world.write(in: &store)
            try world.disturbIndexes(in: &store)
            for _ in 0..<12 {
                let query = world.query()
                let limit = 1 + world.below(12)
                let expected = try QueryWorld.answer(query, in: store)
                let found = try QueryWorld.pages(of: query, limit: limit, in: &store)
                guard found == expected else {
                    throw Failure(
                        description: "round \(round): \(query): \(found ?? ["refused"]), not \(expected ?? [])"
                    )
                }
            }
        }
    }

    func checkQueryPages(_ store: inout some NodeTransaction) throws {
        try store.createTestZone()
        var world = QueryWorld(seed: 2)
        for round in 0..<12 {
            try world.write(in: &store)
            try world.disturbIndexes(in: &store)
            let query = world.query(searchesText: false)
            let before = try required(QueryWorld.answer(query, in: store))
            var touched: Set<String> = []
            let found = try QueryWorld.pages(of: query, limit: 2, in: &store) { store in
                touched.formUnion(try world.write(in: &store))
                _ = try store.buildFieldIndexes(limit: 3)
            }
            let seen = (found ?? []).filter { !touched.contains($0) }
            guard seen == before.filter({ !touched.contains($0) }) else {
                throw Failure(description: "round \(round): \(query): \(seen) of \(before), touched \(touched)")
            }
        }
    }

    func checkIndexes(_ store: inout some NodeTransaction) throws {
        let container = TestZone.genesis.container
        try store.createTestZone()
        try store.commit(
            (0..<40).map { .note("n\($0)", ["x": "\($0 % 4)", "y": "word\($0 % 3) all"]) },
            by: TestAuthor(1)
        )
        try require(store.fieldIndexes(container: container).isEmpty)
        let value = FieldIndex(type: "note", field: .named("x"), kind: .value)
        let text = FieldIndex(type: "note", field: .named("y"), kind: .text)
        let search = Query(type: "note", predicate: TextPattern("WORD1").map { .matches(.named("y"), $0) })
        try require(QueryWorld.pages(of: search, limit: 5, in: &store) == nil)
        try store.setFieldIndexes([value, text, value], container: container)
        try require(store.fieldIndexes(container: container).map(\.index) == [value, text])
        try require(QueryWorld.pages(of: search, limit: 5, in: &store)?.count == 13)
        var steps = 0
        while try store.buildFieldIndexes(limit: 7), steps < 1_000 { steps += 1 }
        try require(store.fieldIndexes(container: container).allSatisfy(\.isReady))
        try require(QueryWorld.pages(of: search, limit: 5, in: &store)?.count == 13)
        try store.setFieldIndexes([value], container: container)
        try require(store.fieldIndexes(container: container).map(\.index) == [value])
        try require(store.fieldIndexes(container: container).allSatisfy(\.isReady))
        try require(QueryWorld.pages(of: search, limit: 5, in: &store) == nil)
        while try store.buildFieldIndexes(limit: 7), steps < 2_000 { steps += 1 }
        // An index that comes back is built anew.
        try store.setFieldIndexes([text], container: container)
        while try store.buildFieldIndexes(limit: 7), steps < 3_000 { steps += 1 }
        try require(steps < 3_000)
        try require(QueryWorld.pages(of: search, limit: 50, in: &store)?.count == 13)
        try require(store.fieldIndexes(container: "org.example.other").isEmpty)
    }
}

/// Random records, indexes and queries.
struct QueryWorld {
    private var generator: SeededGenerator
    private let fields = ["a", "b", "text"]

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func below(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }

    private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    /// Writes some records, also concurrent ones that conflict.
    /// - Returns: Their names.
    @discardableResult
    mutating func write(in store: inout some NodeTransaction) throws -> Set<String> {
        let writes = (0..<(1 + below(8))).map { _ in write() }
        try store.commit(writes, by: TestAuthor(1), at: 1_000 + UInt64(below(50)))
        guard below(4) == 0 else { return Set(writes.map(\.name)) }
        var other = MemoryReplica()
        try other.createTestZone()
        let theirs = write()
        try other.commit([theirs], by: TestAuthor(UInt8(2 + below(3))), at: 1_000 + UInt64(below(50)))
        try store.pull(from: other)
        return Set((writes + [theirs]).map(\.name))
    }

    private mutating func write() -> RecordWrite {
        // The name determines the type, which a record keeps.
        let number = below(60)
        let name = "\(pick(["r", "R", "ä"]))\(number)"
        if below(6) == 0 { return .deletion(name) }
        var write = RecordWrite(name: name, type: number % 3 == 0 ? "task" : "note")
        for field in fields {
            switch below(4) {
            case 0: write.remove.append(field)
            default: write.set.append(.init(field: field, value: field == "text" ? .string(text()) : value()))
            }
        }
        if below(4) == 0 { write.parent = .set("r\(below(60))") }
        return write
    }

    private mutating func text() -> String {
        (0..<below(5)).map { _ in pick(["one", "Two", "three", "onward", "Ümlaut", "中文"]) }.joined(
            separator: pick([" ", ", "])
        )
    }

    private mutating func value() -> FieldValue {
        switch below(11) {
        case 0: .null
        case 1: .double(.nan)
        case 2: .location(latitude: Double(below(20)), longitude: Double(below(20)))
        case 3: .list([literal(), literal()])
        case 4: .string(String(repeating: "x", count: 254 + below(6)) + pick(["", "a", "b"]))
        default: literal()
        }
    }

    private mutating func literal() -> FieldValue {
        switch below(7) {
        case 0: .bool(below(2) == 0)
        case 1, 2: .int64(pick([0, 1, 2, 3, -1, .max, .min, 1 << 53, 1 << 53 + 1]))
        case 3: .double(pick([0, 1, 1.5, -0.0, 9_007_199_254_740_992, 1e300, -.infinity]))
        case 4: .string(pick(["", "a", "ab", "abc", "b", "ä"]))
        case 5: .date(milliseconds: pick([0, 1_010, 1_020, -5]))
        default: .reference(zone: nil, record: "r\(below(5))")
        }
    }

    /// Sets other indexes now and then, and builds a little.
    mutating func disturbIndexes(in store: inout some NodeTransaction) throws {
        if below(3) == 0 {
            let all = ["note", "task"].flatMap { type in
                [FieldIndex(type: type, field: .system(.modifiedAt), kind: .value)]
                    + fields.map { FieldIndex(type: type, field: .named($0), kind: .value) }
                    + [FieldIndex(type: type, field: .named("text"), kind: .text)]
            }
            try store.setFieldIndexes(all.filter { _ in below(2) == 0 }, container: TestZone.genesis.container)
        }
        for _ in 0..<below(30) { _ = try store.buildFieldIndexes(limit: 1 + below(20)) }
    }

    mutating func query(searchesText: Bool = true) -> Query {
        var tests = (0..<below(3)).map { _ in test() }
        let patterns = ["one", "on*", "two Three", "中", "ümlaut one", "nothing"].compactMap(TextPattern.init)
        if searchesText, below(4) == 0 { tests.append(.matches(.named("text"), pick(patterns))) }
        let predicate: Predicate? =
            switch tests.count {
            case 0: nil
            case 1: below(4) == 0 ? .not(tests[0]) : tests[0]
            default: below(4) == 0 ? .any(tests) : .all(tests)
            }
        let sort = (0..<pick([0, 1, 1, 2])).map { _ in SortField(field(), isAscending: below(2) == 0) }
        return Query(type: pick(["note", "task"]), predicate: predicate, sort: sort)
    }

    private mutating func field() -> QueryField {
        pick([.named("a"), .named("a"), .named("b"), .named("text"), .system(.modifiedAt), .system(.name)])
    }

    private mutating func test() -> Predicate {
        switch below(8) {
        case 0, 1, 2: return .compare(field(), pick(Comparison.allCases), pick([literal(), value()]))
        case 3: return .oneOf(field(), (0..<(1 + below(3))).map { _ in literal() })
        case 4:
            return .beginsWith(
                field(),
                BytewiseString(pick(["", "a", "ab", "r1", String(repeating: "x", count: 257)]))
            )
        case 5:
            let (low, high) = (literal(), literal())
            return low.order(to: high) == nil ? .exists(field()) : .between(field(), low, high)
        case 6: return .contains(field(), literal())
        default: return below(2) == 0 ? .isNull(field()) : .near(field(), latitude: 9, longitude: 9, metres: 800_000)
        }
    }

    /// The names in the order of the answer, by the evaluator over all records; nil when it must be refused.
    static func answer(_ query: Query, in store: some NodeTransaction) throws -> [String]? {
        let indexes = try store.fieldIndexes(container: TestZone.genesis.container).map(\.index)
        let isRefused = (query.predicate?.searchedFields ?? []).contains { field in
            !indexes.contains(FieldIndex(type: query.type.string, field: field, kind: .text))
        }
        if isRefused { return nil }
        return try store.records(zone: TestZone.id, after: nil, limit: 10_000).records
            .map { QueryRecord(try $0.content(), modifiedMilliseconds: $0.time.milliseconds) }
            .filter { query.matches($0) }
            .map { query.position(of: $0) }
            .sorted { query.areAscending($0, $1) }
            .map(\.name)
    }

    /// The names in the order of the answer, page by page; nil when it is refused.
    static func pages<Store: NodeTransaction>(
        of query: Query,
        limit: Int,
        in store: inout Store,
        between: (inout Store) throws -> Void = { _ in }
    ) throws -> [String]? {
        var names: [String] = []
        var place: QueryPosition?
        repeat {
            let page: QueryPage
            do {
                page = try store.query(query, zone: TestZone.id, after: place, limit: limit)
            } catch is QueryRefusal {
                return nil
            }
            names += page.records.map(\.name)
            place = page.next
            if place != nil { try between(&store) }
        } while place != nil
        return names
    }
}
