import Testing
import Wire

@testable import Sync

@Suite struct `The upkeep of a zone` {
    private static let day: UInt64 = 24 * 60 * 60 * 1_000

    private func founded() throws -> (household: Household, zone: ZoneID) {
        var household = try Household(1)
        let (zone, _) = try ZoneLifecycle(household.committer(0)).create(
            household.genesis(),
            in: &household.homes[0].store
        )
        return (household, zone)
    }

    /// Returns the checkpoint that a round of maintenance makes now.
    private func checkpoint(_ zone: ZoneID, _ household: inout Household) throws -> Checkpoint? {
        let upkeep = CheckpointUpkeep(household.committer(0))
        return try upkeep.settle(zone, in: &household.homes[0].store).checkpoint
    }

    @Test func `makes the next checkpoint a day after the last one, and not before`() throws {
        var (household, zone) = try founded()
        try household.write("a", "1", on: 0, zone: zone)
        household.homes[0].wall += Self.day
        #expect(try checkpoint(zone, &household) != nil)
        let made = household.homes[0].wall
        #expect(try household.homes[0].store.upkeep(zone: zone).checkpointMilliseconds == made)
        try household.write("a", "2", on: 0, zone: zone)
        household.homes[0].wall = made + Self.day - 1
        #expect(try checkpoint(zone, &household) == nil)
        household.homes[0].wall = made + Self.day
        #expect(try checkpoint(zone, &household) != nil)
    }

    @Test func `leaves work to the next round if its facts change each time that it is computed`() {
        var round = CheckpointRound()
        let steps = (0..<4).map { _ in round.goesOn(after: .stale) }
        #expect(steps.first == true)
        #expect(steps.last == false)
    }

    @Test func `reports in the feed that a zone without a place there has got one, once`() throws {
        var (household, zone) = try founded()
        func ruled() throws -> CommitNotice {
            try AccountUpkeep(household.committer(0)).applyCuts(in: &household.homes[0].store)
        }
        _ = try ruled()
        #expect(try ruled().feed.isEmpty)
        // As in a store from before zones had places in the feed.
        household.homes[0].store.notes.marks[zone] = nil
        #expect(try ruled().feed == .others)
        #expect(try household.homes[0].store.feedMark(zone)?.place == .own)
        #expect(try ruled().feed.isEmpty)
    }
}
