import Identity
import Records
import Sync
import Testing
import Wire

/// A device whose store is rolled back to an image, with nothing that shows it.
@Suite struct `A store that was rolled back unnoticed and continued to write` {
    /// Makes a household of two; the first one's store is rolled back behind operations that the second one has put
    /// under a checkpoint.
    private func setBack() throws -> (household: Household, zone: ZoneID, key: LogKey) {
        var household = try Household(2)
        let zone = try ZoneLifecycle(household.committer(0)).create(household.genesis(), in: &household.homes[0].store)
            .0
        let key = LogKey(
            zone: zone,
            actor: try household.committer(0).author(in: zone, household.homes[0].store).actor,
            lane: .data
        )
        for text in ["1", "2"] { try household.write("a", text, on: 0, zone: zone) }
        try household.pull(zone, from: 0, to: 1)
        let other = household.homes[1].keys.deviceID
        try PeerMemory(household.committer(0)).acknowledged(by: other, [key: 2], in: &household.homes[0].store)
        let image = household.homes[0].store
        for index in 3..<12 { try household.write("a", "\(index)", on: 0, zone: zone) }
        try household.pull(zone, from: 0, to: 1)
        household.homes[1].wall += 24 * 60 * 60 * 1_000
        let settled = try CheckpointUpkeep(household.committer(1)).settle(zone, in: &household.homes[1].store)
        #expect(settled.checkpoint != nil)
        try CheckpointUpkeep(household.committer(1)).pruneAll(zone, in: &household.homes[1].store)
        household.homes[0].store = image
        for name in ["a", "new"] { try household.write(name, "mine", on: 0, zone: zone) }
        return (household, zone, key)
    }

    private func requireBoth(_ household: Household, _ zone: ZoneID) throws {
        for index in 0..<2 {
            #expect(try household.text("new", on: index, zone: zone) == .string("mine"))
            let store = household.homes[index].store
            let row = try store.record(zone: zone, tag: try RecordTag(of: "a", zone: zone, in: store))
            let values = try row?.content().field(named: "text")?.entries.map(\.value) ?? []
            #expect(Set(values) == [.string("mine"), .string("11")])
        }
    }

    @Test(arguments: [false, true])
    func `loses nothing when no peer can prove the fork, whether it first gets a head or a run`(isTold: Bool) throws {
        var (household, zone, key) = try setBack()
        if isTold {
            let head = try #require(try household.homes[1].store.head(key, atOrBelow: 11))
            let notice = try RollbackRecovery(household.committer(0)).renewIfBehind(
                head.signed,
                random: &household.random,
                in: &household.homes[0].store
            )
            #expect(notice.renewed != nil)
            // Acknowledgements from then on are about the other history.
            let other = household.homes[1].keys.deviceID
            try PeerMemory(household.committer(0)).acknowledged(by: other, [key: 4], in: &household.homes[0].store)
        }
        try household.pull(zone, from: 1, to: 0)
        #expect(try household.committer(0).author(in: zone, household.homes[0].store).actor != key.actor)
        try household.pull(zone, from: 0, to: 1)
        try requireBoth(household, zone)
        // The log is the others' from now on: replaced once more, none of it is written again.
        let renewed = try household.homes[0].store.logs(zone: zone).filter { $0.key.actor != key.actor }
        #expect(renewed.filter { $0.device == household.homes[0].keys.deviceID }.map(\.size) == [2])
        #expect(
            try ZoneViews(household.committer(0)).snapshots(household.homes[0].store)
                == ZoneViews(household.committer(1)).snapshots(household.homes[1].store)
        )
    }
}
