import Records
import ReplicaBehaviour
import TestSupport
import Testing
import Wire

@Suite struct `A quarantined operation` {
    let alice = TestAuthor(1)
    let bob = TestAuthor(2)
    let carol = TestAuthor(3)

    /// Alice writes "a" and "k", Bob three times on top, with a counter.
    private func written() throws -> MemoryReplica {
        var replica = try emptyReplica()
        try replica.commit([.note("a", ["x": "alice"]), .note("k", ["x": "kept"])], by: alice)
        for index in 1...3 {
            var write = RecordWrite.note("a", ["x": "bob \(index)"])
            write.increments = [.init(field: "count", amount: 2)]
            try replica.commit([write, .note("b\(index)", ["x": "bob"])], by: bob)
        }
        return replica
    }

    private func entries(_ replica: MemoryReplica) throws -> [QuarantineEntry] {
        try Quarantine(of: TestZone.id).entries(limit: 100, in: replica)
    }

    private func refusal(_ body: () throws -> Void) -> QuarantineRefusal? {
        do {
            try body()
            return nil
        } catch {
            return error as? QuarantineRefusal
        }
    }

    private func bobs(_ counter: UInt64) -> Dot { Dot(actor: bob.author.actor, counter: counter) }

    @Test func `is listed by place, in pages, until the cut is lifted`() throws {
        var replica = try written()
        #expect(try entries(replica).isEmpty)
        #expect(try !Quarantine(of: TestZone.id).hasEntries(except: alice.author.device, in: replica))
        try replica.cut(bob, at: 2)
        let found = try entries(replica)
        #expect(try Quarantine(of: TestZone.id).hasEntries(except: alice.author.device, in: replica))
        #expect(try !Quarantine(of: TestZone.id).hasEntries(except: bob.author.device, in: replica))
        #expect(found.map(\.dot) == (3...6).map(bobs))
        #expect(found.map(\.name) == ["a", "b2", "a", "b3"])
        #expect(found.allSatisfy { $0.reason == .aboveCut && $0.device == bob.author.device && $0.byteCount > 0 })
        var paged: [QuarantineEntry] = []
        while let page = try Optional(
            Quarantine(of: TestZone.id).entries(after: paged.last?.dot, limit: 1, in: replica)
        ), !page.isEmpty { paged += page }
        #expect(paged == found)
        try replica.cut(bob, at: nil)
        #expect(try entries(replica).isEmpty)
    }

    @Test func `is not listed if an effective operation has seen it`() throws {
        var replica = try written()
        try replica.commit([.note("a", ["y": "alice"])], by: alice)
        try replica.cut(bob, at: 2)
        #expect(try entries(replica).map(\.name) == ["b2", "b3"])
        var before = replica
        #expect(try before.adopt(bobs(5), by: alice).number == nil)
        #expect(try Trace(before) == Trace(replica))
    }

    @Test func `is adopted by an operation on top, once`() throws {
        var replica = try written()
        try replica.cut(bob, at: 2)
        try replica.commit([.note("a", ["z": "later"])], by: alice)
        let before = try ZonePositions(of: TestZone.id).all(in: replica)
        let adopted = try replica.adopt(bobs(5), by: carol)
        #expect(adopted.changed.map(\.name) == ["a"])
        #expect(try replica.value("x", of: "a") == .string("bob 3"))
        #expect(try replica.value("z", of: "a") == .string("later"))
        #expect(try replica.count(of: "a") == 6)
        #expect(try replica.record("b3")?.isDeleted == true)
        // The adoption has seen Bob's earlier writes to the record as well.
        #expect(try entries(replica).map(\.name) == ["b2", "b3"])
        let after = try ZonePositions(of: TestZone.id).all(in: replica).filter { $0.row.key != carol.log() }
        #expect(after.map(\.root) == before.map(\.root))
        let once = try Trace(replica)
        #expect(try replica.adopt(bobs(5), by: alice).number == nil)
        #expect(try replica.adopt(bobs(3), by: alice).number == nil)
        #expect(try Trace(replica) == once)
        // A later cut of the adopter's own log removes the adoption, and the entry is there again.
        try replica.cut(carol, at: 0)
        #expect(try entries(replica).count == 5)
    }

    @Test func `adopted by two at once is no conflict and is effective once`() throws {
        var left = try written()
        try left.cut(bob, at: 2)
        var right = left
        _ = try left.adopt(bobs(5), by: alice)
        _ = try right.adopt(bobs(5), by: carol)
        try left.pull(from: right)
        try right.pull(from: left)
        #expect(try ZonePositions(of: TestZone.id).digest(in: left) == ZonePositions(of: TestZone.id).digest(in: right))
        for replica in [left, right] {
            #expect(try replica.record("a")?.content().conflictFields == [])
            #expect(try replica.value("x", of: "a") == .string("bob 3"))
            #expect(try replica.count(of: "a") == 6)
            #expect(try entries(replica).map(\.name) == ["b2", "b3"])
        }
    }

    @Test func `adopted is superseded when the cut is lifted`() throws {
        var replica = try written()
        try replica.cut(bob, at: 2)
        _ = try replica.adopt(bobs(5), by: carol)
        try replica.cut(bob, at: nil)
        #expect(try replica.value("x", of: "a") == .string("bob 3"))
        #expect(try replica.count(of: "a") == 6)
        #expect(try replica.record("a")?.live == [Dot(actor: carol.author.actor, counter: 1)])
    }

    @Test func `adopted reaches replicas that have nothing of it`() throws {
        var replica = try written()
        try replica.cut(bob, at: 2)
        _ = try replica.adopt(bobs(5), by: alice)
        var fresh = try emptyReplica()
        try fresh.receive(try #require(try replica.run(bob.log(), from: 0, byteCount: 1)))
        try fresh.cut(bob, at: 2, root: try #require(try replica.log(bob.log())?.cut?.root))
        try fresh.pull(from: replica)
        #expect(try fresh.value("x", of: "a") == .string("bob 3"))
        #expect(try fresh.digestOfAll() == replica.digestOfAll())
    }

    @Test func `cannot be adopted if it is effective, unknown or gone`() throws {
        var replica = try written()
        try replica.cut(bob, at: 2)
        for dot in [bobs(1), bobs(7), bobs(0), Dot(actor: carol.author.actor, counter: 1)] {
            #expect(refusal { _ = try replica.adopt(dot, by: alice) } == .unknown(dot))
            #expect(refusal { try replica.purge(dot, at: alice) } == .unknown(dot))
        }
        try replica.purge(bobs(4), at: alice)
        #expect(refusal { _ = try replica.adopt(bobs(4), by: alice) } == .unknown(bobs(4)))
        #expect(refusal { try replica.purge(bobs(4), at: alice) } == .unknown(bobs(4)))
        #expect(refusal { try replica.purge(bobs(6), at: bob) } == .ownLog(bobs(6)))
        _ = try replica.adopt(bobs(5), by: alice)
        #expect(refusal { try replica.purge(bobs(5), at: alice) } == .needed(bobs(5)))
    }

    @Test func `purged from a batch is fetched again with the whole batch`() throws {
        var source = try emptyReplica()
        try source.commit([.note("k", ["x": "kept"])], by: bob)
        try source.commit([.note("a", [:]), .note("b", [:]), .note("c", [:])], isAtomic: true, by: bob)
        var replica = source
        try replica.cut(bob, at: 1)
        try replica.purge(bobs(3), at: alice)
        try replica.cut(bob, at: nil)
        #expect(try replica.log(bob.log())?.heldSize == 1)
        try replica.pull(from: source)
        #expect(try replica.digestOfAll() == source.digestOfAll())
        // A cut inside of a batch, which no honest device makes: then it stays.
        try replica.cut(bob, at: 2)
        #expect(refusal { try replica.purge(bobs(3), at: alice) } == .needed(bobs(3)))
    }

    @Test func `purged is not joined with operations that a checkpoint releases below the cut`() throws {
        let fixture = CheckpointFixture()
        var replica = try emptyReplica()
        for index in 1...3 { try replica.commit([.note("a", ["x": "bob \(index)"])], by: bob) }
        try replica.commit([.note("a", ["x": "alice"])], by: alice)
        for index in 4...6 { try replica.commit([.note("b\(index)", [:])], by: bob) }
        let source = replica
        try replica.cut(bob, at: 3)
        try replica.purge(bobs(4), at: alice)
        let digest = try replica.positions(of: bob)
        try fixture.make(&replica)
        #expect(try replica.shape(bob.log()) == ["2", "1", "1", "o", "o"])
        #expect(try replica.positions(of: bob) == digest)
        try replica.cut(bob, at: nil)
        #expect(try replica.log(bob.log())?.heldSize == 3)
        try replica.pull(from: source)
        #expect(try replica.positions(of: bob) == source.positions(of: bob))
        #expect(try replica.record("b4")?.isDeleted == false)
    }

    @Test func `purged is gone, the log is served, and a lifted cut fetches it again`() throws {
        let source = try written()
        var replica = source
        // No head is signed at the cut: a replica that gets the log gets some operations above it.
        try replica.deleteHeads(bob.log(), sizes: [2, 4])
        try replica.cut(bob, at: 3)
        let digest = try replica.digestOfAll()
        try replica.purge(bobs(4), at: alice)
        try replica.purge(bobs(5), at: alice)
        #expect(try replica.digestOfAll() == digest)
        #expect(try replica.shape(bob.log()) == ["o", "o", "o", "1", "1", "o"])
        #expect(try entries(replica).map(\.dot) == [bobs(6)])

        let run = try #require(try replica.run(bob.log()))
        var fresh = try emptyReplica()
        try fresh.pull(from: replica.without(bob))
        #expect(replicaError { try fresh.receive(run) } != nil, "who knows of no cut takes no gaps")
        let ruling = LogRuling(cut: try #require(try replica.log(bob.log())?.cut))
        let receipt = try RunReceiver(run, actor: bob.author.actor, ruling: ruling, wallMilliseconds: 1).receive(
            in: &fresh
        )
        guard case .stored = receipt else {
            Issue.record("refused: \(receipt)")
            return
        }
        #expect(try fresh.digestOfAll() == digest)
        #expect(try fresh.zone(TestZone.id)?.isUnverified == false)

        var other = try emptyReplica()
        try other.pull(from: replica.without(bob))
        let later = LogCut(size: 6, root: try #require(try source.log(bob.log())).frontier.root)
        let error = replicaError {
            _ = try RunReceiver(run, actor: bob.author.actor, ruling: LogRuling(cut: later), wallMilliseconds: 1)
                .receive(in: &other)
        }
        #expect(error == .missingCheckpoint(bob.log(), .zero), "who sends it knows another cut")

        for var each in [replica, fresh] {
            try each.cut(bob, at: nil)
            #expect(try each.log(bob.log())?.heldSize == 3)
            try each.pull(from: source)
            #expect(try each.digestOfAll() == source.digestOfAll())
            #expect(try each.value("x", of: "a") == .string("bob 3"))
            #expect(try entries(each).isEmpty)
        }
    }
}

extension MemoryReplica {
    /// Cuts or frees all logs of an author.
    mutating func cut(_ author: TestAuthor, at size: UInt64?, root: Hash? = nil) throws {
        let row = try log(author.log())
        let held = try row.flatMap { row in try size.flatMap { try StoredLog(row).root(at: $0, in: self) } }
        let cuts = size.map { [author.log().actorLane: LogCut(size: $0, root: root ?? held ?? .zero)] }
        _ = try applyCuts(cuts, of: author.author.device)
    }

    /// Adopts under an author's name.
    mutating func adopt(_ dot: Dot, by author: TestAuthor) throws -> AdoptedOperation {
        try LocalWrites(zone: TestZone.id, author: author.author, wallMilliseconds: 2_000, sign: author.sign).adopt(
            dot,
            in: &self
        )
    }

    /// Purges on an author's device.
    mutating func purge(_ dot: Dot, at author: TestAuthor) throws {
        _ = try Quarantine(of: TestZone.id).purge(dot, device: author.author.device, in: &self)
    }

    /// Returns the roots of the effective operations of an author's log.
    fileprivate func positions(of author: TestAuthor) throws -> [Hash] {
        try ZonePositions(of: TestZone.id).all(in: self).filter { $0.row.key == author.log() }.map(\.root)
    }

    func digestOfAll() throws -> Hash { try ZonePositions(of: TestZone.id).digest(in: self) }

    func count(of name: String) throws -> Int64? {
        guard case .counter(let state) = try value("count", of: name) else { return nil }
        return state.entries.reduce(0) { $0 &+ $1.total }
    }

    /// A replica with everything but one author's log.
    fileprivate func without(_ author: TestAuthor) throws -> MemoryReplica {
        var other = try emptyReplica()
        for row in try logs(zone: TestZone.id) where row.key != author.log() {
            while let run = try run(row.key, from: try other.log(row.key)?.size ?? 0) { try other.receive(run) }
        }
        return other
    }
}
