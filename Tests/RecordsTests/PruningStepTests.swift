import Records
import ReplicaBehaviour
import TestSupport
import Testing
import Wire

@Suite struct `Pruning in steps` {
    let fixture = CheckpointFixture()
    var alice: TestAuthor { fixture.alice }
    var bob: TestAuthor { fixture.bob }

    /// Returns a replica with so many records, each written twice, under an adopted checkpoint; nothing is pruned
    /// yet.
    private func adopted(recordCount: Int) throws -> MemoryReplica {
        var replica = try emptyReplica()
        for round in 0..<2 {
            for start in stride(from: 0, to: recordCount, by: 100) {
                let names = start..<min(start + 100, recordCount)
                try replica.commit(names.map { .note("n\($0)", ["x": "\(round)"]) }, by: alice)
            }
        }
        try adopt(&replica)
        return replica
    }

    private func adopt(_ replica: inout MemoryReplica) throws {
        let due = try #require(try fixture.due(replica))
        try replica.commit(.checkpoint(due), by: alice)
        #expect(try Checkpoints(of: TestZone.id).adopt(in: &replica) == .adopted(due))
    }

    /// All steps of a pass, with the rows that each transaction reads and writes.
    private func rowCounts(_ replica: MemoryReplica) throws -> [Int] {
        var counting = CountingReplica(replica)
        var counts: [Int] = []
        var last: PruningStep?
        while let step = try Pruning(of: TestZone.id).step(after: last, in: counting) {
            counts.append(try counting.counting { try step.prune(in: &$0) }.rowCount)
            if step.isLast { break }
            last = step
        }
        return counts
    }

    @Test func `touches as few rows a transaction in a zone of many records as in one of few`() throws {
        let few = try rowCounts(try adopted(recordCount: 400))
        let many = try rowCounts(try adopted(recordCount: 3_200))
        #expect(many.count > 4 * few.count)
        let bound = 16 * ReplicaLimits.prunedOperationCount
        #expect(try #require(few.max()) <= bound)
        #expect(try #require(many.max()) <= bound)
    }

    @Test func `begins after the adopting transaction, which prunes nothing`() throws {
        let replica = try adopted(recordCount: 300)
        #expect(try replica.shape(alice.log()) == Array(repeating: "o", count: 600))
    }

    @Test func `divides a record with many states so that no remaining state lacks a successor`() throws {
        var replica = try emptyReplica()
        for index in 0..<50 { try replica.commit([.note("a", ["x": "\(index)"])], by: alice) }
        try adopt(&replica)
        let adopted = try #require(try replica.zone(TestZone.id)?.adopted)
        var last: PruningStep?
        var counts: [Int] = []
        while let step = try Pruning(of: TestZone.id).step(after: last, limit: 10, in: replica) {
            counts.append(try #require(try step.prune(in: &replica)).count)
            try expectLiveSet(adopted, of: replica)
            if step.isLast { break }
            last = step
        }
        #expect(counts == [10, 10, 10, 10, 9])
        #expect(try replica.shape(alice.log()) == ["32", "16", "1", "o"])
    }

    private func expectLiveSet(_ checkpoint: Checkpoint, of replica: MemoryReplica, _ comment: Comment? = nil) throws {
        #expect(checkpoint.previous.isZero)
        let live = try LiveSet(
            zone: TestZone.id,
            sizes: checkpoint.dataSizes,
            previous: VersionVector(),
            in: replica
        )
        #expect(live.root == checkpoint.liveRoot, comment)
        #expect(live.count == checkpoint.liveCount, comment)
    }

    @Test func `prunes an operation no earlier than one that only it supersedes`() {
        let (tag, actor) = (RecordTag.zero, alice.author.actor)
        func operation(
            _ actor: ActorID,
            _ counter: UInt64,
            _ seen: VersionVector,
            _ state: OperationState
        ) -> OperationSummary {
            var vector = seen
            vector.merge(Dot(actor: actor, counter: counter))
            return OperationSummary(
                tag: tag,
                dot: Dot(actor: actor, counter: counter),
                vector: vector,
                state: state,
                isTombstone: false
            )
        }
        let bob = bob.author.actor
        let carol = TestAuthor(3).author.actor
        // Carol claims to have seen the second one alone, and not the operation that that one had seen.
        let operations = [
            operation(actor, 1, VersionVector(), .superseded),
            operation(bob, 1, [actor: 1], .superseded),
            operation(carol, 1, [bob: 1], .live),
        ].sorted { $0.dot < $1.dot }
        let sizes: VersionVector = [actor: 1, bob: 1, carol: 1]
        let first = PrunedRecord(operations, sizes: sizes, previous: VersionVector(), limit: 1)
        #expect(first.dots == [Dot(actor: actor, counter: 1)])
        #expect(!first.isWhole)
        let left = operations.filter { !first.dots.contains($0.dot) }
        let second = PrunedRecord(left, sizes: sizes, previous: VersionVector(), limit: 1)
        #expect(second.dots == [Dot(actor: bob, counter: 1)])
        #expect(second.isWhole)
    }

    @Test func `does nothing for a step that was found under another checkpoint`() throws {
        var replica = try adopted(recordCount: 10)
        let step = try #require(try Pruning(of: TestZone.id).step(after: nil, in: replica))
        try replica.commit([.note("n0", ["x": "later"])], by: alice)
        try adopt(&replica)
        let before = try replica.shape(alice.log())
        #expect(try step.prune(in: &replica) == nil)
        #expect(try replica.shape(alice.log()) == before)
        // The pass begins anew under the new one, and prunes the operations that both release.
        let next = try #require(try Pruning(of: TestZone.id).step(after: step, in: replica))
        #expect(next.records.count == 10)
    }

    @Test func `prunes nothing while the replica is unverified`() throws {
        var replica = try adopted(recordCount: 10)
        let step = try #require(try Pruning(of: TestZone.id).step(after: nil, in: replica))
        var zone = try #require(try replica.zone(TestZone.id))
        zone.isUnverified = true
        try replica.save(zone)
        #expect(try Pruning(of: TestZone.id).step(after: nil, in: replica) == nil)
        #expect(try step.prune(in: &replica) == nil)
    }

    @Test func `finds after the last step nothing any more`() throws {
        var replica = try adopted(recordCount: 10)
        #expect(try Pruning(of: TestZone.id).pruneAll(limit: 3, in: &replica) == 10)
        let step = try #require(try Pruning(of: TestZone.id).step(after: nil, in: replica))
        #expect(step.records.isEmpty && step.isLast)
        #expect(try replica.shape(alice.log()) == ["8", "2"] + Array(repeating: "o", count: 10))
    }
}
