import Records
import ReplicaBehaviour
import Testing
import Wire

@Suite struct `A history that a checkpoint covers behind a fork` {
    let alice = TestAuthor(1)
    let bob = TestAuthor(2)
    let carol = TestAuthor(3)

    /// Two stores of Alice that went apart behind two operations.
    func histories(_ left: [RecordWrite], _ right: [RecordWrite]) throws -> (MemoryReplica, MemoryReplica) {
        var one = try emptyReplica()
        try one.commit([.note("s", ["y": "0"])], by: alice)
        try one.commit([.note("s", ["y": "1"])], by: alice)
        var two = one
        for write in left { try one.commit([write], by: alice) }
        for write in right { try two.commit([write], by: alice) }
        return (one, two)
    }

    /// Makes all that a store holds final, by an author that knows of no fork.
    func cover(_ replica: inout MemoryReplica, by author: TestAuthor) throws {
        let due = try #require(
            try Checkpoints(of: TestZone.id).due(
                acknowledged: [:],
                activeDevices: [],
                ownDevice: author.author.device,
                nowMilliseconds: 100_000_000,
                lastMilliseconds: 0,
                in: replica
            )
        )
        try replica.commit(.checkpoint(due), by: author)
    }

    func adopt(_ replica: inout MemoryReplica) throws {
        guard case .adopted = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &replica) else {
            Issue.record("not adopted")
            return
        }
    }

    func proof(_ one: MemoryReplica, _ two: MemoryReplica) throws -> ForkProof {
        for (shown, var given) in [(one, two), (two, one)] {
            let run = try #require(try RunServing(alice.log()).skeleton(in: shown))
            if case .forked(let proof) = try? given.receive(run) { return proof }
        }
        throw ReplicaError.invalidForkProof
    }

    func restate(_ replica: inout MemoryReplica, by author: TestAuthor) throws -> UInt64 {
        var count: UInt64 = 0
        while true {
            let restatement = try LocalWrites(
                zone: TestZone.id,
                author: author.author,
                wallMilliseconds: 5_000,
                sign: author.sign
            ).restateForked(in: &replica)
            count += restatement.restatedCount
            if restatement.isEmpty { return count }
        }
    }

    /// Lets all stores learn of the fork, restate the operations that they hold behind it, and exchange everything.
    func settle(_ stores: inout [(replica: MemoryReplica, author: TestAuthor)], _ proof: ForkProof) throws {
        for index in stores.indices {
            _ = try proof.record(actor: alice.author.actor, wallMilliseconds: 1, in: &stores[index].replica)
        }
        for _ in 0..<4 {
            for index in stores.indices { _ = try restate(&stores[index].replica, by: stores[index].author) }
            for to in stores.indices {
                for from in stores.indices where from != to { try stores[to].replica.pull(from: stores[from].replica) }
            }
        }
        let first = stores[0].replica
        for store in stores {
            #expect(
                try ZonePositions(of: TestZone.id).digest(in: store.replica)
                    == ZonePositions(of: TestZone.id).digest(in: first)
            )
            let records = store.replica.allRecords(zone: TestZone.id).filter { !$0.isDeleted }
            #expect(records == first.allRecords(zone: TestZone.id).filter { !$0.isDeleted })
        }
    }

    func values(_ field: String, of name: String, in replica: MemoryReplica) throws -> Set<FieldValue> {
        guard let row = try replica.record(name), !row.isDeleted else { return [] }
        return Set(try row.content().field(named: field)?.entries.map(\.value) ?? [])
    }

    @Test(arguments: [(1, 1), (3, 1), (1, 3)])
    func `keeps its values beside those of the other, whichever has more operations`(left: Int, right: Int) throws {
        let (one, two) = try histories(
            (0..<left).map { .note("r", ["x": "left \($0)"]) },
            (0..<right).map { .note("r", ["x": "right \($0)"]) }
        )
        var owner = one
        try cover(&owner, by: bob)
        let proof = try proof(one, two)
        var stores = [(replica: owner, author: bob), (replica: two, author: carol)]
        try stores[1].replica.pull(from: try controlOnly(owner))
        try settle(&stores, proof)
        let expected: Set<FieldValue> = [.string("left \(left - 1)"), .string("right \(right - 1)")]
        #expect(try values("x", of: "r", in: stores[1].replica) == expected)
        #expect(try stores[1].replica.log(alice.log())?.size == UInt64(2 + left))
    }

    @Test func `brings nothing back that was deleted and that no checkpoint covers`() throws {
        let (one, two) = try histories([.note("r", ["x": "left"])], [.note("r", ["x": "right"])])
        var owner = one
        _ = try (try proof(one, two)).record(actor: alice.author.actor, wallMilliseconds: 1, in: &owner)
        try owner.commit([.deletion("s")], by: bob)
        for number in 1...3 {
            try cover(&owner, by: bob)
            try adopt(&owner)
            try owner.commit([.note("t", ["x": "\(number)"])], by: bob)
        }
        var fresh = try emptyReplica()
        for _ in 0..<3 { try fresh.pull(from: owner) }
        #expect(try fresh.log(alice.log())?.size == owner.log(alice.log())?.size)
        #expect(try values("y", of: "s", in: owner) == [])
        #expect(try values("y", of: "s", in: fresh) == [])
    }

    @Test func `does not hide a value by a write that had seen the other history`() throws {
        let (one, two) = try histories([.note("r", ["x": "left"])], [.note("r", ["x": "right"])])
        var owner = one
        try cover(&owner, by: bob)
        var writer = two
        try writer.commit([.note("r", ["x": "carol"])], by: carol)
        var stores = [(replica: owner, author: bob), (replica: writer, author: carol)]
        try settle(&stores, try proof(one, two))
        let shown = try values("x", of: "r", in: stores[0].replica)
        #expect(shown.isSuperset(of: [.string("left"), .string("carol")]))
    }

    @Test func `can be replaced and deleted like anything else`() throws {
        let (one, two) = try histories(
            [.note("r", ["x": "left"]), .note("q", ["x": "left"])],
            [.note("o", ["x": "right"])]
        )
        var owner = one
        try cover(&owner, by: bob)
        var stores = [(replica: owner, author: bob), (replica: two, author: carol)]
        try settle(&stores, try proof(one, two))
        try stores[1].replica.commit([.note("r", ["x": "new"]), .deletion("q")], by: carol)
        try stores[0].replica.pull(from: stores[1].replica)
        for store in stores {
            #expect(try values("x", of: "r", in: store.replica) == [.string("new")])
            #expect(try store.replica.record("q")?.isDeleted == true)
        }
    }

    @Test func `does not come back if the checkpoint covers its replacement`() throws {
        let (one, two) = try histories(
            [.note("r", ["x": "left"]), .note("q", ["x": "left"])],
            [.note("o", ["x": "right"])]
        )
        var owner = one
        try owner.commit([.note("r", ["x": "bob"]), .deletion("q")], by: bob)
        // The last one holds all of it and has not pruned anything yet.
        let late = owner
        try cover(&owner, by: bob)
        var stores = [(owner, bob), (late, TestAuthor(4)), (two, carol)].map { (replica: $0.0, author: $0.1) }
        try stores[1].replica.pull(from: owner)
        try adopt(&stores[0].replica)
        try settle(&stores, try proof(one, two))
        for store in stores {
            #expect(try values("x", of: "r", in: store.replica) == [.string("bob")])
            #expect(try store.replica.record("q")?.isDeleted ?? true)
        }
        #expect(try stores[1].replica.states(alice.log()).suffix(2) == [.restated, .restated])
    }

    @Test func `is restated by replicas on which it was effective, not by those that get it later`() throws {
        let (one, two) = try histories([.note("r", ["x": "left"])], [.note("o", ["x": "right"])])
        var owner = one
        try cover(&owner, by: bob)
        let proof = try proof(one, two)
        _ = try proof.record(actor: alice.author.actor, wallMilliseconds: 1, in: &owner)
        #expect(try restate(&owner, by: bob) == 1)
        try owner.commit([.deletion("r")], by: bob)
        // A new replica that has the log before the restatement and its deletion.
        var fresh = try emptyReplica()
        _ = try proof.record(actor: alice.author.actor, wallMilliseconds: 1, in: &fresh)
        try fresh.receive(try #require(try owner.run(bob.log(TestZone.id, .control))))
        try fresh.receive(try #require(try owner.run(alice.log())))
        #expect(try fresh.states(alice.log()).last == .restated)
        #expect(try restate(&fresh, by: carol) == 0)
        try fresh.pull(from: owner)
        #expect(try fresh.record("r")?.isDeleted ?? true)
    }

    @Test func `stays complete until it is restated, even if a checkpoint would release it`() throws {
        let (one, two) = try histories([.note("r", ["x": "left"])], [.note("r", ["x": "right"])])
        var owner = one
        try cover(&owner, by: bob)
        var writer = two
        try writer.commit([.note("r", ["x": "carol"])], by: carol)
        let proof = try proof(one, two)
        _ = try proof.record(actor: alice.author.actor, wallMilliseconds: 1, in: &owner)
        try owner.receive(try #require(try writer.run(carol.log())))
        // For the live set Carol's write replaces an operation that it may never have seen.
        try cover(&owner, by: bob)
        try adopt(&owner)
        #expect(try owner.states(alice.log()).last == .quarantined)
        #expect(try restate(&owner, by: bob) == 1)
        #expect(try values("x", of: "r", in: owner).isSuperset(of: [.string("left"), .string("carol")]))
    }

    @Test func `is none where the checkpoint ends at the fork, and what is held behind it stays`() throws {
        var (one, two) = try histories([], [])
        try cover(&one, by: bob)
        try one.commit([.note("r", ["x": "left"])], by: alice)
        try two.commit([.note("r", ["x": "right"])], by: alice)
        let proof = try proof(one, two)
        #expect(proof.forkPoint == 2)
        _ = try proof.record(actor: alice.author.actor, wallMilliseconds: 1, in: &one)
        #expect(try restate(&one, by: bob) == 1)
        let before = try one.log(alice.log())
        guard case .beyondFork(proof, _) = try one.receive(try #require(try two.run(alice.log()))) else {
            Issue.record("a run behind the fork was not answered with the proof")
            return
        }
        #expect(try one.log(alice.log()) == before)
        #expect(try one.states(alice.log()) == [.superseded, .live, .restated])
    }

    /// Alice's log has two histories and is cut at its first operation; Bob's checkpoint covers one of the histories.
    @Test(arguments: [false, true])
    func `is final above the log's cut only by a checkpoint whose author stands`(stands: Bool) throws {
        let (one, two) = try histories([.note("r", ["x": "left"])], [.note("o", ["x": "right"])])
        var owner = one
        try cover(&owner, by: bob)
        _ = try (try proof(one, two)).record(actor: alice.author.actor, wallMilliseconds: 1, in: &owner)
        let row = try #require(try owner.log(alice.log()))
        let root = try #require(try StoredLog(row).root(at: 1, in: owner))
        var rulings = [alice.log(): LogRuling(cut: LogCut(size: 1, root: root))]
        if !stands { rulings[bob.log(TestZone.id, .control)] = LogRuling(role: .ended(.owner, at: 1)) }
        _ = try RulingApplier(of: TestZone.id, wallMilliseconds: 1).rule(rulings, in: &owner)
        #expect(try owner.zone(TestZone.id)?.candidates.count == 1, "it waits in both cases")
        let adoption = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &owner)
        let adopted = try owner.zone(TestZone.id)?.adopted
        #expect((adoption != .none) == stands)
        #expect((adopted != nil) == stands)
        let stated = try ZonePositions(of: TestZone.id).all(in: owner).first { $0.row.key == alice.log() }
        #expect(stated?.size == (stands ? 3 : 1))
        #expect(try values("y", of: "s", in: owner) == [.string(stands ? "1" : "0")])
    }

    /// A store with another one's control lane and nothing else.
    func controlOnly(_ other: MemoryReplica) throws -> MemoryReplica {
        var replica = try emptyReplica()
        for row in try other.logs(zone: TestZone.id) where row.key.lane == .control {
            try replica.receive(try #require(try other.run(row.key)))
        }
        return replica
    }
}
