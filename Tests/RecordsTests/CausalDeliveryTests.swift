import Records
import ReplicaBehaviour
import Testing
import Wire

@Suite struct CausalDeliveryTests {
    private let alice = TestAuthor(1)
    private let bob = TestAuthor(2)
    private let carol = TestAuthor(3)

    @Test func `an operation is not effective before one that its author had seen under a smaller head`() throws {
        // Alice writes, Bob sees that; then Alice sees Carol and writes again.
        var source = try emptyReplica()
        try source.commit([.note("cause", ["x": "1"])], by: alice)
        try source.commit([.note("effect", ["x": "2"])], by: bob)
        let effect = try #require(try source.run(bob.log()))
        try source.commit([.note("other", ["x": "3"])], by: carol)
        try source.commit([.note("later", ["x": "4"])], by: alice)
        // Both of Alice's come under her second head, which waits for Carol's.
        let both = try #require(try source.run(alice.log()))
        #expect(both.items.count == 2)
        var target = try emptyReplica()
        try target.receive(both)
        try target.receive(effect)
        #expect(try target.record("cause") == nil)
        #expect(try target.record("effect") == nil)
        try target.receive(try #require(try source.run(carol.log())))
        #expect(target.allRecords(zone: TestZone.id) == source.allRecords(zone: TestZone.id))
    }

    @Test func `a head that requires too much changes nothing for replicas that got a later one`() throws {
        // Only a dishonest author states less in a later head than in an earlier one.
        var log = HandMadeLog(alice)
        try log.append(log.body("a", ["x": .int64(1)]))
        let asking = log.run(seen: [carol.author.actor: 4])
        try log.append(log.body("b", ["x": .int64(2)]))
        let later = log.run(from: 1)
        let whole = log.run()
        var first = try emptyReplica()
        try first.receive(asking)
        #expect(try first.record("a") == nil)
        try first.receive(later)
        var second = try emptyReplica()
        try second.receive(whole)
        #expect(
            try ZonePositions(of: TestZone.id).digest(in: first) == ZonePositions(of: TestZone.id).digest(in: second)
        )
        #expect(first.allRecords(zone: TestZone.id).count == 2)
        #expect(first.allRecords(zone: TestZone.id) == second.allRecords(zone: TestZone.id))
    }

    @Test
    func `control operations that were waiting are effective, whatever becomes of operations with their dots`() throws {
        var control = HandMadeLog(alice, lane: .control)
        for byte in 1...2 { control.append(ControlBody.unknown(tag: 99, bytes: [UInt8(byte)]).encoded, tag: .zero) }
        var data = HandMadeLog(alice)
        try data.append(data.body("a", ["x": .int64(1)]))
        try data.append(data.body("a", ["x": .int64(2)]), creation: Dot(actor: data.actor, counter: 1))
        var target = try emptyReplica()
        let carols = carol.author.actor
        for log in [control, data] { try target.receive(log.run(seen: [carols: 1])) }
        #expect(try target.states(alice.log(TestZone.id, .control)) == [.pending, .pending])
        let empty = [Lane.control, .data].map { lane in
            LogRow(
                key: carol.log(TestZone.id, lane),
                device: carol.author.device,
                incarnation: carol.author.incarnation,
                right: .zero,
                cut: LogCut(size: 0, root: .zero)
            )
        }
        _ = try RulingApplier(of: TestZone.id, wallMilliseconds: 1).noteEmptyLogs(empty, in: &target)
        #expect(try target.states(alice.log()) == [.superseded, .live])
        #expect(try target.states(alice.log(TestZone.id, .control)) == [.live, .live])
    }
}
