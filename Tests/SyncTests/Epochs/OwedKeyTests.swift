import Capabilities
import Identity
import Records
import Sync
import Testing
import Wire

@Suite struct `A reader that lacks the key of a zone` {
    @Test func `makes a statement due on devices that may write, and on no device that only reads`() throws {
        var n = try Neighbours([1, 1], envelopes: BoxEnvelopes())
        let reader = try n.addDevice(of: 0, role: .readOnly)
        let zone = try n.zone(of: 0)
        _ = try n.grant(.read, to: 1, by: 0, zone: zone)
        try n.exchange(zone)
        #expect(try n.homes[reader].store.zone(zone)?.needsKeys == false)
        _ = try n.addDevice(of: 1, role: .full)
        for index in [0, reader] { try n.change(index) { _ = try AccountUpkeep($0).applyCuts(in: &$2) } }
        #expect(try n.homes[0].store.zone(zone)?.needsKeys == true)
        #expect(try n.homes[reader].store.zone(zone)?.needsKeys == false)
    }
}
