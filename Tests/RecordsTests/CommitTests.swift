import Records
import ReplicaBehaviour
import Testing
import Wire

@Suite struct `A commit` {
    let alice = TestAuthor(1)
    let bob = TestAuthor(2)

    /// Alice and Bob have each written field "x" of "a" without seeing the other's write; Alice holds both.
    func conflicted() throws -> MemoryReplica {
        var one = try emptyReplica()
        var two = try emptyReplica()
        try one.commit([.note("a", ["x": "alice", "y": "kept"])], by: alice)
        try two.commit([.note("a", ["x": "bob"])], by: bob, at: 2_000)
        try one.pull(from: two, at: 3_000)
        return one
    }

    func refusal(_ commit: Commit, _ index: Int = 0) -> WriteRefusal? {
        if case .failure(let refusal) = commit.results[0][index] { return refusal }
        return nil
    }

    @Test func `makes a record that is read back`() throws {
        var replica = try emptyReplica()
        let commit = try replica.commit([.note("a", ["text": "hello"])], by: alice)
        #expect(commit.size == 1)
        #expect(commit.number == 1)
        #expect(commit.heads.map(\.head.size) == [1])
        let dot = Dot(actor: alice.author.actor, counter: 1)
        #expect(try replica.value("text", of: "a") == .string("hello"))
        let row = try #require(try replica.record("a"))
        #expect(row.live == [dot])
        #expect(row.creation == dot)
        #expect(row.vector == [dot.actor: 1])
        #expect(try row.content().creator == alice.author.device)
        #expect(replica.changes.map(\.bySync) == [false])
    }

    @Test func `signs a head over its writes`() throws {
        var replica = try emptyReplica()
        let commit = try replica.commit([.note("a", ["x": "1"]), .note("b", ["x": "2"])], by: alice)
        let head = try #require(commit.heads.first)
        #expect(head.hasValidSignature)
        #expect(head.head.root == (try replica.log(alice.log()))?.frontier.root)
        #expect(head.head.size == 2)
    }

    @Test func `is refused if the log's last head is not the signed one`() throws {
        var replica = try emptyReplica()
        try replica.commit([.note("a", ["x": "1"])], by: alice)
        let whole = replica
        var row = try #require(try replica.head(alice.log(), atOrBelow: 1))
        // A bit of the database has flipped.
        var head = row.signed.head
        head.seen[bob.author.actor] = 7
        row.signed = SignedTreeHead(head, signature: row.signed.signature)
        try replica.deleteHeads(alice.log(), sizes: [1])
        try replica.insert(row, key: alice.log())
        let before = try Trace(replica)
        let error = replicaError { try replica.commit([.note("a", ["x": "2"])], by: alice) }
        #expect(error.map { if case .damaged = $0 { true } else { false } } == true)
        #expect(try Trace(replica) == before)
        replica = whole
        #expect(try replica.commit([.note("a", ["x": "2"])], by: alice).size == 2)
    }

    @Test func `refuses to build upon a record whose body is invalid`() throws {
        var replica = try emptyReplica()
        try replica.commit([.note("a", ["x": "1"])], by: alice)
        var row = try #require(try replica.record("a"))
        // An attacker who changes the file can leave out the checksum, which rows of an earlier format do not have.
        row.body[0] = 0x11
        try replica.saveUnchanged([row])
        let error = replicaError { try replica.commit([.note("a", ["x": "2"])], by: alice) }
        #expect(error.map { if case .damaged = $0 { true } else { false } } == true)
    }

    @Test func `carries unset fields on and gives set ones the new dot`() throws {
        var replica = try emptyReplica()
        try replica.commit([.note("a", ["x": "1", "y": "2"])], by: alice)
        try replica.commit([.note("a", ["x": "3"])], by: alice)
        let body = try #require(try replica.record("a")).content()
        #expect(body.field(named: "x")?.entries.map(\.dot.counter) == [2])
        #expect(body.field(named: "y")?.entries.map(\.dot.counter) == [1])
        #expect(try replica.states(alice.log()) == [.superseded, .live])
    }

    @Test func `replaces and removes fields on demand`() throws {
        var replica = try emptyReplica()
        try replica.commit([.note("a", ["x": "1", "y": "2", "z": "3"])], by: alice)
        try replica.commit([RecordWrite(name: "a", remove: ["x"])], by: alice)
        #expect(try #require(try replica.record("a")).content().fields.map(\.name) == ["y", "z"])
        var write = RecordWrite.note("a", ["w": "4"])
        write.replaceAll = true
        try replica.commit([write], by: alice)
        #expect(try #require(try replica.record("a")).content().fields.map(\.name) == ["w"])
    }

    @Test func `carries both values of a conflict on when it sets another field`() throws {
        var replica = try conflicted()
        try replica.commit([.note("a", ["y": "new"])], by: alice, at: 4_000)
        let row = try #require(try replica.record("a"))
        #expect(row.live.count == 1)
        #expect(try row.content().field(named: "x")?.entries.count == 2)
        #expect(try row.content().conflictFields == ["x"])
        #expect(try replica.value("x", of: "a") == .string("bob"))
    }

    @Test func `that names the version keeps the shown value alone`() throws {
        var replica = try conflicted()
        var write = RecordWrite.note("a", ["y": "new"])
        write.ifVersion = try #require(try replica.record("a")).version
        try replica.commit([write], by: alice, at: 4_000)
        let body = try #require(try replica.record("a")).content()
        #expect(body.conflictFields.isEmpty)
        #expect(body.field(named: "x")?.entries.map(\.value) == [.string("bob")])
    }

    @Test func `that resolves drops the losing values and sets another`() throws {
        var replica = try conflicted()
        var write = RecordWrite.note("a", ["x": "both"])
        write.resolve = true
        try replica.commit([write], by: alice, at: 4_000)
        let body = try #require(try replica.record("a")).content()
        #expect(body.conflictFields.isEmpty)
        #expect(body.field(named: "x")?.entries.map(\.value) == [.string("both")])
    }

    @Test func `that names another version is refused with the current one`() throws {
        var replica = try emptyReplica()
        try replica.commit([.note("a", ["x": "1"])], by: alice)
        let old = try #require(try replica.record("a")).version
        try replica.commit([.note("a", ["x": "2"])], by: alice)
        var write = RecordWrite.note("a", ["x": "3"])
        write.ifVersion = old
        let commit = try replica.commit([write], by: alice)
        #expect(refusal(commit) == .versionMismatch(current: try replica.record("a")?.version))
        #expect(commit.number == nil)
        #expect(try replica.log(alice.log())?.size == 2)
        write.name = "never"
        #expect(refusal(try replica.commit([write], by: alice)) == .versionMismatch(current: nil))
    }

    @Test func `that takes a record back makes it anew, whatever type it had`() throws {
        var replica = try emptyReplica()
        var other = RecordWrite.note("a", ["x": "1", "y": "2"])
        other.parent = .set("b")
        try replica.commit([other], by: bob)
        let own = FieldAssignment(field: "x", value: .string("own"))
        var write = RecordWrite.statement("a", type: "kairan.prekey", [own])
        #expect(write.replaceUnread && write.resolve)
        write.takesBack = false
        #expect(refusal(try replica.commit([write], by: alice)) == .typeMismatch(current: "note"))
        write.takesBack = true
        try replica.commit([write], by: alice)
        let row = try #require(try replica.record("a"))
        let body = try row.content()
        #expect(row.type == "kairan.prekey" && body.type == "kairan.prekey" && body.parent == nil)
        #expect(body.fields.map(\.name) == ["x"] && row.live.map(\.actor) == [alice.author.actor])
    }

    @Test func `states each refusal`() throws {
        var replica = try emptyReplica()
        try replica.commit([.note("a", ["x": "1"])], by: alice)
        let version = try #require(try replica.record("a")).version
        func refused(_ write: RecordWrite) throws -> WriteRefusal? {
            var copy = replica
            return refusal(try copy.commit([write], by: alice))
        }
        #expect(try refused(RecordWrite(name: "a", ifAbsent: true)) == .alreadyExists(current: version))
        #expect(try refused(.deletion("b")) == .notFound)
        #expect(try refused(RecordWrite(name: "b")) == .typeMissing)
        #expect(try refused(RecordWrite(name: "a", type: "other")) == .typeMismatch(current: "note"))
        #expect(
            try refused(RecordWrite(name: "a", increments: [.init(field: "x", amount: 1)])) == .wrongKind(field: "x")
        )
        let list = FieldValue.list([])
        #expect(
            try refused(RecordWrite(name: "a", insertions: [.init(field: "s", values: [list])]))
                == .wrongKind(field: "s")
        )
        let counter = FieldValue.counter(CounterState(entries: []))
        #expect(
            try refused(RecordWrite(name: "a", set: [.init(field: "n", value: counter)])) == .wrongKind(field: "n")
        )
        var twice = RecordWrite.note("a", ["x": "1"])
        twice.remove = ["x"]
        #expect(try refused(twice) == .ambiguousField("x"))
        #expect(try refused(.note("", [:])) == .invalid(.invalidValue("string length")))
        let huge = FieldValue.bytes([UInt8](repeating: 0, count: 1_048_576))
        guard
            case .tooLarge(let count, let limit) = try refused(
                RecordWrite(name: "a", set: [.init(field: "b", value: huge)])
            )
        else {
            Issue.record("a record of more than 1 MiB was taken")
            return
        }
        #expect(limit == 1_048_576)
        #expect(count > limit)
    }

    @Test func `takes effect except for refused writes when it is not atomic`() throws {
        var replica = try emptyReplica()
        let commit = try replica.commit([.note("a", ["x": "1"]), .deletion("none"), .note("b", ["x": "2"])], by: alice)
        #expect(refusal(commit, 1) == .notFound)
        #expect(try replica.value("x", of: "b") == .string("2"))
        #expect(commit.size == 2)
        let places = try replica.items(alice.log(), from: 0, to: 2).compactMap { item -> BatchPlace? in
            if case .operation(let stored) = item.content { stored.operation.header.batch } else { nil }
        }
        #expect(places == [.single, .single])
    }

    @Test func `is all or nothing when it is atomic`() throws {
        var replica = try emptyReplica()
        let before = try Trace(replica)
        let commit = try replica.commit([.note("a", ["x": "1"]), .deletion("none")], isAtomic: true, by: alice)
        #expect(refusal(commit, 0) == .batchRefused(index: 1))
        #expect(refusal(commit, 1) == .notFound)
        #expect(try Trace(replica) == before)
        #expect(try replica.clock() == HybridClock())
        let good = try replica.commit([.note("a", ["x": "1"]), .note("b", ["x": "1"])], isAtomic: true, by: alice)
        #expect(good.heads.count == 1)
        #expect(refusal(good) == nil)
        let batch = (0..<1_025).map { RecordWrite.note("r\($0)", [:]) }
        #expect(refusal(try replica.commit(batch, isAtomic: true, by: alice)) == .batchTooLarge)
        let largest = try replica.commit(Array(batch.dropLast()), isAtomic: true, by: alice)
        #expect(largest.results[0].count == 1_024)
        #expect(refusal(largest) == nil)
    }

    @Test func `shows later writes the effect of earlier ones`() throws {
        var replica = try emptyReplica()
        let commit = try replica.commit(
            [.note("a", ["x": "1"]), .note("a", ["y": "2"]), .deletion("a"), .note("a", ["z": "3"])],
            isAtomic: true,
            by: alice
        )
        #expect(commit.changed.count == 1)
        #expect(try #require(try replica.record("a")).content().fields.map(\.name) == ["z"])
        #expect(try replica.states(alice.log()) == [.superseded, .superseded, .superseded, .live])
        #expect(try replica.record("a")?.creation.counter == 4)
    }

    @Test func `deletes with a tombstone without fields`() throws {
        var replica = try emptyReplica()
        try replica.commit([.note("a", ["x": "1"])], by: alice)
        try replica.commit([.deletion("a")], by: alice)
        let row = try #require(try replica.record("a"))
        #expect(row.isDeleted)
        #expect(try row.content().fields.isEmpty)
        #expect(row.creation.counter == 1)
        #expect(refusal(try replica.commit([.deletion("a")], by: alice)) == .notFound)
        try replica.commit([.note("a", ["x": "2"])], by: alice)
        #expect(try replica.record("a")?.creation.counter == 3)
        #expect(try replica.record("a")?.vector == [alice.author.actor: 3])
    }

    @Test func `adds to counters and changes sets`() throws {
        var replica = try emptyReplica()
        let tags = [FieldValue.string("p"), .string("q")]
        try replica.commit(
            [
                RecordWrite(
                    name: "a",
                    type: "note",
                    increments: [.init(field: "n", amount: 5)],
                    insertions: [.init(field: "s", values: tags)]
                )
            ],
            by: alice
        )
        try replica.commit(
            [
                RecordWrite(
                    name: "a",
                    increments: [.init(field: "n", amount: -2)],
                    withdrawals: [.init(field: "s", values: [.string("p")])]
                )
            ],
            by: alice
        )
        guard case .counter(let counter) = try replica.value("n", of: "a"),
            case .set(let set) = try replica.value("s", of: "a")
        else {
            Issue.record("the fields have another kind")
            return
        }
        #expect(counter.value == 3)
        #expect(set.entries.map(\.element) == [.string("q")])
    }

    @Test func `signs more than one head for a large group, never inside a batch`() throws {
        var replica = try emptyReplica()
        let batches = (0..<3).map { batch in
            WriteRequest((0..<600).map { RecordWrite.note("r\(batch)-\($0)", ["x": "1"]) })
        }
        let commit = try LocalWrites(zone: TestZone.id, author: alice.author, wallMilliseconds: 1, sign: alice.sign)
            .commit(batches, in: &replica)
        #expect(commit.heads.map(\.head.size) == [600, 1_200, 1_800])
        #expect(commit.number == 1)
        var peer = try emptyReplica()
        try peer.pull(from: replica)
        #expect(peer.allRecords(zone: TestZone.id) == replica.allRecords(zone: TestZone.id))
    }

    @Test func `advances the clock with each operation and never back`() throws {
        var replica = try emptyReplica()
        try replica.commit([.note("a", [:]), .note("b", [:])], by: alice, at: 5_000)
        try replica.commit([.note("c", [:])], by: alice, at: 10)
        let times = try ["a", "b", "c"].map { try #require(try replica.record($0)).time }
        #expect(times == times.sorted())
        #expect(Set(times).count == 3)
    }

    @Test func `claims to have seen the applied operations and those in its vectors`() throws {
        var replica = try conflicted()
        let commit = try replica.commit([.note("a", ["y": "1"])], by: alice, at: 4_000)
        #expect(commit.heads[0].head.seen == [bob.author.actor: 1])
    }

    @Test func `is refused in zones that are unknown or closed, and under a closed log`() throws {
        var empty = MemoryReplica()
        #expect(replicaError { try empty.commit([.note("a", [:])], by: alice) } == .unknownZone(TestZone.id))
        var replica = try emptyReplica()
        try replica.commit([.note("a", [:])], by: alice)
        var cut = replica
        _ = try cut.applyCuts([:], of: alice.author.device, zone: TestZone.id, wallMilliseconds: 1)
        #expect(replicaError { try cut.commit([.note("b", [:])], by: alice) } == .ownLogClosed(alice.log()))
        try replica.commit(.zoneDeletion(reason: "no longer needed"), by: alice)
        #expect(replicaError { try replica.commit([.note("a", [:])], by: alice) } == .zoneClosed(TestZone.id))
    }

    @Test func `refuses to make a zone that is known otherwise, once it has records`() throws {
        var replica = try emptyReplica()
        try replica.createZone(TestZone.id, genesis: TestZone.genesis, tagKey: [UInt8](repeating: 1, count: 32))
        try replica.createZone(TestZone.id, genesis: TestZone.genesis, tagKey: TestZone.tagKey)
        try replica.commit([.note("a", ["x": "alice"])], by: alice)
        #expect(
            replicaError {
                try replica.createZone(TestZone.id, genesis: TestZone.genesis, tagKey: [UInt8](repeating: 1, count: 32))
            } == .zoneMismatch(TestZone.id)
        )
        #expect(
            try !replica.createZone(TestZone.id, genesis: TestZone.genesis, tagKey: TestZone.tagKey)
        )
    }
}
