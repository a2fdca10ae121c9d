import Records
import ReplicaBehaviour
import Sync
import Wire

// Records as readers see them: by name, by conflict, by change.
extension NodeStoreBehaviour {
    private var alice: TestAuthor { TestAuthor(1) }
    private var bob: TestAuthor { TestAuthor(2) }

    /// "é" in one scalar and in two, and names whose bytes sort otherwise than people would.
    private static let names = ["b", "B", "a", "aa", "\u{E9}", "e\u{301}", "z"]

    func checkPages(_ store: inout some NodeTransaction) throws {
        try store.createTestZone()
        try require(store.records(zone: TestZone.id, after: nil, limit: 5).records.isEmpty)
        try store.commit(Self.names.map { .note($0, ["x": $0]) } + [.note("gone", [:])], by: alice)
        try store.commit([.deletion("gone")], by: alice)
        let expected = Self.names.sorted { $0.isBytewiseLess(than: $1) }
        for limit in [1, 2, Self.names.count - 1, Self.names.count, 100] {
            var found: [String] = []
            var pages = 0
            while true {
                let page = try store.records(zone: TestZone.id, after: found.last, limit: limit)
                try require(page.records.count <= limit && page.records.allSatisfy { !$0.isDeleted })
                found += page.records.map(\.name)
                pages += 1
                guard page.more else { break }
            }
            try require(found.map { Array($0.utf8) } == expected.map { Array($0.utf8) })
            try require(pages == (Self.names.count + limit - 1) / limit)
        }
        try require(store.records(zone: TestZone.id, after: "\u{10FFFF}", limit: 5).records.isEmpty)
    }

    func checkVersions(_ store: inout some NodeTransaction) throws {
        try store.createTestZone()
        try store.commit([.note("a", ["x": "1"])], by: alice)
        let tag = try RecordTag(of: "a", zone: TestZone.id, in: store)
        let first = try required(store.record(zone: TestZone.id, tag: tag))
        try store.commit([.note("a", ["x": "2"])], by: alice)
        let second = try required(store.record(zone: TestZone.id, tag: tag))
        for row in [first, second] {
            let operation = try store.operation(zone: TestZone.id, tag: tag, version: row.version)
            try require(operation?.operation.body == row.body && operation?.operation.header.vector == row.vector)
        }
        try require(store.operation(zone: TestZone.id, tag: tag, version: RecordVersion(VersionVector())) == nil)
        try require(store.operation(zone: .zero, tag: tag, version: first.version) == nil)
        // Two concurrent writes are merged, and neither operation left the record in that state.
        var other = MemoryReplica()
        try other.createTestZone()
        try other.commit([.note("a", ["x": "bob"])], by: bob)
        try store.pull(from: other)
        let merged = try required(store.record(zone: TestZone.id, tag: tag))
        try require(merged.version != second.version)
        try require(store.operation(zone: TestZone.id, tag: tag, version: merged.version) == nil)
        try require(store.operation(zone: TestZone.id, tag: tag, version: second.version) != nil)
    }

    func checkCount(_ store: inout some NodeTransaction) throws {
        try require(store.recordCount(zone: TestZone.id) == 0)
        try store.createTestZone()
        try store.commit([.note("a", [:]), .note("b", [:])], by: alice)
        try require(store.recordCount(zone: TestZone.id) == 2)
        try store.commit([.note("a", ["x": "1"])], by: alice)
        try require(store.recordCount(zone: TestZone.id) == 2)
        try store.commit([.deletion("a")], by: alice)
        try require(store.recordCount(zone: TestZone.id) == 1)
        try store.commit([.note("a", [:])], by: alice)
        try require(store.recordCount(zone: TestZone.id) == 2)
        try require(store.records(zone: TestZone.id, after: nil, limit: 9).records.map(\.name) == ["a", "b"])
        // Records that daemons write are counted apart, too.
        try require(store.reservedTotals(zone: TestZone.id) == ReservedTotals())
        func write(_ name: String, _ type: String) -> RecordWrite { RecordWrite(name: name, type: type) }
        try store.commit([write("m", "kairan.message"), write("p", "kairan.prekey"), write("k", "kairan")], by: alice)
        func check(_ names: [String], messages: [String], line: Int = #line) throws {
            let rows = try store.records(zone: TestZone.id, after: nil, limit: 9).records
            func sum(_ names: [String]) -> UInt64 {
                rows.filter { names.contains($0.name) }.reduce(0) { $0 + UInt64($1.visibleByteCount) }
            }
            let totals = try store.reservedTotals(zone: TestZone.id)
            try require(totals.count == UInt64(names.count) && totals.byteCount == sum(names), line: line)
            try require(totals.messageByteCount == sum(messages), line: line)
            try require(store.programRecordCount(zone: TestZone.id) == UInt64(rows.count - names.count), line: line)
        }
        try check(["m", "p"], messages: ["m"])
        try store.commit([.deletion("m"), .deletion("k")], by: alice)
        try check(["p"], messages: [])
        try store.commit([.deletion("p")], by: alice)
        try store.commit([write("p", "kairan.message"), write("m", "note")], by: alice)
        try check(["p"], messages: ["p"])
    }

    func checkByteCount(_ store: inout some NodeTransaction) throws {
        func check(_ store: some NodeTransaction, line: Int = #line) throws -> UInt64 {
            let rows = try store.records(zone: TestZone.id, after: nil, limit: 10_000).records
            let sum = rows.reduce(UInt64(0)) { $0 + UInt64($1.name.utf8.count + $1.body.count) }
            try require(store.recordByteCount(zone: TestZone.id) == sum, line: line)
            return sum
        }
        try require(store.recordByteCount(zone: TestZone.id) == 0)
        try store.createTestZone()
        try store.commit([.note("a", ["x": "1"]), .note("ä", ["x": "22"])], by: alice)
        let first = try check(store)
        try require(first > 0)
        try store.commit([.note("a", ["x": String(repeating: "1", count: 5_000)])], by: alice)
        let large = try check(store)
        try require(large > first + 4_000)
        // The same record twice in one commit, growing and shrinking.
        try store.commit([.note("b", ["x": "longer"]), .note("b", ["x": ""]), .note("a", ["x": "1"])], by: alice)
        try require(try check(store) < large)
        try store.commit([.deletion("a")], by: alice)
        _ = try check(store)
        try store.commit([.note("a", ["y": "back"])], by: alice)
        _ = try check(store)
        // A record with a conflict has a body of its own, which no operation has.
        var other = MemoryReplica()
        try other.createTestZone()
        try other.commit([.note("a", ["x": "bob"]), .note("ä", ["x": "bob"])], by: bob)
        try store.pull(from: other)
        _ = try check(store)
        try store.commit([.deletion("a"), .deletion("ä"), .deletion("b")], by: alice)
        try require(try check(store) == 0)
        try require(store.recordByteCount(zone: .zero) == 0)
    }

    func checkConflicts(_ store: inout some NodeTransaction) throws {
        try store.createTestZone()
        try store.commit([.note("a", ["x": "alice"]), .note("b", ["x": "same"]), .note("c", ["x": "1"])], by: alice)
        var other = MemoryReplica()
        try other.createTestZone()
        try other.commit([.note("a", ["x": "bob"]), .note("b", ["x": "same"]), .note("c", ["x": "2"])], by: bob)
        try store.pull(from: other)
        let found = try store.conflictedRecords(zone: TestZone.id, limit: 10).map(\.name).sorted()
        // Equal values are no conflict.
        try require(found == ["a", "c"])
        try require(store.conflictedRecords(zone: nil, limit: 10).count == 2)
        try require(store.conflictedRecords(zone: nil, limit: 1).count == 1)
        try require(store.conflictedRecords(zone: .zero, limit: 10).isEmpty)
        let all = try store.conflictedRecords(zone: TestZone.id, limit: 10)
        let (first, last) = (all[0], all[1])
        try require(store.conflictedRecords(zone: TestZone.id, after: first.tag, limit: 10) == [last])
        try require(store.conflictedRecords(zone: TestZone.id, after: first.tag, limit: 0).isEmpty)
        try require(store.conflictedRecords(zone: TestZone.id, after: last.tag, limit: 10).isEmpty)
        try require(store.conflictedRecords(zone: .zero, after: first.tag, limit: 10).isEmpty)
        var write = RecordWrite(name: "a")
        write.resolve = true
        try store.commit([write, .deletion("c")], by: alice)
        try require(store.conflictedRecords(zone: TestZone.id, limit: 10).isEmpty)
        // The place of a page stays although the record that it names has no conflict any more.
        try require(store.conflictedRecords(zone: TestZone.id, after: first.tag, limit: 10).isEmpty)
    }

    func checkRetyping(_ store: inout some NodeTransaction) throws {
        func retyped(_ store: some NodeTransaction) throws -> [String] {
            let zone = TestZone.id
            let one = try store.changes(zone: zone, after: 0, limit: 9).filter(\.isRetyped)
            let other = try store.changes(zones: [zone], after: 0, through: .max, limit: 9, byteCount: .max)
            try require(one.map(\.record.name) == other.filter(\.isRetyped).map(\.record.name))
            return one.map(\.record.name).sorted()
        }
        try store.createTestZone()
        try store.commit([.note("a", ["x": "1"]), .note("b", [:]), .note("c", [:])], by: alice)
        try store.commit([.note("a", ["x": "2"]), .deletion("b"), .deletion("c")], by: alice)
        try require(try retyped(store).isEmpty)
        // Deleted and made anew, once with the same type, once with another one.
        try store.commit([RecordWrite(name: "b", type: "task"), .note("c", [:])], by: alice)
        try require(try retyped(store) == ["b"])
        try store.commit([.deletion("b")], by: alice)
        try store.commit([.note("b", ["x": "3"]), .note("c", ["x": "3"])], by: alice)
        try require(try retyped(store) == ["b"])
        // Twice in one commit.
        try store.commit([.deletion("c"), RecordWrite(name: "c", type: "task")], by: alice)
        try require(try retyped(store) == ["b", "c"])
    }

    func checkFeed(_ store: inout some NodeTransaction) throws {
        try require(store.newestPosition() == 0 && store.changes(zone: nil, after: 0, limit: 9).isEmpty)
        try store.createTestZone()
        var last: UInt64 = 0
        for round in 0..<60 {
            try store.commit([.note("a", ["x": "\(round)"]), .note("b", ["x": "\(round)"])], by: alice)
            let newest = try store.newestPosition()
            try require(newest >= last + 2)
            last = newest
        }
        try store.commit([.deletion("a")], by: alice)
        var other = MemoryReplica()
        try other.createTestZone()
        try other.commit([.note("c", [:])], by: bob)
        try store.pull(from: other)
        let changes = try store.changes(zone: nil, after: 0, limit: 100)
        try require(changes.map(\.record.name) == ["b", "a", "c"])
        try require(changes.map(\.record.isDeleted) == [false, true, false])
        try require(changes.map(\.bySync) == [false, false, true])
        try require(changes.last?.position == store.newestPosition())
        try require(changes[0].record.content().field(named: "x")?.winner?.value == .string("59"))
    }

    func checkFeedPages(_ store: inout some NodeTransaction) throws {
        try store.createTestZone()
        let row = try { store in
            try store.commit([.note("a", [:])], by: alice)
            return try required(store.record("a"))
        }(&store)
        let zones = [TestZone.id, ZoneID.zero]
        for index in 0..<12 {
            var copy = row
            copy.zone = zones[index % 2]
            copy.tag = RecordTag([UInt8](repeating: UInt8(index), count: 32)) ?? .zero
            copy.name = "n\(index)"
            try store.save([copy], bySync: index % 3 == 0)
        }
        for zone in [nil, zones[0], zones[1]] {
            let all = try store.changes(zone: zone, after: 0, limit: 100)
            try require(all.count == (zone == nil ? 13 : zone == zones[0] ? 7 : 6))
            try require(zip(all, all.dropFirst()).allSatisfy { $0.position < $1.position })
            var paged: [ChangeRow] = []
            while true {
                let page = try store.changes(zone: zone, after: paged.last?.position ?? 0, limit: 4)
                try require(page.count <= 4)
                guard !page.isEmpty else { break }
                paged += page
            }
            try require(paged.map(\.position) == all.map(\.position) && paged.map(\.record) == all.map(\.record))
        }
        let newest = try store.newestPosition()
        try require(store.changes(zone: nil, after: newest, limit: 9).isEmpty)
        let all = try store.changes(zone: nil, after: 0, limit: 100)
        for chosen in [[], [zones[0]], [zones[1]], zones] {
            for (after, through) in [(0, newest), (3, 9), (5, 5), (newest, newest)] as [(UInt64, UInt64)] {
                let part = try store.changes(zones: chosen, after: after, through: through, limit: 5, byteCount: .max)
                let expected = all.filter {
                    chosen.contains($0.record.zone) && $0.position > after && $0.position <= through
                }
                try require(part.map(\.position) == expected.prefix(5).map(\.position))
            }
        }
        let one = try store.changes(zones: zones, after: 0, through: newest, limit: 5, byteCount: 1)
        try require(one.map(\.position) == all.prefix(one.count).map(\.position) && one.count == 1)
        // A position that something else took is given to no record.
        try require(store.takePosition() == newest + 1 && store.newestPosition() == newest + 1)
        try store.save([row], bySync: false)
        try require(store.changes(zone: nil, after: newest, limit: 9).map(\.position) == [newest + 2])
    }

    func checkBookkeeping(_ store: inout some NodeTransaction) throws {
        try store.createTestZone()
        try store.commit([.note("a", [:])], by: alice)
        let before = try store.changes(zone: nil, after: 0, limit: 9)
        var row = try required(store.record("a"))
        let context = row.context.merged(with: [bob.author.actor: 9])
        row.context = context
        try store.saveUnchanged([row])
        // A record that arrives as deleted at first.
        row.tag = .zero
        row.name = "never here"
        row.isDeleted = true
        try store.saveUnchanged([row])
        let after = try store.changes(zone: nil, after: 0, limit: 9)
        try require(after.map(\.position) == before.map(\.position) && after.map(\.bySync) == [false])
        try require(after.first?.record.context == context)
        try require(store.newestPosition() == before.last?.position)
        try require(store.recordCount(zone: TestZone.id) == 1)
    }

    func checkIdentity(_ store: inout some NodeTransaction) throws {
        let identity = try store.feedIdentity()
        try require(identity.count == 16)
        try store.createTestZone()
        try store.commit([.note("a", [:])], by: alice)
        try require(store.feedIdentity() == identity)
    }

    func checkMessageFeed(_ store: inout some NodeTransaction) throws {
        try store.createTestZone()
        func write(_ name: String, _ type: String, _ value: String) -> RecordWrite {
            RecordWrite(name: name, type: type, set: [.init(field: "x", value: .string(value))])
        }
        func names(after position: UInt64, limit: Int = 100) throws -> [String] {
            try store.messageChanges(after: position, limit: limit).map(\.record.name)
        }
        try require(names(after: 0).isEmpty)
        try store.commit([write("a", "kairan.message", "1"), write("b", "note", "1")], by: alice)
        try store.commit([write("c", "kairan.receipt", "1"), write("d", "kairan.messages", "1")], by: alice)
        try require(names(after: 0) == ["a", "c"] && names(after: 0, limit: 1) == ["a"])
        let last = try required(store.messageChanges(after: 0, limit: 9).last).position
        try require(names(after: last).isEmpty)
        try store.commit([write("a", "kairan.message", "2"), write("b", "note", "2")], by: alice)
        try require(names(after: last) == ["a"] && names(after: 0) == ["c", "a"])
        try store.commit([.deletion("c")], by: alice)
        try require(names(after: 0) == ["a", "c"])
        try require(store.messageChanges(after: 0, limit: 9).last?.record.isDeleted == true)
        try require(
            store.messageChanges(after: 0, limit: 9).map(\.position)
                == store.changes(zone: TestZone.id, after: 0, limit: 9)
                .filter { ["a", "c"].contains($0.record.name) }.map(\.position)
        )
        try checkMessageNames(&store)
    }

    /// A record that loses its type stays in the feed of messages by its name.
    private func checkMessageNames(_ store: inout some NodeTransaction) throws {
        func write(_ name: String, _ type: String) -> RecordWrite {
            RecordWrite(name: name, type: type, set: [.init(field: "x", value: .string("1"))])
        }
        var last = try store.newestPosition()
        let named = ["message/", "message/e", "message/receipt/f", "message/\u{E9}"]
        let others = ["message", "message.g", "message0", "Message/h", "messages/i", "prekey/j"]
        for type in ["kairan.receipt", "note"] {
            for name in named + others { try store.commit([write(name, type)], by: alice) }
            let found = try store.messageChanges(after: last, limit: 99).map(\.record)
            try require(found.map(\.name) == (type == "note" ? named : named + others))
            try require(found.allSatisfy { $0.type == type })
            // A deleted record may be made again with another type.
            for name in named + others { try store.commit([.deletion(name)], by: alice) }
            last = try store.newestPosition()
        }
    }
}
