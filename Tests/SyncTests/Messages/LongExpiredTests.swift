import Capabilities
import Records
import Sync
import Testing
import Wire

@Suite struct `A message that expired long ago` {
    @Test func `is entered by a device that has heard of no other clock`() throws {
        var n = try Neighbours([1, 1], envelopes: BoxEnvelopes())
        let zone = try n.zone(of: 0)
        _ = try n.grant(.write, to: 1, by: 0, zone: zone)
        try n.settle(zone)
        let id = try n.send("for a moment of 1970", expires: 1, on: 0, zone: zone)
        try n.settle(zone)
        try n.settleInbox(1)
        #expect(try n.homes[1].store.message(id) != nil)
    }
}
