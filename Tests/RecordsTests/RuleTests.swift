import Records
import ReplicaBehaviour
import Sodium
import Testing
import Wire

@Suite struct `A run that is signed but breaks a rule` {
    let mallory = TestAuthor(6)
    let bob = TestAuthor(2)

    func refusal(_ run: Run) throws -> RunError? {
        var target = try emptyReplica()
        let before = try Trace(target)
        let error = replicaError { try target.receive(run) }
        #expect(try Trace(target) == before)
        if case .invalidRun(_, let error) = error { return error }
        return nil
    }

    func rule(_ change: (inout OperationHeader) -> Void) throws -> OperationRule? {
        var log = HandMadeLog(mallory)
        try log.append(log.body("a"), change: change)
        if case .invalidOperation(1, let rule) = try refusal(log.run()) { return rule }
        return nil
    }

    @Test func `is refused for its header`() throws {
        let own = mallory.author.actor
        let other = bob.author.actor
        #expect(try rule { $0.counter = 2 } == .counter)
        #expect(try rule { $0.vector[own] = 2 } == .ownEntry)
        #expect(try rule { $0.vector[own] = 0 } == .ownEntry)
        #expect(try rule { $0.vector[other] = 1 } == .unseenEntry)
        #expect(try rule { $0.creation = Dot(actor: other, counter: 1) } == .creation)
        // A header that names an epoch states that the body is sealed.
        let sealed = try rule { $0.epoch = Hash(digesting: .treeNode, [1]) }
        #expect(sealed.map { if case .body = $0 { true } else { false } } == true)
        #expect(try rule { $0.bodyHash = .zero } == .bodyHash)
        #expect(try rule { $0.batch = BatchPlace(index: 1, count: 2) } == .batch)
        #expect(try rule { $0.tag = .zero } == .tag)
    }

    @Test func `is refused if its head omits operations that earlier ones had seen`() throws {
        let seen: VersionVector = [bob.author.actor: 1]
        var log = HandMadeLog(mallory)
        try log.append(log.body("a"), vector: seen)
        var target = try emptyReplica()
        try target.receive(log.run(seen: seen))
        try log.append(log.body("b"))
        let before = try Trace(target)
        let refused = RunError.invalidOperation(counter: 1, .unseenEntry)
        #expect(replicaError { try target.receive(log.run(from: 1)) } == .invalidRun(mallory.log(), refused))
        #expect(try Trace(target) == before)
        // As every replica does that gets the whole log under that head.
        #expect(try refusal(log.run()) == refused)
        // The next head makes up for it.
        try log.append(log.body("c"))
        try target.receive(log.run(from: 1, seen: seen))
        #expect(try target.log(mallory.log())?.size == 3)
    }

    @Test func `is accepted if its head omits only operations that none had seen`() throws {
        let seen: VersionVector = [bob.author.actor: 1]
        var log = HandMadeLog(mallory)
        try log.append(log.body("a"))
        var target = try emptyReplica()
        try target.receive(log.run(seen: seen))
        try log.append(log.body("b"))
        try target.receive(log.run(from: 1))
        var fresh = try emptyReplica()
        try fresh.pull(from: target)
        #expect(try fresh.visible() == target.visible())
        #expect(try fresh.log(mallory.log())?.size == 2)
    }

    @Test func `is another history, or none, if its operations do not lead to the head either`() throws {
        var log = HandMadeLog(mallory)
        try log.append(log.body("a"), vector: [bob.author.actor: 1])
        #expect(try refusal(log.run { $0.root = .zero }) == .rootMismatch)
    }

    @Test func `is refused for its body`() throws {
        func rule(_ body: (HandMadeLog) -> RecordBody) throws -> OperationRule? {
            var log = HandMadeLog(mallory)
            try log.append(body(log))
            if case .invalidOperation(1, let rule) = try refusal(log.run()) { return rule }
            return nil
        }
        let foreign = Dot(actor: bob.author.actor, counter: 3)
        #expect(
            try rule { log in
                RecordBody(
                    name: "a",
                    type: "note",
                    isDeleted: false,
                    parent: nil,
                    creator: log.device,
                    modifier: log.device,
                    fields: [
                        RecordField(
                            name: "x",
                            entries: [FieldEntry(dot: foreign, time: HybridTime(raw: 5), value: .null)]
                        )
                    ]
                )
            } == .fieldDot
        )
        let counter = CounterState(entries: [.init(actor: foreign.actor, counter: 3, total: 1)])
        #expect(try rule { $0.body("a", ["n": .counter(counter)]) } == .fieldDot)
        let set = SetState(entries: [.init(element: .null, dots: [foreign])])
        #expect(try rule { $0.body("a", ["s": .set(set)]) } == .fieldDot)
        #expect(try rule { $0.body("a", ["x": .null], time: 6) } == .fieldTime)
        #expect(
            try rule { log in
                var body = log.body("a")
                body.modifier = bob.author.device
                return body
            } == .modifier
        )
        var log = HandMadeLog(mallory)
        log.append([9, 9], tag: .zero)
        #expect(try refusal(log.run()) == .invalidOperation(counter: 1, .body(.unknownTag(9))))
    }

    @Test func `is refused for its control operations`() throws {
        var log = HandMadeLog(mallory, lane: .control)
        log.append(ControlBody.zoneDeletion(reason: "x").encoded, tag: RecordTag(Digest32.one))
        #expect(try refusal(log.run()) == .invalidOperation(counter: 1, .tag))
        log = HandMadeLog(mallory, lane: .control)
        log.append([1], tag: .zero)
        #expect(try refusal(log.run()) == .invalidOperation(counter: 1, .body(.truncated)))
        log = HandMadeLog(mallory, lane: .control)
        log.append(ControlBody.unknown(tag: 99, bytes: [1, 2]).encoded, tag: .zero)
        log.append(
            ControlBody.unknown(tag: 99, bytes: []).encoded,
            tag: .zero,
            creation: Dot(actor: mallory.author.actor, counter: 1)
        )
        #expect(try refusal(log.run()) == .invalidOperation(counter: 2, .creation))
    }

    @Test func `keeps and serves control operations of kinds it does not know`() throws {
        var log = HandMadeLog(mallory, lane: .control)
        log.append(ControlBody.unknown(tag: 99, bytes: [1, 2]).encoded, tag: .zero)
        var target = try emptyReplica()
        let run = log.run()
        try target.receive(run)
        #expect(try target.run(mallory.log(TestZone.id, .control)) == run)
    }

    @Test func `is refused for its head`() throws {
        var log = HandMadeLog(mallory)
        try log.append(log.body("a"))
        #expect(try refusal(log.run { $0.root = .zero }) == .rootMismatch)
        #expect(try refusal(log.run { $0.size = 2 }) == .badCoverage(leaf: 1))
        // A run for a log of the same actor but in the name of another device.
        var target = try emptyReplica()
        let run = log.run { $0.device = TestAuthor(7).author.device }
        #expect(
            replicaError {
                _ = try RunReceiver(run, actor: mallory.author.actor, wallMilliseconds: 1).receive(in: &target)
            } == .invalidRun(mallory.log(), .badSignature)
        )
        try target.receive(log.run())
        try log.append(log.body("b"))
        #expect(
            replicaError {
                let run = log.run(from: 1) { $0.device = TestAuthor(7).author.device }
                _ = try RunReceiver(run, actor: mallory.author.actor, wallMilliseconds: 1).receive(in: &target)
            } == .invalidRun(mallory.log(), .wrongLog)
        )
        #expect(
            replicaError {
                let run = log.run(from: 1) { $0.right = Hash(Digest32.one) }
                _ = try RunReceiver(run, actor: mallory.author.actor, wallMilliseconds: 1).receive(in: &target)
            } == .invalidRun(mallory.log(), .wrongLog)
        )
    }

    @Test func `is refused when the head cuts a batch`() throws {
        var log = HandMadeLog(mallory)
        try log.append(log.body("a"), batch: BatchPlace(index: 0, count: 2))
        #expect(try refusal(log.run()) == .splitBatch(counter: 1))
        try log.append(log.body("b"), batch: BatchPlace(index: 1, count: 3))
        #expect(try refusal(log.run()) == .invalidOperation(counter: 2, .batch))
    }

    @Test func `cannot block another log by naming operations that do not exist`() throws {
        var log = HandMadeLog(mallory)
        try log.append(log.body("a"), vector: [bob.author.actor: 1_000])
        var target = try emptyReplica()
        try target.receive(log.run(seen: [bob.author.actor: 1_000]))
        try target.commit([.note("a", ["x": "mine"])], by: bob)
        #expect(try target.value("x", of: "a") == .string("mine"))
        #expect(try target.log(mallory.log())?.appliedSize == 0)
    }

    @Test func `that waits for a run which waits for it is applied with it`() throws {
        var one = HandMadeLog(mallory)
        var two = HandMadeLog(bob)
        try one.append(one.body("a"), vector: [bob.author.actor: 1])
        try two.append(two.body("a"), vector: [mallory.author.actor: 1])
        var target = try emptyReplica()
        try target.receive(one.run(seen: [bob.author.actor: 1]))
        try target.receive(two.run(seen: [mallory.author.actor: 1]))
        var other = try emptyReplica()
        try other.receive(two.run(seen: [mallory.author.actor: 1]))
        try other.receive(one.run(seen: [bob.author.actor: 1]))
        #expect(try target.logs(zone: TestZone.id).allSatisfy { $0.appliedSize == 1 })
        // Each claims to have seen the other, so each supersedes the other; every replica agrees.
        #expect(target.allRecords(zone: TestZone.id) == other.allRecords(zone: TestZone.id))
    }
}

extension Digest32 {
    /// Some digest that is not zero.
    static let one = Digest32(word0: 0, word1: 0, word2: 0, word3: 1)
}
