import Capabilities
import Identity
import Records
import Testing
import Wire

@testable import Sync

@Suite struct `A session with an account that loses its last right` {
    @Test func `ends three seconds after the rights have changed, though no log of the zone has`() throws {
        var desk = try Desk()
        let zone = try desk.neighbours.zone(of: 0)
        let right = try desk.neighbours.grant(.read, to: 1, by: 0, zone: zone)
        try desk.tellRights(zone)
        try desk.tellZone(zone)
        desk.open(2)
        try desk.neighbours.change(0) { _ = try ZoneSharing($0).revoke([right], zone: zone, reason: "", in: &$2) }
        try desk.tellRights(zone)
        let closed: [UInt64] = desk.pass(milliseconds: 5_000).compactMap { after, effect in
            guard case .close(2, .refused, _) = effect else { return nil }
            return after
        }
        #expect(closed == [3_000])
    }
}
