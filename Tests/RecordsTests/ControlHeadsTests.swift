import Records
import ReplicaBehaviour
import Testing
import Wire

/// A write's header says which control operations its author had seen.
@Suite struct `The control heads in a write` {
    private let alice = TestAuthor(1)
    private let bob = TestAuthor(2)

    /// Returns the hash in a write by Alice, who has seen these control operations of Bob.
    private func heads(_ bytes: [UInt8]...) throws -> Hash {
        var replica = try emptyReplica()
        for body in bytes { try replica.commit(.unknown(tag: 99, bytes: body), by: bob) }
        try replica.commit([.note("a", [:])], by: alice)
        let item = try #require(try replica.items(alice.log(), from: 0, to: 1).first)
        guard case .operation(let stored) = item.content else { throw ReplicaError.unknownLog(alice.log()) }
        return stored.operation.header.controlHeads
    }

    @Test func `tell apart logs of one size, and are the same for the same logs`() throws {
        let all = [try heads(), try heads([1]), try heads([2]), try heads([1], [2]), try heads([2], [1])]
        #expect(all[0].isZero)
        #expect(Set(all).count == all.count)
        #expect(try heads([1], [2]) == all[3])
    }
}
