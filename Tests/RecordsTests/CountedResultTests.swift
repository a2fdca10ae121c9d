import Records
import ReplicaBehaviour
import Testing
import Wire

@Suite struct `The numbers in a result` {
    let alice = TestAuthor(1)
    let bob = TestAuthor(2)

    @Test func `count the operations that were applied, of each lane`() throws {
        var source = try emptyReplica()
        for byte in UInt8(1)...2 { try source.commit(.unknown(tag: 99, bytes: [byte]), by: bob) }
        try source.commit([.note("a", [:]), .note("b", [:]), .note("c", [:])], by: bob)
        var target = try emptyReplica()
        let counts: [(lane: Lane, count: UInt64)] = [(.control, 2), (.data, 3)]
        for (lane, count) in counts {
            let run = try #require(try source.run(bob.log(TestZone.id, lane)))
            guard case .stored(let applied) = try target.receive(run) else {
                Issue.record("the run was refused")
                return
            }
            #expect(applied.appliedCount == count && applied.storedCount == count)
        }
    }

    @Test func `of several rulings are those of each together, and of none zero`() throws {
        var replica = try emptyReplica()
        for name in ["a", "b", "c"] { try replica.commit([.note(name, [:])], by: bob) }
        var sum = RulingOutcome()
        #expect(sum.quarantinedCount == 0 && sum.changed.isEmpty && sum.mismatched.isEmpty)
        for device in [bob, alice] { sum.add(try replica.applyCuts([:], of: device.author.device)) }
        #expect(sum.quarantinedCount == 3)
    }
}
