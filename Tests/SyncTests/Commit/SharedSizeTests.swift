import Identity
import Records
import Sync
import Testing
import Wire

@Suite struct `The size of a log that others share` {
    @Test func `is noted of this store's data logs alone when the store begins another lifetime`() throws {
        var n = try Neighbours([1, 1])
        let zone = try n.zone(of: 0)
        _ = try n.grant(.write, to: 1, by: 0, zone: zone)
        try n.exchange(zone)
        for index in 0...1 { try n.write("\(index)", "1", on: index, zone: zone) }
        try n.exchange(zone)
        let present = try #require(try n.homes[0].store.incarnation())
        let renewed = try n.change(0) {
            try RollbackRecovery($0).renewedIncarnation(if: present, random: &$1, in: &$2)
        }
        #expect(renewed != nil && renewed != present)
        let store = n.homes[0].store
        let noted = try store.logs(zone: zone).filter { try store.sharedSize(of: $0.key) != nil }
        #expect(noted.map(\.key.lane) == [.data])
        #expect(noted.map(\.device) == [n.homes[0].keys.deviceID])
    }
}
