import Capabilities
import Identity
import Records
import Sync
import Testing
import Wire

@Suite struct `The door of a zone of two accounts` {
    @Test func `comes behind that of another zone that reaches the account, since the other side may not have made it`()
        throws
    {
        var n = try Neighbours([1, 1])
        try n.statePairKeys()
        let pair = try n.enter(with: 1, on: 0)
        var shared = try n.zone(of: 0)
        // By their ids alone the pair zone would come first.
        while shared < pair { shared = try n.zone(of: 0) }
        _ = try n.grant(.read, to: 1, by: 0, zone: shared)
        var order = DoorOrder()
        for authority in try n.authorities(on: 0) where [pair, shared].contains(authority.zone) {
            _ = order.update(authority, own: n.account(0))
        }
        #expect(order.all == [shared, pair])
        #expect(Array(order.covering) == [shared])
    }
}
