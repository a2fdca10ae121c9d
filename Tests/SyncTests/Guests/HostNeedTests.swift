import Records
import Sync
import Testing
import Wire

/// Alice lets Bob write notes in her zone, and everyone make records of any type.
@Suite struct `Several writes of one record` {
    private let untyped = RecordWrite(name: "a", set: [.init(field: "text", value: .string("2"))])
    private let deletion = RecordWrite(name: "b", delete: true)
    private let task = RecordWrite(name: "b", type: "task")

    /// Alice has the device 0, Bob 1.
    private func shared() throws -> (neighbours: Neighbours, zone: ZoneID) {
        var neighbours = try Neighbours([1, 1])
        let zone = try neighbours.zone(of: 0)
        _ = try neighbours.grant(.write, to: 1, by: 0, caveats: Caveats(recordTypes: ["note"]), zone: zone)
        let access = PublicAccess(world: [.read, .create], authenticated: [], creator: [])
        try neighbours.change(0) { _ = try ZoneSharing($0).setPublicAccess(access, zone: zone, in: &$2) }
        try neighbours.exchange(zone)
        return (neighbours, zone)
    }

    private func needsHost(_ writes: [RecordWrite], in neighbours: Neighbours, zone: ZoneID) throws -> Bool {
        try GuestWrites(neighbours.committer(1)).needsHost(writes, zone: zone, in: neighbours.homes[1].store)
    }

    @Test func `need no host if the first one makes a record that the account may change itself`() throws {
        let (neighbours, zone) = try shared()
        #expect(try !needsHost([.note("a", "1")], in: neighbours, zone: zone))
        #expect(try needsHost([untyped], in: neighbours, zone: zone), "alone it makes a record of no type")
        #expect(try !needsHost([.note("a", "1"), untyped], in: neighbours, zone: zone))
    }

    @Test func `need a host if a deleted record is made again with a type that the account may not write`() throws {
        var (neighbours, zone) = try shared()
        #expect(try neighbours.write("b", "1", on: 1, zone: zone) == nil)
        #expect(try !needsHost([task], in: neighbours, zone: zone), "a record keeps its type")
        #expect(try !needsHost([deletion, .note("b", "2")], in: neighbours, zone: zone))
        #expect(try needsHost([deletion, task], in: neighbours, zone: zone))
    }
}
