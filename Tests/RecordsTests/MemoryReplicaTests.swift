import Records
import ReplicaBehaviour
import Testing
import Wire

@Suite struct `The store in memory` {
    @Test(arguments: ReplicaBehaviour.allCases)
    func `behaves as every store does`(behaviour: ReplicaBehaviour) throws {
        var store = MemoryReplica()
        try behaviour.check(in: &store)
    }

    @Test func `refuses items of a log that has no row, or that leave a hole`() throws {
        var store = try emptyReplica()
        let author = TestAuthor(1)
        let gap = StoredItem(first: 1, content: .gap(SubtreeGap(level: 0, index: 1, hash: .zero)))
        #expect(replicaError { try store.append([gap], key: author.log()) } == .unknownLog(author.log()))
        try store.save(
            LogRow(
                key: author.log(),
                device: author.author.device,
                incarnation: author.author.incarnation,
                right: .zero
            )
        )
        #expect(
            replicaError { try store.append([gap], key: author.log()) } == .damaged("items do not continue the log")
        )
    }

    @Test func `is its own rollback`() throws {
        var store = try emptyReplica()
        try store.commit([.note("a", [:])], by: TestAuthor(1))
        let before = store
        try store.commit([.note("b", [:])], by: TestAuthor(1))
        store = before
        #expect(try store.record("b") == nil)
        #expect(try store.log(TestAuthor(1).log())?.size == 1)
    }
}
