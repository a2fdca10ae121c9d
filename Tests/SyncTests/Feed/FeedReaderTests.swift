import Records
import Sync
import TestSupport
import Testing
import Wire

/// A program that keeps a copy by the events that it receives.
private struct Copy {
    let view: FeedView
    var token: String?
    var zones: Set<ZoneID> = []
    var records: [RecordTag: UInt64] = [:]
    var names: [String] = []

    init(_ view: FeedView = FeedView()) {
        self.view = view
    }

    /// Reads one page, and dies behind some entry of it if requested.
    mutating func read(_ household: Household, limit: Int, dyingBehind: Int? = nil) throws -> Bool {
        let store = household.homes[0].store
        var reader = try FeedReader(view, since: token, in: store)
        let page = try reader.read(limit: limit, by: household.committer(0), in: store)
        #expect(page.entries.count <= limit)
        for entry in page.entries.prefix(dyingBehind ?? .max) {
            #expect(reader.token.position.isBehind(entry.token.position) == false)
            token = entry.token.text(of: view)
            switch entry.news {
            case .zone(let row): zones.insert(row.id)
            case .departed(let row, _):
                zones.remove(row.id)
            case .record(let change):
                #expect(zones.contains(change.record.zone))
                #expect(records[change.record.tag] != change.position || entry.token.position.backlog != nil)
                records[change.record.tag] = change.position
                names.append(change.record.name)
            case .outside:
                Issue.record("nothing is left out of a view without a filter")
            }
        }
        guard dyingBehind ?? .max >= page.entries.count else { return true }
        token = page.token.text(of: view)
        return page.more
    }

    mutating func readAll(_ household: Household, limit: Int = 100) throws {
        while try read(household, limit: limit) {}
    }
}

@Suite struct `The feed of changes` {
    private func founded(_ names: [String]) throws -> (Household, [ZoneID]) {
        var household = try Household(1)
        let zones = try names.map { name in
            try ZoneLifecycle(household.committer(0)).create(household.genesis(name), in: &household.homes[0].store)
                .zone
        }
        return (household, zones)
    }

    @Test(arguments: [UInt64(1), 2, 3, 4, 5, 6])
    func `is exact in pages of any size, while others write and readers die`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var (household, zones) = try founded(["a", "b", "c"])
        let views = [
            FeedView(), FeedView(place: .own), FeedView(zone: zones[1]), FeedView(container: "org.example.notes"),
        ]
        var copies = views.map { Copy($0) }
        for step in 0..<120 {
            let zone = zones[Int.random(in: 0..<3, using: &random)]
            try household.write("n\(Int.random(in: 0..<9, using: &random))", "\(step)", on: 0, zone: zone)
            let index = Int.random(in: 0..<copies.count, using: &random)
            let limit = Int.random(in: 1...7, using: &random)
            let dying = Int.random(in: 0..<4, using: &random) == 0 ? Int.random(in: 0..<limit, using: &random) : nil
            _ = try copies[index].read(household, limit: limit, dyingBehind: dying)
        }
        let store = household.homes[0].store
        for index in copies.indices {
            try copies[index].readAll(household, limit: 3)
            let view = copies[index].view
            let seen = zones.filter { view.zone == nil || view.zone == $0 }
            #expect(copies[index].zones == Set(seen), "seed \(seed)")
            let all = try seen.flatMap { try store.changes(zone: $0, after: 0, limit: 1_000) }
            let positions = Dictionary(uniqueKeysWithValues: all.map { ($0.record.tag, $0.position) })
            #expect(copies[index].records == positions, "seed \(seed)")
        }
    }

    @Test func `reports each record once, in its newest state`() throws {
        var (household, zones) = try founded(["a"])
        for text in ["1", "2", "3"] { try household.write("n", text, on: 0, zone: zones[0]) }
        try household.write("m", "1", on: 0, zone: zones[0])
        var copy = Copy()
        try copy.readAll(household, limit: 1)
        #expect(copy.names == ["n", "m"])
    }

    @Test func `reports the deletion of a zone, and nothing of it from then on`() throws {
        var (household, zones) = try founded(["a", "b"])
        for zone in zones { try household.write("n", "1", on: 0, zone: zone) }
        var (early, late) = (Copy(), Copy())
        try early.readAll(household)
        _ = try ZoneLifecycle(household.committer(0)).delete(
            zones[0],
            reason: "asked for",
            in: &household.homes[0].store
        )
        try early.readAll(household)
        try late.readAll(household)
        #expect(early.zones == [zones[1]] && late.zones == [zones[1]])
        #expect(late.names == ["n"])
    }

    @Test func `reports all records of a zone that comes back, including those written while it was not shown`() throws
    {
        var n = try Neighbours([1, 1])
        let zone = try n.zone(of: 0)
        _ = try n.grant(.write, to: 1, by: 0, zone: zone)
        try n.write("before", "1", on: 0, zone: zone)
        try n.exchange(zone)
        func names(since token: String?) throws -> (names: [String], gone: Int, token: String) {
            let store = n.homes[1].store
            var reader = try FeedReader(FeedView(), since: token, in: store)
            let page = try reader.read(limit: 100, by: n.committer(1), in: store)
            let gone = page.entries.count { if case .departed = $0.news { true } else { false } }
            return (page.records.map(\.record.name), gone, page.token.text(of: FeedView()))
        }
        let first = try names(since: nil)
        #expect(first.names == ["before"])
        // Hidden, and written to; then shown again: as after leaving a zone and taking it up once more.
        let row = try #require(try n.homes[1].store.zone(zone))
        var sealed = row
        (sealed.state, sealed.role) = (.sealed, .unknown)
        try n.homes[1].store.save(sealed)
        _ = try n.change(1) { try ZoneLifecycle($0).forget(zone, in: &$2) }
        let second = try names(since: first.token)
        #expect(second.names.isEmpty)
        let genesis = row.genesis
        let key = row.tagKey
        _ = try n.change(1) { try ZoneLifecycle($0).join(genesis, tagKey: key, in: &$2).notice }
        let third = try names(since: second.token)
        #expect(third.names == ["before"])
    }

    @Test func `accepts the token of a wider view, and of no other`() throws {
        let (household, zones) = try founded(["a"])
        let store = household.homes[0].store
        let everything = FeedView()
        let container = FeedView(container: "org.example.notes")
        let zone = FeedView(container: "org.example.notes", zone: zones[0])
        let scoped = FeedView(scope: [BytewiseString("org.example.notes")])
        let own = FeedView(place: .own)
        func isTaken(_ made: FeedView, for wanted: FeedView) throws -> Bool {
            let text = try FeedReader(fromNowOn: made, in: store).token.text(of: made)
            do {
                _ = try FeedReader(wanted, since: text, in: store)
                return true
            } catch is FeedTokenExpired {
                return false
            }
        }
        for (made, wanted) in [(everything, container), (everything, zone), (container, zone), (everything, own)] {
            #expect(try isTaken(made, for: made) && isTaken(wanted, for: wanted))
            #expect(try isTaken(made, for: wanted) && !isTaken(wanted, for: made))
        }
        for other in [everything, container, zone, own] {
            #expect(try !isTaken(scoped, for: other) && !isTaken(other, for: scoped))
        }
        #expect(try !isTaken(own, for: zone))
    }

    @Test func `knows a damaged token, whichever character was changed`() throws {
        var (household, zones) = try founded(["a"])
        for index in 0..<50 { try household.write("n\(index)", "x", on: 0, zone: zones[0]) }
        let store = household.homes[0].store
        let text = try FeedReader(fromNowOn: FeedView(), in: store).token.text(of: FeedView())
        for index in text.indices {
            for character in ["a", "b", "2"] where text[index] != Character(character) {
                let damaged = text.replacingCharacters(in: index, with: character)
                #expect(throws: FeedTokenExpired.self) { try FeedReader(FeedView(), since: damaged, in: store) }
            }
        }
    }

    @Test func `of a store in another lifetime knows no token of before`() throws {
        var (household, _) = try founded(["a"])
        let text = try FeedReader(fromNowOn: FeedView(), in: household.homes[0].store).token.text(of: FeedView())
        try household.homes[0].store.save(Incarnation(using: &household.random))
        let store = household.homes[0].store
        #expect(throws: FeedTokenExpired.self) { try FeedReader(FeedView(), since: text, in: store) }
    }
}

extension String {
    fileprivate func replacingCharacters(in index: Index, with text: String) -> String {
        self[..<index] + text + self[self.index(after: index)...]
    }
}
