import Queries
import Records
import Sync
import TestSupport
import Testing
import Wire

/// A reader that goes by the memory of commits where it can, and one beside it that reads the store.
private struct ReaderPair {
    let view: FeedView
    /// Whether it is woken for each commit, or for some.
    let isPrompt: Bool
    var remembering: FeedReader
    var reading: FeedReader
    var chain = FeedChain()
    var (servedCount, readCount) = (0, 0)

    init(_ view: FeedView, isPrompt: Bool, in store: MemoryStore) throws {
        (self.view, self.isPrompt) = (view, isPrompt)
        remembering = try FeedReader(fromNowOn: view, in: store)
        reading = remembering
    }

    /// Lets both readers go on to the end of the feed, and compares them.
    mutating func wake(_ household: Household, _ comment: Comment) throws {
        let (told, expected) = (try takeAll(household), try Self.readAll(&reading, household))
        #expect(told.map(described) == expected.map(described), comment)
        #expect(remembering.token == reading.token, comment)
    }

    private mutating func takeAll(_ household: Household) throws -> [FeedEntry] {
        if let tail = chain.take(), let entries = try remembering.take(tail) {
            servedCount += 1
            return entries
        }
        readCount += 1
        return try Self.readAll(&remembering, household)
    }

    private static func readAll(_ reader: inout FeedReader, _ household: Household) throws -> [FeedEntry] {
        var entries: [FeedEntry] = []
        var more = true
        while more {
            let page = try reader.read(limit: 20, by: household.committer(0), in: household.homes[0].store)
            entries += page.entries
            more = page.more
        }
        return entries
    }

    private func described(_ entry: FeedEntry) -> String {
        let news =
            switch entry.news {
            case .record(let change): "\(change.position) \(change.bySync) \(change.record)"
            case .outside(let change): "out \(change.position) \(change.bySync) \(change.record)"
            case .zone(let row): "zone \(row.id)"
            case .departed(let row, let why): "\(why) \(row.id)"
            }
        return "\(news) \(entry.token.text(of: view))"
    }
}

@Suite struct `The end of the feed that a commit has in its memory` {
    private static func views(_ zone: ZoneID) -> [FeedView] {
        let high = FeedFilter(type: "note", predicate: .compare(.named("n"), .atLeast, .int64(5)))
        return [
            FeedView(), FeedView(zone: zone), FeedView(place: .own), FeedView(container: "org.example.notes"),
            FeedView(scope: [BytewiseString("org.example.other")]), FeedView(audience: .everything),
            FeedView(filter: high), FeedView(zone: zone, filter: high),
        ]
    }

    private func founded(seed: UInt64) throws -> (Household, [ZoneID]) {
        var household = try Household(2, seed: seed)
        let zones = try ["a", "b"].map { name in
            try ZoneLifecycle(household.committer(0)).create(household.genesis(name), in: &household.homes[0].store)
                .zone
        }
        for zone in zones { try household.pull(zone, from: 0, to: 1) }
        return (household, zones)
    }

    private func requests(_ count: Int, _ random: inout SeededGenerator) -> [WriteRequest] {
        (0..<count).map { _ in
            let isDeletion = Int.random(in: 0..<5, using: &random) == 0
            let value = FieldValue.int64(Int64.random(in: 0...9, using: &random))
            let write = RecordWrite(
                name: "n\(Int.random(in: 0..<9, using: &random))",
                type: Int.random(in: 0..<3, using: &random) == 0 ? "task" : "note",
                set: isDeletion ? [] : [FieldAssignment(field: "n", value: value)],
                delete: isDeletion
            )
            return WriteRequest([write])
        }
    }

    /// Changes the store of the first device.
    /// - Returns: The notices of its transactions.
    private func step(
        _ household: inout Household,
        _ zones: [ZoneID],
        _ random: inout SeededGenerator
    ) throws -> [CommitNotice] {
        let zone = zones[Int.random(in: 0..<zones.count, using: &random)]
        switch Int.random(in: 0..<12, using: &random) {
        case 0...5:
            let requests = requests(Int.random(in: 1...3, using: &random), &random)
            return [
                try household.committer(0).commit(requests, zone: zone, in: &household.homes[0].store).notice
            ]
        case 6...8:
            if Bool.random(using: &random) { try household.pull(zone, from: 0, to: 1) }
            let requests = requests(Int.random(in: 1...3, using: &random), &random)
            _ = try household.committer(1).commit(requests, zone: zone, in: &household.homes[1].store)
            return try receive(zone, &household)
        case 9: return try receive(zone, &household)
        case 10:
            // More than is kept in memory.
            let many = (0...FeedTail.changeCountMax).map { index in
                let value = FieldValue.int64(Int64.random(in: 0...9, using: &random))
                let set = [FieldAssignment(field: "n", value: value)]
                return WriteRequest([RecordWrite(name: "m\(index)", type: "note", set: set)])
            }
            return [try household.committer(0).commit(many, zone: zone, in: &household.homes[0].store).notice]
        default:
            let genesis = household.genesis("z\(try household.homes[0].store.zones().count)")
            return [
                try ZoneLifecycle(household.committer(0)).create(genesis, in: &household.homes[0].store).notice
            ]
        }
    }

    /// Gives the first device the operations of the second.
    private func receive(_ zone: ZoneID, _ household: inout Household) throws -> [CommitNotice] {
        var notices: [CommitNotice] = []
        for row in try household.homes[1].store.logs(zone: zone) where row.key.lane == .data {
            let from = try household.homes[0].store.log(row.key)?.heldSize ?? 0
            let exchange = RunExchange(household.committer(1))
            let run = try exchange.run(row.key, from: from, byteCount: 1 << 20, in: household.homes[1].store)
            if let run, let notice = household.apply(run, key: row.key, on: 0).notice { notices.append(notice) }
        }
        return notices
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func `gives each reader the same news and tokens as the store does`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var (household, zones) = try founded(seed: seed)
        let store = household.homes[0].store
        var pairs = try Self.views(zones[0]).flatMap { view in
            try [true, false].map { try ReaderPair(view, isPrompt: $0, in: store) }
        }
        for step in 0..<80 {
            for notice in try self.step(&household, zones, &random) where !notice.feed.isEmpty {
                for index in pairs.indices {
                    pairs[index].chain.add(notice.feedTail, for: pairs[index].view.zone)
                    guard pairs[index].isPrompt || Int.random(in: 0..<3, using: &random) == 0 else { continue }
                    try pairs[index].wake(household, "seed \(seed), step \(step), view \(index / 2)")
                }
            }
        }
        for index in pairs.indices { try pairs[index].wake(household, "seed \(seed), view \(index / 2)") }
        // One database is read from the store; all others find most in memory.
        for pair in pairs where pair.view.place == nil && pair.isPrompt && pair.view.filter == nil {
            #expect(pair.servedCount > pair.readCount, "seed \(seed)")
        }
        for pair in pairs where pair.view.filter != nil && pair.isPrompt { #expect(pair.servedCount > 0) }
    }

    @Test func `is passed over by a reader that has read it, and not taken by one that stands before it`() throws {
        var (household, zones) = try founded(seed: 1)
        let store = household.homes[0].store
        var (early, late) = (
            try FeedReader(fromNowOn: FeedView(), in: store), try FeedReader(fromNowOn: FeedView(), in: store)
        )
        let first = try household.write("a", "1", on: 0, zone: zones[0])
        let second = try household.write("b", "1", on: 0, zone: zones[1])
        _ = try late.read(limit: 9, by: household.committer(0), in: household.homes[0].store)
        let end = late.token
        let (one, two) = (try #require(first.feedTail), try #require(second.feedTail))
        #expect(try late.take(one)?.isEmpty == true)
        #expect(try late.take(two)?.isEmpty == true)
        #expect(late.token == end)
        #expect(try early.take(two)?.count == nil)
        #expect(try early.take(one)?.count == 1)
        #expect(try early.take(two)?.count == 1)
        #expect(early.token == end)
    }

    @Test func `is kept for a reader up to a bound, as long as one follows the other`() throws {
        var (household, zones) = try founded(seed: 2)
        let tails = try (0...FeedTail.changeCountMax).map { index in
            let notice = try household.write("n\(index)", "1", on: 0, zone: zones[index % 2])
            return try #require(notice.feedTail)
        }
        var chain = FeedChain()
        for tail in tails.dropLast() { chain.add(tail, for: nil) }
        #expect(chain.take()?.changes.count == FeedTail.changeCountMax)
        for tail in tails { chain.add(tail, for: nil) }
        #expect(chain.take()?.through == nil)
        // Of zones that do not concern the reader no change is kept.
        for tail in tails { chain.add(tail, for: zones[1]) }
        let taken = chain.take()
        let whole = try #require(taken)
        #expect(whole.changes.count == FeedTail.changeCountMax / 2)
        #expect(whole.after == tails.first?.after && whole.through == tails.last?.through)
        for broken in [[tails[0], tails[2]], [tails[0], nil, tails[1]], [tails[1], tails[0]]] {
            for tail in broken { chain.add(tail, for: nil) }
            #expect(chain.take()?.through == nil)
        }
        #expect(chain.take()?.through == nil)
    }

    @Test func `has a record that changed several times once, however often it did`() throws {
        var (household, zones) = try founded(seed: 3)
        var chain = FeedChain()
        let store = household.homes[0].store
        var reader = try FeedReader(fromNowOn: FeedView(), in: store)
        for index in 0..<4 * FeedTail.changeCountMax {
            let notice = try household.write("n\(index % 2)", "\(index)", on: 0, zone: zones[0])
            chain.add(notice.feedTail, for: nil)
        }
        let taken = chain.take()
        let tail = try #require(taken)
        #expect(try reader.take(tail)?.map(\.token.position.position) == tail.changes.map(\.position))
        #expect(tail.changes.map(\.record.name) == ["n0", "n1"])
        #expect(reader.token.position == FeedPosition(try household.homes[0].store.newestPosition()))
    }
}
