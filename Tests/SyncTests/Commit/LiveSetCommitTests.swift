import Identity
import Records
import Sync
import TestSupport
import Testing
import Wire

/// The peer whose statement of the live set a returning device accepts.
@Suite struct `A device that was away` {
    private static let day: UInt64 = 24 * 60 * 60 * 1_000

    /// The first of three devices has deleted a record and made two checkpoints, the second one was away, the third was not.
    private func histories() throws -> (household: Household, zone: ZoneID) {
        var household = try Household(3)
        let (zone, _) = try ZoneLifecycle(household.committer(0)).create(
            household.genesis(),
            in: &household.homes[0].store
        )
        for name in ["gone", "kept"] { try household.write(name, "1", on: 0, zone: zone) }
        for index in [1, 2] { try household.pull(zone, from: 0, to: index) }
        let (away, third) = (household.homes[1].keys.deviceID, household.homes[2].keys.deviceID)
        try PeerMemory(household.committer(0)).met(away, at: "a:1", in: &household.homes[0].store)
        for index in household.homes.indices { household.homes[index].wall += 100 * Self.day }
        let deletion = WriteRequest([RecordWrite(name: "gone", delete: true)])
        _ = try household.committer(0).commit([deletion], zone: zone, in: &household.homes[0].store)
        for version in 1...2 {
            try household.write("new", "\(version)", on: 0, zone: zone)
            household.homes[0].wall += 2 * Self.day
            try household.pull(zone, from: 0, to: 2)
            let logs = try household.homes[2].store.logs(zone: zone)
            let sizes = Dictionary(uniqueKeysWithValues: logs.map { ($0.key, $0.size) })
            try PeerMemory(household.committer(0)).acknowledged(by: third, sizes, in: &household.homes[0].store)
            let settled = try CheckpointUpkeep(household.committer(0)).settle(zone, in: &household.homes[0].store)
            #expect(settled.checkpoint != nil)
            try CheckpointUpkeep(household.committer(0)).pruneAll(zone, in: &household.homes[0].store)
        }
        for index in [1, 2] { try household.pull(zone, from: 0, to: index) }
        let adopted = try household.homes[0].store.zone(zone)?.adopted
        #expect(try household.homes[2].store.zone(zone)?.adopted == adopted)
        #expect(try household.text("gone", on: 1, zone: zone) != nil, "nothing says that it was deleted")
        return (household, zone)
    }

    /// Lets one device fetch another one's live set.
    private func tell(_ household: inout Household, _ zone: ZoneID, by teller: Int) throws -> LiveSetOutcome {
        let page = try LiveSetRequest(zone: zone).page(in: household.homes[teller].store)
        let comparison = LiveSetComparison(zone: zone, teller: household.homes[teller].keys.deviceID)
        let committer = household.committer(1)
        return try LiveSetIntake(committer).take(page, comparison: comparison, in: &household.homes[1].store).reply
    }

    @Test func `believes a peer that has adopted a checkpoint, and not its maker if another peer could confirm it`()
        throws
    {
        var (household, zone) = try histories()
        let third = household.homes[2].keys.deviceID
        try PeerMemory(household.committer(1)).met(third, at: "c:1", in: &household.homes[1].store)
        #expect(try tell(&household, zone, by: 0) == .unusable)
        #expect(try household.text("gone", on: 1, zone: zone) != nil)
        guard case .settled(_, goneCount: 1) = try tell(&household, zone, by: 2) else {
            Issue.record("the third device has computed what lives")
            return
        }
        #expect(try household.text("gone", on: 1, zone: zone) == nil)
        #expect(try household.text("kept", on: 1, zone: zone) != nil)
        #expect(try household.homes[1].store.zone(zone)?.isUnverified == false)
    }

    @Test func `believes the maker of a checkpoint if it has met no other peer for long`() throws {
        var (household, zone) = try histories()
        guard case .settled(_, goneCount: 1) = try tell(&household, zone, by: 0) else {
            Issue.record("nobody else is there who could say it")
            return
        }
        #expect(try household.text("gone", on: 1, zone: zone) == nil)
    }

    @Test func `believes the maker of a checkpoint if the maker is the only peer that it has met`() throws {
        var (household, zone) = try histories()
        let maker = household.homes[0].keys.deviceID
        try PeerMemory(household.committer(1)).met(maker, at: "a:1", in: &household.homes[1].store)
        guard case .settled(_, goneCount: 1) = try tell(&household, zone, by: 0) else {
            Issue.record("no other device could confirm it")
            return
        }
        #expect(try household.text("gone", on: 1, zone: zone) == nil)
    }
}
