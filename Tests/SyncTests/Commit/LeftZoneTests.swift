import Identity
import Records
import Sync
import Testing
import Wire

@Suite struct `A zone of an account that this device has left` {
    @Test func `is not taken up again by its announcement`() throws {
        var n = try Neighbours([1, 1])
        let zone = try n.zone(of: 0)
        // As it was while the device belonged to the zone's account.
        var row = try #require(try n.homes[1].store.zone(zone))
        (row.right, row.role) = (.zero, .owner)
        try n.homes[1].store.save(row)
        let (genesis, tagKey) = (row.genesis, row.tagKey)
        let notice = try n.change(1) { try ZoneLifecycle($0).join(genesis, tagKey: tagKey, in: &$2).notice }
        #expect(notice.number == nil && notice.zoneEvents.isEmpty)
        #expect(try n.homes[1].store.zone(zone) == row)
    }
}
