import Records
import Sync
import TestSupport
import Testing
import Wire

/// The pruning of operations that are not in the live set of a zone's adopted checkpoint.
@Suite struct `A pruning pass` {
    private static let day: UInt64 = 24 * 60 * 60 * 1_000

    /// One device that has written a record a few times, and adopted a checkpoint.
    private func histories(_ count: Int) throws -> (household: Household, zone: ZoneID) {
        var household = try Household(1)
        let (zone, _) = try ZoneLifecycle(household.committer(0)).create(
            household.genesis(),
            in: &household.homes[0].store
        )
        for index in 0..<count { try household.write("r", "\(index)", on: 0, zone: zone) }
        household.homes[0].wall += 2 * Self.day
        let settled = try CheckpointUpkeep(household.committer(0)).settle(zone, in: &household.homes[0].store)
        #expect(settled.checkpoint != nil)
        return (household, zone)
    }

    private func gapCount(_ household: Household, _ zone: ZoneID) throws -> Int {
        let store = household.homes[0].store
        return try store.logs(zone: zone).filter { $0.key.lane == .data }.reduce(0) { count, row in
            count
                + (try store.items(row.key, from: 0, to: row.size)
                    .count { if case .gap = $0.content { true } else { false } })
        }
    }

    @Test func `comes behind the transaction that adopts, and ends with a note`() throws {
        var (household, zone) = try histories(9)
        #expect(try gapCount(household, zone) == 0)
        let committer = household.committer(0)
        #expect(try CheckpointUpkeep(committer).pruneAll(zone, limit: 3, in: &household.homes[0].store) == 3)
        #expect(try gapCount(household, zone) == 1)
        #expect(try household.text("r", on: 0, zone: zone) == .string("8"))
        #expect(try CheckpointUpkeep(committer).pruningStep(of: zone, after: nil, in: household.homes[0].store) == nil)
    }

    @Test func `continues after a crash from the present state`() throws {
        var (household, zone) = try histories(9)
        let committer = household.committer(0)
        let step = try #require(
            try CheckpointUpkeep(committer).pruningStep(of: zone, after: nil, limit: 3, in: household.homes[0].store)
        )
        #expect(try CheckpointUpkeep(committer).prune(step, in: &household.homes[0].store).number != nil)
        // The note is not there, so the pass begins anew, and finds only the rest.
        #expect(try CheckpointUpkeep(committer).pruneAll(zone, limit: 3, in: &household.homes[0].store) == 2)
        #expect(try CheckpointUpkeep(committer).pruneAll(zone, in: &household.homes[0].store) == 0)
    }

    @Test func `begins again under the next checkpoint`() throws {
        var (household, zone) = try histories(3)
        try CheckpointUpkeep(household.committer(0)).pruneAll(zone, in: &household.homes[0].store)
        try household.write("r", "later", on: 0, zone: zone)
        household.homes[0].wall += 2 * Self.day
        #expect(
            try CheckpointUpkeep(household.committer(0)).settle(zone, in: &household.homes[0].store).checkpoint != nil
        )
        #expect(try CheckpointUpkeep(household.committer(0)).pruneAll(zone, in: &household.homes[0].store) == 1)
        #expect(try household.text("r", on: 0, zone: zone) == .string("later"))
    }
}
