import Identity
import Records
import Sync
import Testing
import Wire

@Suite struct `Late writes of a removed device` {
    @Test func `are read above the sizes that the other device states, for it to keep them`() throws {
        var n = try Neighbours([2])
        let zone = try n.zone(of: 0)
        try n.write("a", "before", on: 1, zone: zone)
        try n.exchange(zone)
        try n.remove(1, by: 0)
        try n.write("a", "after", on: 1, zone: zone)
        let positions = try n.positions(of: 1, in: zone, on: 0)
        let held = Dictionary(uniqueKeysWithValues: positions.map { ($0.key, $0.size) })
        let runs = try RunExchange(n.committer(1)).deposits(in: zone, above: held, n.homes[1].store)
        #expect(runs.map(\.signedHead.head.size) == [2])
        let outcomes = runs.map { n.keep($0, on: 0) }
        #expect(outcomes == [.durable(size: 2, operations: 1)])
        #expect(try n.quarantine(zone, on: 0).map(\.name) == ["a"])
        #expect(try n.text("a", on: 0, zone: zone) == "before")
    }
}
