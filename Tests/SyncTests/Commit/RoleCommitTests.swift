import Identity
import Records
import Sync
import TestSupport
import Testing
import Wire

@Suite struct `Devices that may not write` {
    private static let lesser: [DeviceRole] = [.readOnly, .relayOnly]

    /// Three devices and a zone of the first; the second has a role.
    private func founded(_ role: DeviceRole) throws -> (household: Household, zone: ZoneID) {
        var household = try Household(3, roles: [1: role])
        let zone = try ZoneLifecycle(household.committer(0)).create(household.genesis(), in: &household.homes[0].store)
            .zone
        try household.write("a", "1", on: 0, zone: zone)
        for index in 1...2 { try household.pull(zone, from: 0, to: index) }
        return (household, zone)
    }

    @Test(arguments: lesser)
    func `get the writes of others, and their own writes have no effect`(role: DeviceRole) throws {
        var (household, zone) = try founded(role)
        #expect(try household.text("a", on: 1, zone: zone) == .string("1"))
        // Like a device that keeps no rule.
        try household.write("a", "2", on: 1, zone: zone)
        try household.write("b", "2", on: 1, zone: zone)
        let outcomes = try household.pull(zone, from: 1, to: 0)
        #expect(outcomes == [.durable(size: 2, operations: 0)], "no violation, and no reason to send it again")
        // Passed on, it is no more effective than first-hand.
        try household.pull(zone, from: 0, to: 2)
        for index in [0, 2] {
            #expect(try household.text("a", on: index, zone: zone) == .string("1"))
            #expect(try household.text("b", on: index, zone: zone) == nil)
        }
        // Others go on, on top of the effective operations.
        try household.write("a", "3", on: 2, zone: zone)
        try household.pull(zone, from: 2, to: 0)
        #expect(try household.text("a", on: 0, zone: zone) == .string("3"))
    }

    @Test(arguments: lesser) func `make no checkpoints`(role: DeviceRole) throws {
        var (household, zone) = try founded(role)
        let sizes = try Dictionary(
            uniqueKeysWithValues: household.homes[0].store.logs(zone: zone).map { ($0.key, $0.size) }
        )
        for index in 0...1 {
            household.homes[index].wall += 2 * 24 * 60 * 60 * 1_000
            let committer = household.committer(index)
            for other in 0...2 where other != index {
                let device = household.homes[other].keys.deviceID
                try PeerMemory(committer).acknowledged(by: device, sizes, in: &household.homes[index].store)
            }
            let settled = try CheckpointUpkeep(committer).settle(zone, in: &household.homes[index].store)
            #expect((settled.checkpoint != nil) == (index == 0))
        }
    }

    @Test func `writes of a device have no effect while its role is another one, and regain it later`() throws {
        var (household, zone) = try founded(.full)
        let (full, lesser) = (household.homes[0].log, try Household(3, roles: [1: .readOnly]).homes[0].log)
        #expect(full.account == lesser.account)
        try household.write("b", "2", on: 1, zone: zone)
        try household.pull(zone, from: 1, to: 0)
        for (log, text) in [(lesser, nil), (full, "2"), (lesser, nil)] as [(AccountLog, String?)] {
            household.homes[0].log = log
            let notice = try AccountUpkeep(household.committer(0)).applyCuts(in: &household.homes[0].store)
            #expect(!notice.feed.isEmpty)
            #expect(try household.text("b", on: 0, zone: zone) == text.map { .string($0) })
        }
    }

    @Test func `do not delay others that had seen their writes`() throws {
        var (household, zone) = try founded(.full)
        try household.write("b", "2", on: 1, zone: zone)
        try household.pull(zone, from: 1, to: 2)
        try household.write("c", "3", on: 2, zone: zone)
        let lesser = try Household(3, roles: [1: .readOnly]).homes[0].log
        for index in household.homes.indices { household.homes[index].log = lesser }
        _ = try AccountUpkeep(household.committer(2)).applyCuts(in: &household.homes[2].store)
        try household.pull(zone, from: 2, to: 0)
        // It waits for the writes of the second device, none of which are effective.
        let states = try household.homes[2].store.logs(zone: zone).filter {
            $0.device == household.homes[1].keys.deviceID
        }
        .map {
            LogState(
                device: $0.device,
                incarnation: $0.incarnation,
                right: .zero,
                lane: $0.key.lane,
                size: 0,
                root: .zero
            )
        }
        _ = try AccountUpkeep(household.committer(0)).noteEmptyLogs(states, zone: zone, in: &household.homes[0].store)
        #expect(try household.text("c", on: 0, zone: zone) == .string("3"))
        #expect(try household.text("b", on: 0, zone: zone) == nil)
    }
}
