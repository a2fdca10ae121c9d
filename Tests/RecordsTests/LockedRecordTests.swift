import Records
import ReplicaBehaviour
import Testing
import Wire

@Suite struct `The list of records that cannot be read` {
    @Test func `has the locked ones of its zone alone, in pages`() throws {
        var replica = try emptyReplica()
        try replica.commit([.note("a", [:]), .note("b", [:]), .note("c", [:])], by: TestAuthor(1))
        var locked = replica.allRecords(zone: TestZone.id).filter { $0.name != "c" }.sorted { $0.tag < $1.tag }
        var elsewhere = try #require(try replica.record("c"))
        for index in locked.indices { locked[index].isLocked = true }
        elsewhere.isLocked = true
        elsewhere.zone = .zero
        try replica.saveUnchanged(locked + [elsewhere])
        let tags = locked.map(\.tag)
        #expect(try replica.lockedRecords(zone: TestZone.id, after: nil, limit: 9) == tags)
        #expect(try replica.lockedRecords(zone: TestZone.id, after: nil, limit: 1) == [tags[0]])
        #expect(try replica.lockedRecords(zone: TestZone.id, after: tags[0], limit: 9) == [tags[1]])
        #expect(try replica.lockedRecords(zone: .zero, after: nil, limit: 9) == [elsewhere.tag])
    }
}
