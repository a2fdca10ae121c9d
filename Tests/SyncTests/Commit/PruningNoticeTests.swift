import Records
import Sync
import Testing
import Wire

@Suite struct `A step that prunes one operation` {
    @Test func `is announced as a change of the store, also where more are left to prune`() throws {
        var household = try Household(1)
        let genesis = household.genesis()
        let zone = try ZoneLifecycle(household.committer(0)).create(genesis, in: &household.homes[0].store).zone
        for index in 0..<9 { try household.write("r", "\(index)", on: 0, zone: zone) }
        household.homes[0].wall += 2 * 24 * 60 * 60 * 1_000
        let upkeep = CheckpointUpkeep(household.committer(0))
        let settled = try upkeep.settle(zone, in: &household.homes[0].store)
        #expect(settled.checkpoint != nil)
        let step = try #require(
            try upkeep.pruningStep(of: zone, after: nil, limit: 1, in: household.homes[0].store)
        )
        #expect(try upkeep.prune(step, in: &household.homes[0].store).number != nil)
        let rest = try upkeep.pruningStep(of: zone, after: nil, limit: 9, in: household.homes[0].store)
        #expect(rest?.records.count == 1, "more of the record is left")
    }
}
