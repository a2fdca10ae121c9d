import Capabilities
import Records
import Sync
import Testing
import Wire

@Suite struct `A leave whose last operations never came` {
    /// A log of one operation, and longer ones.
    @Test(arguments: [1, 2, 3])
    func `is confirmed by the owner, however few operations it lists`(count: Int) throws {
        var n = try Neighbours([1, 1])
        let zone = try n.zone(of: 0)
        _ = try n.grant(.write, to: 1, by: 0, zone: zone)
        try n.write("a", "alice", on: 0, zone: zone)
        try n.exchange(zone)
        for number in 1...count { try n.write("b", "\(number)", on: 1, zone: zone) }
        try n.change(1) { _ = try ZoneSharing($0).leave(zone, in: &$2) }
        try n.pull(zone, from: 1, to: 0) { $0.key.lane == .control }
        #expect(try n.participants(of: zone, on: 0).isEmpty)
        #expect(try n.controlState(zone, on: 0).unconfirmedRights.isEmpty, "a correction states how much is effective")
        #expect(try n.text("b", on: 0, zone: zone) == nil)
    }
}
