@testable import Records
import ReplicaBehaviour
import Sodium
import Testing
import Wire

@Suite struct `The rules of a replica's rows` {
    private let alice = TestAuthor(1)
    private let bob = TestAuthor(2)

    private func replica() throws -> MemoryReplica {
        var replica = try emptyReplica()
        try replica.commit([.note("a", ["x": "1"]), .note("b", ["x": "1"])], by: alice)
        try replica.commit(.unknown(tag: 99, bytes: [1]), by: alice)
        return replica
    }

    private func proof() throws -> ForkProof {
        let (one, two) = try `A log with two histories`().histories(1, 1)
        var held = one
        return try `A log with two histories`().foundProof(of: two, alice.log(), given: &held)
    }

    /// Changes a valid value in several ways, and expects the rule that each of them breaks.
    private func expect<Value: Validated>(_ value: Value, _ changes: [(rule: String, change: (inout Value) -> Void)]) {
        #expect(value.brokenRule == nil)
        value.assertValid()
        for (rule, change) in changes {
            var changed = value
            change(&changed)
            #expect(broken(changed)?.rule == rule)
        }
    }

    /// The first rule that a value breaks, costly ones included.
    private func broken(_ value: some Validated) -> BrokenRule? {
        do throws(BrokenRule) {
            try value.checkRules()
            try value.checkCostlyRules()
            return nil
        } catch {
            return error
        }
    }

    @Test func `are about logs`() throws {
        let row = try #require(try replica().log(alice.log()))
        let proof = try proof()
        var forked = row
        forked.forkProof = proof
        #expect(broken(forked) == nil)
        expect(
            row,
            [
                ("the applied leaves of a log are held", { $0.appliedSize = 3 }),
                ("the edge of a log's tree is that of its size", { $0.size = 3 }),
                (
                    "an empty log has no bytes",
                    { ($0.size, $0.appliedSize, $0.frontier) = (0, 0, TreeFrontier()) }
                ),
                ("the hole of a log lies among its leaves", { $0.hole = 2 }),
                ("only a control log has an author whose role has ended", { $0.role = .ended(.owner, at: 1) }),
                (
                    "the two heads of a fork are heads of its log",
                    { ($0.device, $0.forkProof) = (TestAuthor(3).author.device, proof) }
                ),
                (
                    "the proof of a fork is valid",
                    {
                        $0.forkProof = ForkProof(
                            (proof.first, ForkProof.Path()),
                            (proof.second, ForkProof.Path()),
                            forkPoint: 1,
                            forkRoot: .zero
                        )
                    }
                ),
            ]
        )
    }

    @Test func `are about heads`() throws {
        let head = try #require(try replica().head(alice.log(), atOrBelow: .max))
        expect(
            head,
            [
                ("the edge beside a head is that of the head's size", { $0.frontier = TreeFrontier(leafCount: 3) }),
                ("the edge beside a head leads to the head's root", { $0.frontier = TreeFrontier(leafCount: 2) }),
            ]
        )
    }

    @Test func `are about zones`() throws {
        let zone = try #require(try replica().zone(TestZone.id))
        var scope = WireReader(AccountID.zero.encoded + AccessLevel.write.encoded + Caveats().encoded)
        let participant = LogRole.participant(try WriteScope(from: &scope))
        let checkpoint = Checkpoint(
            logs: [LogPosition(actor: alice.author.actor, lane: .data, size: 1, root: .zero)],
            liveRoot: .zero,
            liveCount: 1,
            lapsed: [],
            previous: .zero
        )
        let pair = ZoneGenesis(
            owners: (.zero, AccountID(digesting: .zoneID, [1])),
            container: "org.example.notes",
            name: "pair",
            salt: TestZone.genesis.salt
        )
        expect(
            zone,
            [
                ("a participant writes under a right", { $0.role = participant }),
                ("the role of an account in a zone is a present one", { $0.role = .ended(.owner, at: 1) }),
                (
                    "neither account of a pair deletes its zone",
                    { ($0.genesis, $0.state) = (pair, .deleted(reason: "")) }
                ),
                (
                    "few checkpoints of a zone wait",
                    { $0.candidates = Array(repeating: checkpoint, count: ReplicaLimits.candidateCountMax + 1) }
                ),
                ("a checkpoint waits once", { $0.candidates = [checkpoint, checkpoint] }),
                (
                    "no checkpoint waits that the adopted one covers",
                    { ($0.adopted, $0.candidates) = (checkpoint, [checkpoint]) }
                ),
            ]
        )
    }

    @Test func `are about records`() throws {
        var replica = try replica()
        let row = try #require(try replica.record("a"))
        try replica.commit([.deletion("b")], by: alice)
        let deleted = try #require(try replica.record("b"))
        let dot = Dot(actor: bob.author.actor, counter: 1)
        expect(
            row,
            [
                ("live operations are ascending, each once", { $0.live += $0.live }),
                ("the context of a record covers its live operations", { $0.live = [dot] }),
                ("the context of a record covers the visible state", { ($0.live, $0.context) = ([], VersionVector()) }),
                ("a visible record is the state that some operation left", { $0.vector = VersionVector() }),
                ("a state includes the operation that created its record", { $0.creation = dot }),
                ("the version of a record is that of its state", { $0.version = RecordVersion(VersionVector()) }),
                ("the body of a record is that of a record", { $0.body = [0xFF] }),
                ("a record is deleted where its body says so", { $0.body = deleted.body }),
                ("a record has the name and the type that are in its body", { $0.name = "other" }),
                ("a record is deleted with those that its body names", { $0.anchors = ["b"] }),
                ("the assets of a record are those in its body", { $0.assets = [.zero] }),
            ]
        )
        expect(
            deleted,
            [
                ("a deleted record is deleted with no other one", { $0.anchors = ["a"] }),
                ("a deleted record has no assets", { $0.assets = [.zero] }),
            ]
        )
    }

    @Test(arguments: [Lane.data, .control]) func `are about the items of logs`(lane: Lane) throws {
        let key = alice.log(TestZone.id, lane)
        let item = try #require(try replica().items(key, from: 0, to: 1).first)
        guard case .operation(let stored) = item.content else { throw ReplicaError.unknownLog(key) }
        #expect(broken(PlacedItem(item, in: key)) == nil)
        func rule(at first: UInt64 = 0, in key: LogKey, _ change: (inout StoredOperation) -> Void = { _ in }) -> String?
        {
            var changed = stored
            change(&changed)
            return broken(PlacedItem(StoredItem(first: first, content: .operation(changed)), in: key))?.rule
        }
        #expect(rule(in: bob.log(TestZone.id, lane)) == "an operation is stored in the log of its actor")
        #expect(rule(at: 1, in: key) == "an operation is stored in the place that its header names")
        #expect(
            rule(in: key) { $0.operation.header.vector[key.actor] = 2 }
                == "an operation has seen its own log up to itself"
        )
        #expect(
            rule(in: key) { $0.operation.header.creation = Dot(actor: .zero, counter: 1) }
                == "an operation has seen the creation of its record"
        )
        #expect(rule(in: key) { $0.operation.body += [0] } == "a header names its body")
        let gap = StoredItem(first: 1, content: .gap(SubtreeGap(level: 0, index: 0, hash: .zero)))
        #expect(broken(PlacedItem(gap, in: key))?.rule == "a gap begins at the first of its leaves")
        guard lane == .control else {
            if TestZone.epochKey == nil {
                let rule = rule(in: key) { $0.isTombstone = true }
                #expect(rule == "an operation is a tombstone where its body says so")
            }
            return
        }
        #expect(
            rule(in: key) { $0.operation.header.tag = RecordTag(digesting: .treeNode, [1]) }
                == "a control operation is in clear, and of no record"
        )
        #expect(rule(in: key) { $0.isTombstone = true } == "no control operation deletes a record")
        for state in [OperationState.pending, .live, .quarantined, .restated] {
            #expect(rule(in: key) { $0.state = state } == nil, "\(state)")
        }
        for state in [OperationState.superseded, .void] {
            #expect(
                rule(in: key) { $0.state = state }
                    == "a control operation waits, is effective, or is above the end of its log"
            )
        }
    }

    @Test func `are about merged records`() throws {
        var one = try replica()
        var two = one
        try one.commit([.note("a", ["x": "one", "y": "one"])], by: alice)
        try two.commit([.note("a", ["x": "two"])], by: bob)
        try one.pull(from: two)
        let siblings = try one.siblings(zone: TestZone.id, tag: RecordTag(of: "a", zone: TestZone.id, in: one))
        let merged = try #require(Merge.merge(siblings))
        let dot = Dot(actor: TestAuthor(3).author.actor, counter: 1)
        expect(
            merged,
            [
                ("the author of a write on top has seen all that takes part", { $0.vector.merge(dot) }),
                ("the author of a write on top has seen every sibling", { $0.live.append(dot) }),
                ("the creation is among the operations that take part", { $0.creation = dot }),
                ("a deleted record has no fields", { $0.isDeleted = true }),
                ("fields are ascending by name, each once", { $0.fields.append($0.fields[0]) }),
                (
                    "the shown value of a field is among its values",
                    { $0.fields[0].entries.removeAll { [winner = $0.fields[0].winner] in $0 == winner } }
                ),
                (
                    "no field has more values than a body may hold",
                    {
                        $0.fields[0].entries = Array(
                            repeating: $0.fields[0].winner,
                            count: Limits.fieldEntryCountMax + 1
                        )
                    }
                ),
                (
                    "no value of a field is greater than the shown one",
                    { merged in
                        let other = merged.fields[0].entries.first { $0 != merged.fields[0].winner }
                        if let other { merged.fields[0].winner = other }
                    }
                ),
            ]
        )
    }

    @Test func `end the program where assertions are checked`() async {
        #expect(Assertions.areActive)
        await #expect(processExitsWith: .failure) {
            var store = MemoryReplica()
            try store.createTestZone()
            let author = TestAuthor(1)
            var row = LogRow(
                key: author.log(),
                device: author.author.device,
                incarnation: author.author.incarnation,
                right: .zero
            )
            row.appliedSize = 1
            try store.save(row)
        }
    }
}
