import Records
import ReplicaBehaviour
import Testing
import Wire

@Suite struct `A served run` {
    let alice = TestAuthor(1)

    @Test func `ends at the furthest head within the budget, and at least at the next`() throws {
        var source = try emptyReplica()
        for batch in 0..<6 {
            try source.commit((0..<300).map { .note("r\(batch)-\($0)", ["x": "1"]) }, by: alice)
        }
        #expect(
            try source.heads(alice.log(), above: 0, limit: 100).map(\.size) == [300, 600, 900, 1_200, 1_500, 1_800]
        )
        #expect(try source.run(alice.log(), byteCount: 1)?.signedHead.head.size == 300)
        #expect(try source.run(alice.log(), from: 310, byteCount: 1)?.signedHead.head.size == 600)
        #expect(try source.run(alice.log())?.signedHead.head.size == 1_800)
        let bytes = try #require(try source.head(alice.log(), atOrBelow: 900)).byteCount
        #expect(try source.run(alice.log(), byteCount: bytes)?.signedHead.head.size == 900)
        #expect(try source.run(alice.log(), byteCount: bytes - 1)?.signedHead.head.size == 600)
        #expect(try source.run(alice.log(), from: 1_800) == nil)
        #expect(try source.run(TestAuthor(5).log()) == nil)
    }

    @Test func `accepts no more bytes than a message has`() throws {
        var source = try emptyReplica()
        let value = FieldValue.bytes([UInt8](repeating: 3, count: 900_000))
        for index in 0..<40 {
            let write = RecordWrite(name: "r\(index)", type: "big", set: [.init(field: "b", value: value)])
            try source.commit([write], by: alice)
        }
        var target = try emptyReplica()
        var runs = 0
        while let run = try source.run(alice.log(), from: try target.log(alice.log())?.size ?? 0) {
            #expect(run.encoded.count <= Limits.runByteCountMax)
            #expect(try Run(decoding: run.encoded) == run)
            try target.receive(run)
            runs += 1
        }
        #expect(runs == 3)
        #expect(try target.log(alice.log())?.size == 40)
    }

    @Test func `can be requested from any size although most heads are dropped`() throws {
        var source = try emptyReplica()
        for index in 0..<700 {
            try source.commit([.note("r\(index % 50)", ["x": "\(index)"])], by: alice)
        }
        let heads = try source.heads(alice.log(), above: 0, limit: 1_000).map(\.size)
        #expect(heads == [256, 512, 700])
        for from in [0, 1, 255, 256, 300, 511, 512, 699] {
            var target = try emptyReplica()
            let full = try #require(try source.run(alice.log(), byteCount: 1))
            #expect(full.signedHead.head.size == 256)
            let run = try #require(try source.run(alice.log(), from: UInt64(from)))
            #expect(run.items.count == 700 - from)
            if from == 0 { try target.receive(run) }
        }
    }

    @Test func `ends at the applied operations, so that its receiver shows as much`() throws {
        var log = HandMadeLog(alice)
        try log.append(log.body("a", ["x": .int64(1)]))
        let honest = log.run()
        try log.append(log.body("b", ["x": .int64(2)]))
        var source = try emptyReplica()
        try source.receive(honest)
        try source.receive(log.run(from: 1, seen: [TestAuthor(3).author.actor: 4]))
        try expectEqualWhenPulled(from: source)
    }

    @Test func `also ends there when the applied operations had to wait at first`() throws {
        let bob = TestAuthor(2)
        var other = HandMadeLog(bob)
        try other.append(other.body("c", ["x": .int64(3)]))
        var log = HandMadeLog(alice)
        try log.append(log.body("a", ["x": .int64(1)]))
        let honest = log.run(seen: [bob.author.actor: 1])
        try log.append(log.body("b", ["x": .int64(2)]))
        var source = try emptyReplica()
        try source.receive(honest)
        try source.receive(log.run(from: 1, seen: [bob.author.actor: 1, TestAuthor(3).author.actor: 4]))
        // A replica that passes on operations that still wait must not make them wait for more either.
        let waiting = try #require(try source.run(alice.log()))
        #expect(waiting.signedHead.head.size == 1)
        try source.receive(other.run())
        #expect(try source.record("a") != nil)
        try expectEqualWhenPulled(from: source)
    }

    @Test func `joins records that wait for the same operation`() throws {
        let bob = TestAuthor(2)
        var log = HandMadeLog(alice)
        var source = try emptyReplica()
        for index in 0..<3 {
            try log.append(log.body("a\(index)", ["x": .int64(1)]))
            try source.receive(log.run(from: index, seen: [bob.author.actor: 1]))
        }
        try log.append(log.body("b", ["x": .int64(2)]))
        try source.receive(log.run(from: 3, seen: [bob.author.actor: 2]))
        #expect(try source.log(alice.log())?.appliedSize == 0)
        #expect(try source.run(alice.log())?.signedHead.head.size == 3)
        #expect(try source.run(alice.log(), from: 3)?.signedHead.head.size == 4)
    }

    /// A replica with the first operation of two applied shows no more than one that gets its logs from there.
    private func expectEqualWhenPulled(from source: MemoryReplica) throws {
        #expect(try source.log(alice.log())?.appliedSize == 1)
        #expect(try source.run(alice.log())?.signedHead.head.size == 1)
        var target = try emptyReplica()
        try target.pull(from: source)
        #expect(
            try ZonePositions(of: TestZone.id).digest(in: target) == ZonePositions(of: TestZone.id).digest(in: source)
        )
        #expect(try target.record("a") != nil)
        #expect(target.allRecords(zone: TestZone.id) == source.allRecords(zone: TestZone.id))
    }

    @Test func `has room for every log that the limits allow`() {
        // The distance between heads, one more commit, and the head itself fit the run's limits.
        let items = ReplicaLimits.headDistanceOperationCountMax + UInt64(Limits.batchOperationCountMax)
        #expect(items <= UInt64(Limits.runItemCountMax))
        #expect(Int(ReplicaLimits.runByteCountMax) + Limits.treeHeadByteCountMax <= Limits.runByteCountMax)
        #expect(ReplicaLimits.batchByteCountMax <= ReplicaLimits.runByteCountMax)
    }

    @Test func `of equal replicas has equal digests, of unequal ones not`() throws {
        var one = try emptyReplica()
        try one.commit([.note("a", [:])], by: alice)
        var two = try emptyReplica()
        let empty = try ZonePositions(of: TestZone.id).digest(in: two)
        try two.pull(from: one)
        #expect(try ZonePositions(of: TestZone.id).digest(in: one) == ZonePositions(of: TestZone.id).digest(in: two))
        #expect(try ZonePositions(of: TestZone.id).digest(in: one) != empty)
        try two.commit([.note("b", [:])], by: TestAuthor(2))
        #expect(try ZonePositions(of: TestZone.id).digest(in: one) != ZonePositions(of: TestZone.id).digest(in: two))
        #expect(try ZonePositions(of: TestZone.id).all(in: two).map(\.size) == [1, 1])
    }
}
