import Records
import ReplicaBehaviour
import TestSupport
import Testing
import Wire

/// The behaviour of a device that comes back after all others have pruned a deletion together with the deleted
/// operations.
@Suite struct `Records that other replicas deleted and pruned` {
    let fixture = CheckpointFixture()
    var alice: TestAuthor { fixture.alice }
    var bob: TestAuthor { fixture.bob }

    /// Makes two replicas: Alice writes three records, one of them several times; a replica with them goes away; Bob
    /// deletes that one, which two checkpoints then prune.
    func histories(versions: Int = 1) throws -> (source: MemoryReplica, away: MemoryReplica) {
        var source = try emptyReplica()
        try source.commit([.note("b", ["x": "1"])], by: alice)
        for version in 0..<versions { try source.commit([.note("a", ["x": "\(version)"])], by: alice) }
        try source.commit([.note("c", ["x": "1"])], by: alice)
        var away = source
        try source.commit([.deletion("a")], by: bob)
        try source.commit([.note("d", ["x": "1"])], by: bob)
        try fixture.make(&source)
        try source.commit([.note("d", ["x": "2"])], by: bob)
        try fixture.make(&source)
        #expect(try source.visible()["a"] == nil)
        try away.pull(from: source)
        return (source, away)
    }

    /// Lets a replica fetch another one's live set, page by page.
    func comparison(of replica: MemoryReplica, with source: MemoryReplica) throws -> LiveSetComparison? {
        var comparison = LiveSetComparison(zone: TestZone.id, teller: bob.author.device)
        while !comparison.isWhole {
            let page = try comparison.request.page(in: source)
            guard let next = try comparison.compared(with: page, in: replica) else { return nil }
            comparison = next
        }
        return comparison
    }

    @Test func `a replica shows its records, although no gap indicates that others pruned them`() throws {
        var (source, away) = try histories()
        #expect(
            try ZonePositions(of: TestZone.id).digest(in: away) == ZonePositions(of: TestZone.id).digest(in: source)
        )
        guard case .mismatch = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &away) else {
            Issue.record("it has what the checkpoint does not have")
            return
        }
        while try Checkpoints(of: TestZone.id).adoptAndPrune(in: &away) != .none {}
        #expect(try away.visible()["a"] != nil)
        #expect(try away.zone(TestZone.id)?.isUnverified == true)
    }

    @Test func `the checkpoint of a live set is adopted, although as many others wait as may`() throws {
        var (source, away) = try histories()
        while try Checkpoints(of: TestZone.id).adoptAndPrune(in: &away) != .none {}
        let comparison = try #require(try comparison(of: away, with: source))
        var row = try #require(try away.zone(TestZone.id))
        // A chain of checkpoints over operations that are not held.
        let actor = alice.author.actor
        for number in 1...UInt64(ReplicaLimits.candidateCountMax) {
            let position = LogPosition(actor: actor, lane: .data, size: 1_000 + number, root: .zero)
            row.candidates.append(
                Checkpoint(
                    logs: [position],
                    liveRoot: .zero,
                    liveCount: number,
                    lapsed: [],
                    previous: row.candidates.last?.hash ?? .zero
                )
            )
        }
        try away.save(row)
        #expect(try comparison.pruneAbsent(in: &away) != nil)
        guard case .adopted = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &away) else {
            Issue.record("the checkpoint of the live set does not wait")
            return
        }
        #expect(try away.zone(TestZone.id)?.isUnverified == false)
    }

    @Test(arguments: 1...3)
    func `operations outside the live set are dropped, with all that they had superseded`(versions: Int) throws {
        var (source, away) = try histories(versions: versions)
        while try Checkpoints(of: TestZone.id).adoptAndPrune(in: &away) != .none {}
        let comparison = try #require(try comparison(of: away, with: source))
        let gone = try #require(try comparison.pruneAbsent(in: &away))
        #expect(gone.count == versions)
        guard case .adopted = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &away) else {
            Issue.record("the live set is another one")
            return
        }
        let rows = away.allRecords(zone: TestZone.id).filter { $0.live.isEmpty && !$0.isDeleted }
        try away.withdraw(rows)
        #expect(try away.visible() == source.visible())
        #expect(try away.zone(TestZone.id)?.isUnverified == false)
        #expect(
            try ZonePositions(of: TestZone.id).digest(in: away) == ZonePositions(of: TestZone.id).digest(in: source)
        )
    }

    @Test func `a list with missing or additional operations drops nothing`() throws {
        let (source, away) = try histories()
        let page = try LiveSetRequest(zone: TestZone.id).page(in: source)
        #expect(page.isLast)
        #expect(page.records.count == 3)
        let without = page.records.dropFirst()
        let foreign = LiveSetPage.Record(tag: page.records[0].tag, dots: [Dot(actor: bob.author.actor, counter: 99)])
        for records in [Array(without), [foreign] + without, []] {
            var victim = away
            let lie = LiveSetPage(zone: page.zone, checkpoint: page.checkpoint, records: records, isLast: true)
            let begun = LiveSetComparison(zone: TestZone.id, teller: bob.author.device)
            #expect(try begun.compared(with: lie, in: victim) == nil)
            while try Checkpoints(of: TestZone.id).adoptAndPrune(in: &victim) != .none {}
            #expect(try victim.visible() == away.visible())
        }
    }

    @Test func `nothing is dropped before the last page, nor by pages that do not follow one another`() throws {
        var (source, away) = try histories()
        let page = try LiveSetRequest(zone: TestZone.id).page(in: source)
        func part(_ range: Range<Int>, isLast: Bool, checkpoint: Hash? = nil) -> LiveSetPage {
            LiveSetPage(
                zone: page.zone,
                checkpoint: checkpoint ?? page.checkpoint,
                records: Array(page.records[range]),
                isLast: isLast
            )
        }
        let begun = LiveSetComparison(zone: TestZone.id, teller: bob.author.device)
        let first = try #require(try begun.compared(with: part(0..<2, isLast: false), in: away))
        #expect(first.request.place == .init(checkpoint: page.checkpoint, after: page.records[1].tag))
        #expect(try first.pruneAbsent(in: &away) == nil)
        #expect(try first.compared(with: part(0..<3, isLast: true), in: away) == nil, "it begins again")
        #expect(try first.compared(with: part(2..<3, isLast: true, checkpoint: .zero), in: away) == nil)
        let other = try #require(try away.zone(TestZone.id)?.candidates.first).hash
        #expect(try first.compared(with: part(2..<3, isLast: true, checkpoint: other), in: away) == nil)
        let whole = try #require(try first.compared(with: part(2..<3, isLast: true), in: away))
        #expect(try whole.compared(with: part(2..<3, isLast: true), in: away) == nil, "it is over")
        #expect(try whole.pruneAbsent(in: &away)?.count == 1)
    }

    @Test func `a replica that lacks nothing drops nothing, whatever list it gets`() throws {
        var (source, complete) = try histories()
        complete = source
        // A checkpoint by a liar: the live set is empty.
        try complete.commit([.note("e", ["x": "1"])], by: bob)
        var due = try #require(try fixture.due(complete))
        due = Checkpoint(
            logs: due.logs,
            liveRoot: try LiveSet(zone: TestZone.id, sizes: VersionVector(), previous: VersionVector(), in: source)
                .root,
            liveCount: 0,
            lapsed: [],
            previous: due.previous
        )
        try complete.commit(.checkpoint(due), by: bob)
        let lie = LiveSetPage(zone: TestZone.id, checkpoint: due.hash, records: [], isLast: true)
        let comparison = try LiveSetComparison(zone: TestZone.id, teller: bob.author.device).compared(
            with: lie,
            in: complete
        )
        let shown = try complete.visible()
        #expect(try (try #require(comparison)).pruneAbsent(in: &complete)?.count == 0)
        while try Checkpoints(of: TestZone.id).adoptAndPrune(in: &complete) != .none {}
        #expect(try complete.visible() == shown)
    }

    @Test func `operations behind the checkpoint stay, and so do those written on top`() throws {
        var (source, away) = try histories()
        try away.commit([.note("a", ["y": "mine"])], by: TestAuthor(3))
        try away.commit([.note("f", ["y": "mine"])], by: TestAuthor(3))
        let comparison = try #require(try comparison(of: away, with: source))
        #expect(try comparison.pruneAbsent(in: &away)?.count == 1)
        guard case .adopted = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &away) else {
            Issue.record("the live set is another one")
            return
        }
        try source.pull(from: away)
        #expect(try away.visible() == source.visible())
        #expect(try away.visible()["a"] != nil)
        #expect(try away.visible()["f"] != nil)
    }

    @Test func `a run is accepted that could not be explained without the live set`() throws {
        var source = try emptyReplica()
        for name in ["a", "b", "c"] { try source.commit([.note(name, ["x": "1"])], by: alice) }
        var away = source
        try source.commit([.note("k", ["x": "1"])], by: alice)
        for name in ["a", "c"] { try source.commit([.deletion(name)], by: alice) }
        for value in 0..<3 {
            try source.commit([.note("k", ["x": "\(value)"])], by: alice)
            try fixture.make(&source)
        }
        try away.receive(try #require(try source.run(alice.log(TestZone.id, .control))))
        let run = try #require(try source.run(alice.log(), from: 3))
        #expect(run.from < 3, "the gap reaches back")
        var refusing = away
        #expect(replicaError { try refusing.receive(run) } == .missingSuccessor(alice.log(), counter: 3))
        let comparison = try #require(try comparison(of: away, with: source))
        let gone = try comparison.pruneAbsent(in: &away)?.count
        #expect(gone == 0, "not before the run shows that the log is the same")
        try away.receive(run, liveSet: comparison)
        guard case .adopted = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &away) else {
            Issue.record("the live set is another one")
            return
        }
        let rows = away.allRecords(zone: TestZone.id).filter { $0.live.isEmpty && !$0.isDeleted }
        try away.withdraw(rows)
        #expect(try away.visible() == source.visible())
    }

    @Test func `operations on another history of a log are not dropped`() throws {
        let (source, away) = try histories()
        // The same counters of Alice's log, other operations.
        var other = try emptyReplica()
        for name in ["a", "x", "y"] { try other.commit([.note(name, ["x": "mine"])], by: alice) }
        try other.receive(try #require(try source.run(alice.log(TestZone.id, .control))))
        try other.receive(try #require(try source.run(bob.log())))
        let shown = try other.visible()
        let comparison = try #require(try comparison(of: other, with: source))
        #expect(try comparison.pruneAbsent(in: &other)?.count == 0)
        #expect(try other.visible() == shown)
        #expect(try away.visible()["a"] != nil)
    }

    @Test func `operations that replaced another history meanwhile stay`() throws {
        let (source, away) = try histories()
        var other = try emptyReplica()
        for name in ["a", "x", "y"] { try other.commit([.note(name, ["x": "mine"])], by: alice) }
        try other.receive(try #require(try source.run(alice.log(TestZone.id, .control))))
        try other.receive(try #require(try source.run(bob.log())))
        let comparison = try #require(try comparison(of: other, with: source))
        // The log was replaced between two pages: its counters mean other operations now.
        var replaced = away
        #expect(try comparison.pruneAbsent(in: &replaced)?.count == 0)
        #expect(try replaced.visible() == away.visible())
        #expect(try replaced.shape(alice.log()) == away.shape(alice.log()))
    }

    @Test func `a record is dropped completely or not at all, so that no older state comes back`() throws {
        let carol = TestAuthor(3)
        var source = try emptyReplica()
        try source.commit([.note("a", ["x": "old"])], by: alice)
        try source.commit([.note("a", ["x": "new"])], by: carol)
        var away = source
        // Alice's log goes on, and is not held as far as the checkpoint covers it.
        try source.commit([.note("z", ["x": "1"])], by: alice)
        try source.commit([.deletion("a")], by: bob)
        for value in 0..<2 {
            try source.commit([.note("d", ["x": "\(value)"])], by: bob)
            try fixture.make(&source)
        }
        try away.receive(try #require(try source.run(alice.log(TestZone.id, .control))))
        try away.receive(try #require(try source.run(bob.log())))
        let shown = try away.visible()["a"]
        let comparison = try #require(try comparison(of: away, with: source))
        #expect(try comparison.pruneAbsent(in: &away)?.count == 0)
        #expect(try away.visible()["a"] == shown)
        try away.pull(from: source)
        let whole = try #require(try self.comparison(of: away, with: source))
        #expect(try whole.pruneAbsent(in: &away)?.count == 2)
    }

    @Test func `no waiting operation is dropped, since it may become effective`() throws {
        let carol = TestAuthor(3)
        var source = try emptyReplica()
        try source.commit([.note("b", ["x": "1"])], by: alice)
        var away = source
        try source.commit([.note("b", ["x": "2"])], by: alice)
        try source.commit([.note("p", ["x": "1"])], by: carol)
        try away.receive(try #require(try source.run(carol.log())))
        #expect(try away.log(carol.log())?.appliedSize == 0)
        try source.commit([.deletion("p")], by: bob)
        for value in 0..<2 {
            try source.commit([.note("d", ["x": "\(value)"])], by: bob)
            try fixture.make(&source)
        }
        try away.receive(try #require(try source.run(alice.log(TestZone.id, .control))))
        try away.receive(try #require(try source.run(bob.log())))
        let comparison = try #require(try comparison(of: away, with: source))
        #expect(try comparison.pruneAbsent(in: &away)?.count == 0)
        #expect(try away.shape(carol.log()) == ["o"])
    }

    @Test func `a checkpoint is stated by its maker, and by devices that restate it`() throws {
        var (source, _) = try histories()
        let adopted = try #require(try source.zone(TestZone.id)?.adopted)
        func isSaid(byOtherThan device: DeviceID) throws -> Bool {
            try Checkpoints(of: TestZone.id).isSaid(adopted.hash, byOtherThan: device, in: source)
        }
        #expect(try !isSaid(byOtherThan: alice.author.device))
        #expect(try isSaid(byOtherThan: bob.author.device))
        try source.commit(.checkpoint(adopted), by: bob)
        #expect(try isSaid(byOtherThan: alice.author.device))
    }

    @Test func `a replica that has adopted nothing, or another checkpoint, sends no live set`() throws {
        var (source, away) = try histories()
        while try Checkpoints(of: TestZone.id).adoptAndPrune(in: &away) != .none {}
        let request = LiveSetRequest(zone: TestZone.id)
        let nothing = LiveSetPage(nothingOf: TestZone.id)
        #expect(try request.page(in: away) == nothing)
        let page = try request.page(in: source)
        let place = LiveSetRequest.Place(checkpoint: page.checkpoint, after: page.records[0].tag)
        let rest = try LiveSetRequest(zone: TestZone.id, place: place).page(in: source)
        #expect(rest.records == Array(page.records.dropFirst()))
        try source.commit([.note("d", ["x": "3"])], by: bob)
        try fixture.make(&source)
        #expect(try LiveSetRequest(zone: TestZone.id, place: place).page(in: source) == nothing)
    }

    /// More records than a page has.
    @Test func `a long list comes in pages that together are the whole set`() throws {
        var source = try emptyReplica()
        let count = 5_000
        for start in stride(from: 0, to: count, by: 500) {
            try source.commit((start..<start + 500).map { .note("n\($0)", ["x": "1"]) }, by: alice)
        }
        var away = source
        try source.commit((0..<10).map { .deletion("n\($0)") }, by: bob)
        for value in 0..<2 {
            try source.commit([.note("k", ["x": "\(value)"])], by: bob)
            try fixture.make(&source)
        }
        try away.pull(from: source)
        let first = try LiveSetRequest(zone: TestZone.id).page(in: source)
        #expect(!first.isLast)
        #expect(first.records.count < count)
        #expect(PeerMessage.liveSetPage(first).encoded.count < Limits.smallMessageByteCountMax)
        let comparison = try #require(try comparison(of: away, with: source))
        #expect(try comparison.pruneAbsent(in: &away)?.count == 10)
        guard case .adopted = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &away) else {
            Issue.record("the live set is another one")
            return
        }
    }
}
