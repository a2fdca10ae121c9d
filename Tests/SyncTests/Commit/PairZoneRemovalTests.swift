import Capabilities
import Identity
import Records
import Sync
import Testing
import Wire

@Suite struct `A zone of two accounts that is made after a removal` {
    @Test func `states at once that nothing of the removed device is effective there`() throws {
        var n = try Neighbours([2, 1])
        try n.statePairKeys()
        try n.remove(1, by: 0)
        let zone = try n.enter(with: 1, on: 0)
        let removed = n.homes[1].keys.deviceID
        let state = try n.controlState(zone, on: 0)
        #expect(state.unsaidRemovals(of: n.account(0), removed: [removed]).isEmpty)
        #expect(try n.write("a", "alice", on: 0, zone: zone) == nil)
    }
}
