import Queries
import Records
import Sync
import TestSupport
import Testing
import Wire

/// A program that keeps the records of one type for which a condition holds, by the events that it receives.
private struct SelectedCopy {
    let view: FeedView
    var token: String?
    var zones: Set<ZoneID> = []
    var records: [ZoneID: [String: RecordVersion]] = [:]
    /// The events so far, without zones.
    var told: [String] = []

    init(_ view: FeedView) {
        self.view = view
    }

    /// Reads one page, and dies behind some entry of it if requested.
    mutating func read(_ household: Household, limit: Int, dyingBehind: Int? = nil) throws -> Bool {
        let store = household.homes[0].store
        var reader = try FeedReader(view, since: token, in: store)
        let page = try reader.read(limit: limit, by: household.committer(0), in: store)
        #expect(page.entries.count <= limit)
        for entry in page.entries.prefix(dyingBehind ?? .max) {
            token = entry.token.text(of: view)
            switch entry.news {
            case .zone(let row):
                zones.insert(row.id)
            case .departed(let row, _):
                zones.remove(row.id)
                records[row.id] = nil
            case .record(let change):
                #expect(zones.contains(change.record.zone))
                told.append((change.record.isDeleted ? "delete " : "save ") + change.record.name)
                records[change.record.zone, default: [:]][change.record.name] =
                    change.record.isDeleted ? nil : change.record.version
            case .outside(let change):
                #expect(zones.contains(change.record.zone))
                told.append("out " + change.record.name)
                records[change.record.zone]?[change.record.name] = nil
            }
        }
        guard dyingBehind ?? .max >= page.entries.count else { return true }
        token = page.token.text(of: view)
        return page.more
    }

    mutating func readAll(_ household: Household, limit: Int = 100) throws {
        while try read(household, limit: limit) {}
    }

    /// Returns the current answer of a query, over all zones in the view.
    func answer(_ household: Household) throws -> [ZoneID: [String: RecordVersion]] {
        let store = household.homes[0].store
        var answer: [ZoneID: [String: RecordVersion]] = [:]
        guard let query = view.filter?.query else { return answer }
        for zone in zones {
            let page = try store.query(query, zone: zone, after: nil, limit: 1_000)
            for row in page.records { answer[zone, default: [:]][row.name] = row.version }
        }
        return answer
    }
}

@Suite struct `The feed of some records` {
    private static let high = Predicate.compare(.named("n"), .atLeast, .int64(5))

    private func founded(_ names: [String], devices: Int = 1, seed: UInt64 = 1) throws -> (Household, [ZoneID]) {
        var household = try Household(devices, seed: seed)
        let zones = try names.map { name in
            try ZoneLifecycle(household.committer(0)).create(household.genesis(name), in: &household.homes[0].store)
                .zone
        }
        for zone in zones {
            for index in 0..<devices where index > 0 { try household.pull(zone, from: 0, to: index) }
        }
        return (household, zones)
    }

    private func write(
        _ name: String,
        _ value: FieldValue?,
        type: String = "note",
        on index: Int = 0,
        zone: ZoneID,
        _ household: inout Household
    ) throws {
        let set = value.map { [FieldAssignment(field: "n", value: $0)] } ?? []
        let write = RecordWrite(name: name, type: type, set: set, remove: value == nil ? ["n"] : [])
        let author = household.committer(index)
        _ = try author.commit([WriteRequest([write])], zone: zone, in: &household.homes[index].store)
    }

    private func delete(_ name: String, on index: Int = 0, zone: ZoneID, _ household: inout Household) throws {
        let request = WriteRequest([RecordWrite(name: name, delete: true)])
        let author = household.committer(index)
        _ = try author.commit([request], zone: zone, in: &household.homes[index].store)
    }

    /// Changes one record at random, in either place.
    private func happen(_ household: inout Household, _ zones: [ZoneID], _ random: inout SeededGenerator) throws {
        let zone = zones[Int.random(in: 0..<zones.count, using: &random)]
        let name = "r\(Int.random(in: 0..<7, using: &random))"
        let index = Int.random(in: 0..<3, using: &random) == 0 ? 1 : 0
        household.homes[index].wall += 1_000
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1: try delete(name, on: index, zone: zone, &household)
        case 2, 3: try household.pull(zone, from: 1, to: 0)
        case 4: try household.pull(zone, from: 0, to: 1)
        case 5: try write(name, nil, on: index, zone: zone, &household)
        case 6:
            // Refused unless the record is of this type, or not there.
            try write(name, .string("text"), type: "task", on: index, zone: zone, &household)
        default:
            let number = Int64.random(in: 0..<10, using: &random)
            try write(name, .int64(number), on: index, zone: zone, &household)
        }
    }

    @Test(arguments: (1...10).map(UInt64.init))
    func `keeps exactly the answer of a query, in pages of any size, while others write and readers die`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        var (household, zones) = try founded(["a", "b"], devices: 2, seed: seed)
        let late = Predicate.compare(.system(.modifiedAt), .greater, .date(milliseconds: 1_700_000_040_000))
        let conflicts = Predicate.compare(.system(.conflicts), .greater, .int64(0))
        var copies = [
            FeedView(filter: FeedFilter(type: "note", predicate: Self.high)),
            FeedView(filter: FeedFilter(type: "task")),
            FeedView(zone: zones[1], filter: FeedFilter(type: "note", predicate: .not(.exists(.named("n"))))),
            FeedView(container: "org.example.notes", filter: FeedFilter(type: "note", predicate: conflicts)),
            FeedView(place: .own, filter: FeedFilter(type: "note", predicate: .any([late, Self.high]))),
        ].map { SelectedCopy($0) }
        for _ in 0..<300 {
            try happen(&household, zones, &random)
            let index = Int.random(in: 0..<copies.count, using: &random)
            let limit = Int.random(in: 1...6, using: &random)
            let dies = Int.random(in: 0..<4, using: &random) == 0
            let dying = dies ? Int.random(in: 0..<limit, using: &random) : nil
            let more = try copies[index].read(household, limit: limit, dyingBehind: dying)
            guard !more else { continue }
            #expect(
                try copies[index].records.filter { !$0.value.isEmpty } == copies[index].answer(household),
                "\(seed)"
            )
        }
        var newcomers = copies.map { SelectedCopy($0.view) }
        for index in copies.indices {
            try copies[index].readAll(household, limit: 3)
            try newcomers[index].readAll(household, limit: 4)
            let answer = try copies[index].answer(household)
            #expect(copies[index].records.filter { !$0.value.isEmpty } == answer, "seed \(seed), view \(index)")
            #expect(newcomers[index].records == answer, "seed \(seed), view \(index)")
            // A copy that has nothing yet receives no other events.
            #expect(newcomers[index].told.allSatisfy { $0.hasPrefix("save ") }, "seed \(seed), view \(index)")
        }
    }

    @Test func `learns that a record has left it, whatever the cause, and nothing of others`() throws {
        var (household, zones) = try founded(["a"])
        let zone = zones[0]
        var copy = SelectedCopy(FeedView(filter: FeedFilter(type: "note", predicate: Self.high)))
        try write("in", .int64(7), zone: zone, &household)
        try write("low", .int64(1), zone: zone, &household)
        try write("other", .int64(7), type: "task", zone: zone, &household)
        try copy.readAll(household)
        #expect(copy.told == ["save in"])
        copy.told = []
        try write("in", .int64(2), zone: zone, &household)
        try write("other", .int64(8), type: "task", zone: zone, &household)
        try copy.readAll(household)
        #expect(copy.told == ["out in"])
        copy.told = []
        // Deleted and made anew with another type; and a record that was always of the other one is deleted.
        try write("in", .int64(9), zone: zone, &household)
        try copy.readAll(household)
        try delete("in", zone: zone, &household)
        try write("in", .int64(9), type: "task", zone: zone, &household)
        try delete("other", zone: zone, &household)
        try delete("low", zone: zone, &household)
        try copy.readAll(household)
        #expect(copy.told == ["save in", "out in", "delete low"])
    }

    @Test func `looks at a bounded number of records for one page`() throws {
        var (household, zones) = try founded(["a"])
        let count = 2 * FeedReader.lookCountMax + 10
        var names = ArraySlice((0..<count).map { "n\($0)" })
        while !names.isEmpty {
            let part = names.prefix(500)
            names = names.dropFirst(500)
            let writes = part.map { RecordWrite(name: $0, type: "note") }
            let author = household.committer(0)
            _ = try author.commit([WriteRequest(writes)], zone: zones[0], in: &household.homes[0].store)
        }
        var copy = SelectedCopy(FeedView(filter: FeedFilter(type: "note", predicate: Self.high)))
        var pages = 1
        while try copy.read(household, limit: 1_000) { pages += 1 }
        #expect(pages == 3 && copy.told.isEmpty)
        // A copy that is up to date has nothing to look at.
        #expect(try copy.read(household, limit: 1) == false)
    }

    @Test func `refuses a token of another filter or of none, and accepts those of wider views with its own`() throws {
        let (household, zones) = try founded(["a"])
        let store = household.homes[0].store
        let filter = FeedFilter(type: "note", predicate: Self.high)
        func isTaken(_ made: FeedView, for wanted: FeedView) throws -> Bool {
            let text = try FeedReader(fromNowOn: made, in: store).token.text(of: made)
            do {
                _ = try FeedReader(wanted, since: text, in: store)
                return true
            } catch is FeedTokenExpired {
                return false
            }
        }
        let view = FeedView(container: "org.example.notes", filter: filter)
        #expect(try isTaken(view, for: view))
        #expect(try isTaken(view, for: FeedView(container: "org.example.notes", zone: zones[0], filter: filter)))
        #expect(try isTaken(FeedView(filter: filter), for: view))
        let others = [
            nil, FeedFilter(type: "note"), FeedFilter(type: "task", predicate: Self.high),
            FeedFilter(type: "note", predicate: .not(Self.high)),
        ]
        for other in others {
            let other = FeedView(container: "org.example.notes", filter: other)
            #expect(try !isTaken(view, for: other) && !isTaken(other, for: view))
        }
    }

    @Test func `knows a damaged token, whichever character was changed`() throws {
        let (household, _) = try founded(["a"])
        let store = household.homes[0].store
        let view = FeedView(filter: FeedFilter(type: "note", predicate: Self.high))
        let text = try FeedReader(fromNowOn: view, in: store).token.text(of: view)
        for index in text.indices {
            for character in ["a", "b", "2"] where text[index] != Character(character) {
                let damaged = text[..<index] + character + text[text.index(after: index)...]
                #expect(throws: FeedTokenExpired.self) { try FeedReader(view, since: String(damaged), in: store) }
            }
        }
    }
}
