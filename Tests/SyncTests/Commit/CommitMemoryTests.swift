import Records
import Sync
import TestSupport
import Testing
import Wire

@Suite struct `The memory of a commit` {
    /// A household whose first device has made a zone that the second one knows.
    private func founded(seed: UInt64) throws -> (household: Household, zone: ZoneID) {
        var household = try Household(2, seed: seed)
        let zone = try ZoneLifecycle(household.committer(0)).create(
            household.genesis(),
            in: &household.homes[0].store
        ).zone
        try household.pull(zone, from: 0, to: 1)
        return (household, zone)
    }

    private func request(_ count: Int, _ byteCount: Int, _ random: inout SeededGenerator) -> WriteRequest {
        let writes = (0..<count).map { index in
            let isDeletion = Int.random(in: 0..<8, using: &random) == 0
            let text = String(repeating: "x", count: byteCount / max(count, 1))
            return RecordWrite(
                name: "n\(index % 12)",
                type: "note",
                set: isDeletion ? [] : [FieldAssignment(field: "text", value: .string(text))],
                delete: isDeletion
            )
        }
        return WriteRequest(writes, isAtomic: false)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func `has the run that the store gives to a replica right before it, byte for byte`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var (household, zone) = try founded(seed: seed)
        var (served, joined) = (0, [LogKey: LogTail]())
        for step in 0..<40 {
            let index = Int.random(in: 0...1, using: &random)
            let count = Int.random(in: 1...5, using: &random) == 1 ? 40 : Int.random(in: 1...3, using: &random)
            let request = request(count, Int.random(in: 0...9_000, using: &random), &random)
            let author = household.committer(index)
            let notice = try author.commit([request], zone: zone, in: &household.homes[index].store).notice
            let store = household.homes[index].store
            for (key, tail) in notice.zones.flatMap(\.tails) {
                let run = try RunExchange(author).run(key, from: tail.from, byteCount: .max, in: store)
                #expect(run == tail.run && run?.encoded == tail.run.encoded, "seed \(seed), step \(step)")
                #expect(notice.zones.first?.before == [key: tail.from])
                served += 1
                // With those before it is the run for a replica that stands there.
                var whole = joined.removeValue(forKey: key) ?? tail
                if whole != tail, whole.append(tail) == false { whole = tail }
                let longer = try RunExchange(author).run(key, from: whole.from, byteCount: .max, in: store)
                #expect(longer?.encoded == whole.run.encoded, "seed \(seed), step \(step)")
                joined[key] = whole
            }
            if Int.random(in: 0..<4, using: &random) == 0 { try household.pull(zone, from: index, to: 1 - index) }
        }
        #expect(served > 20, "seed \(seed)")
    }

    @Test func `is empty where nothing was written, or more than is kept`() throws {
        var (household, zone) = try founded(seed: 1)
        try household.write("kept", "1", on: 0, zone: zone)
        func requests(_ count: Int, _ byteCount: Int) -> [WriteRequest] {
            let text = FieldValue.string(String(repeating: "x", count: byteCount))
            return (0..<count).map { index in
                WriteRequest([RecordWrite(name: "m\(index)", type: "note", set: [.init(field: "text", value: text)])])
            }
        }
        let author = household.committer(0)
        for large in [requests(LogTail.operationCountMax + 1, 1), requests(2, 150_000)] {
            let notice = try author.commit(large, zone: zone, in: &household.homes[0].store).notice
            #expect(notice.zones.first?.before.isEmpty == false)
            #expect(notice.zones.allSatisfy(\.tails.isEmpty) && notice.feedTail?.through == nil && !notice.feed.isEmpty)
        }
        let refused = WriteRequest([RecordWrite(name: "kept", type: "note", ifAbsent: true)])
        let notice = try author.commit([refused], zone: zone, in: &household.homes[0].store).notice
        #expect(notice.zones.allSatisfy { $0.before.isEmpty && $0.tails.isEmpty } && notice.feed.isEmpty)
    }

    @Test func `is not that of operations that a peer has sent`() throws {
        var (household, zone) = try founded(seed: 2)
        let written = try household.write("a", "1", on: 0, zone: zone)
        let key = try #require(written.zones.first?.before.keys.first)
        let run = try #require(
            try RunExchange(household.committer(0)).run(
                key,
                from: 0,
                byteCount: .max,
                in: household.homes[0].store
            )
        )
        let applied = household.apply(run, key: key, on: 1)
        let notice = try #require(applied.notice)
        #expect(notice.zones.first?.before == [key: 0] && notice.zones.allSatisfy(\.tails.isEmpty))
        // But it has the change.
        #expect(notice.feedTail?.changes.map(\.record.name) == ["a"])
    }
}

@Suite struct `Notices of commits that wait for peers together` {
    private let account = Sample.account

    private func notice(_ zone: Int, from: UInt64, to size: UInt64, isRemembered: Bool = true) -> PeerNotice {
        let key = Sample.log(1, zone: zone)
        let tail = LogTail(Sample.run(1, zone: zone, from: from, to: size), of: key, byteCount: 10)
        let change = PeerNotice.ZoneChange(
            snapshot: Sample.snapshot(zone, [1: size]),
            before: [key: from],
            tails: isRemembered ? tail.map { [key: $0] } ?? [:] : [:]
        )
        return PeerNotice(of: account, zones: [change])
    }

    @Test func `are one notice with one run for each log`() throws {
        var joined = notice(0, from: 4, to: 5)
        for other in [notice(1, from: 0, to: 2), notice(0, from: 5, to: 7), notice(1, from: 2, to: 3)] {
            #expect(joined.join(other) == true)
        }
        #expect(joined.zones.map(\.snapshot.zone) == [Sample.zone(0), Sample.zone(1)])
        #expect(joined.zones.map { $0.snapshot.logs.values.map(\.size) } == [[7], [3]])
        let tails = joined.zones.flatMap(\.tails.values)
        #expect(tails.map(\.from) == [4, 0] && tails.map(\.size) == [7, 3])
        #expect(joined.zones.flatMap(\.before.values) == [4, 0])
    }

    @Test func `have no run where a part of it is not remembered`() {
        for (first, second) in [(true, false), (false, true)] {
            var joined = notice(0, from: 4, to: 5, isRemembered: first)
            #expect(joined.join(notice(0, from: 5, to: 6, isRemembered: second)) == true)
            #expect(joined.zones.count == 1 && joined.zones.allSatisfy(\.tails.isEmpty))
            #expect(joined.zones.first?.before == [Sample.log(1): 4])
        }
    }

    @Test func `stay apart where one of them is about more than zones, or about another account`() {
        let other = PeerNotice(of: Sample.foreign, zones: notice(0, from: 5, to: 6).zones)
        let forgetting = PeerNotice(of: account, zones: notice(0, from: 5, to: 6).zones, forgotten: [Sample.zone(3)])
        for later in [other, forgetting] {
            var joined = notice(0, from: 4, to: 5)
            #expect(joined.join(later) == false)
            #expect(joined.zones.count == 1 && joined.zones.first?.snapshot.size(Sample.log(1)) == 5)
        }
    }
}
