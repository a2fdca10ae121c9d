import Identity
import Records
import Sync
import TestSupport
import Testing
import Wire

/// Work on checkpoints that is computed in a snapshot, and done in a transaction that reads little.
@Suite struct `Work on checkpoints` {
    private static let day: UInt64 = 24 * 60 * 60 * 1_000

    /// Makes two devices; the first one holds everything that the second one has acknowledged, and leaves all work on
    /// checkpoints to snapshots.
    private func founded(_ count: Int = 3) throws -> (household: Household, zone: ZoneID) {
        var household = try Household(2)
        household.homes[0].soonAdoptedCount = 0
        let (zone, _) = try ZoneLifecycle(household.committer(0)).create(
            household.genesis(),
            in: &household.homes[0].store
        )
        _ = try AccountUpkeep(household.committer(0)).applyCuts(in: &household.homes[0].store)
        for index in 0..<count { try household.write("a", "\(index)", on: 0, zone: zone) }
        household.homes[0].wall += 2 * Self.day
        try acknowledge(&household, zone)
        return (household, zone)
    }

    private func acknowledge(_ household: inout Household, _ zone: ZoneID) throws {
        let logs = try household.homes[0].store.logs(zone: zone)
        let sizes = Dictionary(uniqueKeysWithValues: logs.map { ($0.key, $0.size) })
        let other = household.homes[1].keys.deviceID
        try PeerMemory(household.committer(0)).acknowledged(by: other, sizes, in: &household.homes[0].store)
    }

    private func work(_ household: Household, _ zone: ZoneID, on index: Int = 0) throws -> CheckpointWork {
        try #require(try CheckpointUpkeep(household.committer(index)).work(on: zone, in: household.homes[index].store))
    }

    /// A store that has the rows of a zone and none of its operations of data.
    private func bare(_ store: MemoryStore, _ zone: ZoneID) throws -> MemoryStore {
        var store = store
        for row in try store.logs(zone: zone) where row.key.lane == .data {
            let items = try store.items(row.key, from: 0, to: row.size)
            #expect(!items.isEmpty)
            try store.replace(row.key, first: items.map(\.first), with: [])
        }
        return store
    }

    @Test func `takes effect with later writes, and the checkpoint covers the snapshot`() throws {
        var (household, zone) = try founded()
        let made = try work(household, zone)
        try household.write("b", "meanwhile", on: 0, zone: zone)
        var done = try CheckpointUpkeep(household.committer(0)).perform(made, in: &household.homes[0].store)
        let checkpoint = try #require(done.reply.checkpoint)
        #expect(checkpoint.logs.filter { $0.lane == .data }.map(\.size) == [3])
        #expect(try household.homes[0].store.zone(zone)?.adopted == nil)
        let adoption = try work(household, zone)
        try household.write("c", "meanwhile", on: 0, zone: zone)
        done = try CheckpointUpkeep(household.committer(0)).perform(adoption, in: &household.homes[0].store)
        #expect(done.reply == .done)
        #expect(try household.homes[0].store.zone(zone)?.adopted == checkpoint)
        #expect(try CheckpointUpkeep(household.committer(0)).work(on: zone, in: household.homes[0].store) == nil)
    }

    @Test func `is done without reading an operation of the zone`() throws {
        var (household, zone) = try founded(200)
        let made = try work(household, zone)
        var bare = try bare(household.homes[0].store, zone)
        let done = try CheckpointUpkeep(household.committer(0)).perform(made, in: &bare)
        let there = try CheckpointUpkeep(household.committer(0)).perform(made, in: &household.homes[0].store).reply
        let checkpoint = try #require(there.checkpoint)
        #expect(done.reply == .made(checkpoint))
        let adoption = try work(household, zone)
        bare = try self.bare(household.homes[0].store, zone)
        #expect(try CheckpointUpkeep(household.committer(0)).perform(adoption, in: &bare).reply == .done)
        #expect(try bare.zone(zone)?.adopted == checkpoint)
    }

    @Test func `is left to snapshots where the zone is large, and done at once where it is small`() throws {
        var (household, zone) = try founded()
        try household.pull(zone, from: 0, to: 1)
        #expect(
            try CheckpointUpkeep(household.committer(0)).settle(zone, in: &household.homes[0].store).checkpoint != nil
        )
        let adopted = try #require(try household.homes[0].store.zone(zone)?.adopted)
        var other = household
        try household.pull(zone, from: 0, to: 1)
        #expect(try household.homes[1].store.zone(zone)?.adopted == adopted)
        // Four leaves are held.
        other.homes[1].soonAdoptedCount = 3
        try other.pull(zone, from: 0, to: 1)
        #expect(try other.homes[1].store.zone(zone)?.adopted == nil)
        _ = try CheckpointUpkeep(other.committer(1)).settle(zone, in: &other.homes[1].store)
        #expect(try other.homes[1].store.zone(zone)?.adopted == adopted)
    }

    // MARK: Stale work

    /// Performs stale work, and expects that it changes nothing.
    private func expectStale(_ work: CheckpointWork, _ household: Household, on index: Int = 0) throws {
        var store = household.homes[index].store
        let done = try CheckpointUpkeep(household.committer(index)).perform(work, in: &store)
        #expect(done.reply == .stale)
        #expect(done.notice.number == nil)
        let names = try [store, household.homes[index].store].map { try $0.zone(work.zone) }
        #expect(names[0] == names[1])
        #expect(try store.logs(zone: work.zone) == household.homes[index].store.logs(zone: work.zone))
    }

    @Test func `is not done twice`() throws {
        var (household, zone) = try founded()
        let made = try work(household, zone)
        _ = try CheckpointUpkeep(household.committer(0)).perform(made, in: &household.homes[0].store)
        try expectStale(made, household)
    }

    @Test func `is computed anew when a device is not a member any more`() throws {
        var (household, zone) = try founded()
        let made = try work(household, zone)
        let removal = try household.homes[0].log.removingDevice(
            household.homes[1].keys.deviceID,
            witness: household.homes[0].keys.deviceID,
            signer: .device(household.homes[0].keys),
            using: &household.random
        )
        try household.homes[0].log.insert(removal.encoded)
        try expectStale(made, household)
    }

    @Test func `is computed anew when another device is not waited for any more`() throws {
        var (household, zone) = try founded()
        let made = try work(household, zone)
        household.homes[0].wall += DeviceTimes.lapseMilliseconds
        try expectStale(made, household)
    }

    @Test func `is computed anew when less is acknowledged than it goes by`() throws {
        var (household, zone) = try founded()
        try household.write("b", "1", on: 0, zone: zone)
        let before = household.homes[0].store
        try acknowledge(&household, zone)
        let made = try work(household, zone)
        household.homes[0].store = before
        try expectStale(made, household)
    }

    @Test func `is computed anew when another checkpoint was noted`() throws {
        var (household, zone) = try founded()
        let made = try work(household, zone)
        var upkeep = try household.homes[0].store.upkeep(zone: zone)
        upkeep.checkpointMilliseconds = 1
        try household.homes[0].store.save(upkeep)
        try expectStale(made, household)
    }

    @Test func `is computed anew after a log was forked`() throws {
        var (household, zone) = try founded()
        let made = try work(household, zone)
        let copy = household.homes[0].store
        try household.write("x", "here", on: 0, zone: zone)
        let mine = household.homes[0].store
        household.homes[0].store = copy
        try household.write("x", "there", on: 0, zone: zone)
        let row = try #require(try household.homes[0].store.logs(zone: zone).first { $0.key.lane == .data })
        let theirs = household.homes[0].store
        let run = try #require(
            try RunExchange(household.committer(0)).run(row.key, from: 0, byteCount: 1 << 20, in: theirs)
        )
        household.homes[0].store = mine
        let (_, outcome) = household.apply(run, key: row.key, on: 0)
        guard case .fork = outcome else { Issue.record("\(outcome)"); return }
        try expectStale(made, household)
    }

    // MARK: Records that a complete zone no longer shows

    /// Makes two devices; the second one was away while the first one deleted records and made checkpoints until the
    /// deletions were pruned.
    ///
    /// It has fetched the rest, and computed nothing.
    private func away(_ count: Int) throws -> (household: Household, zone: ZoneID) {
        var household = try Household(2)
        let (zone, _) = try ZoneLifecycle(household.committer(0)).create(
            household.genesis(),
            in: &household.homes[0].store
        )
        let names = (0..<count).map { "gone\($0)" }
        for name in names + ["kept"] { try household.write(name, "1", on: 0, zone: zone) }
        try household.pull(zone, from: 0, to: 1)
        let away = household.homes[1].keys.deviceID
        household.homes[1].soonAdoptedCount = 0
        try PeerMemory(household.committer(0)).met(away, at: "a:1", in: &household.homes[0].store)
        for index in household.homes.indices { household.homes[index].wall += 100 * Self.day }
        let deletions = names.map { WriteRequest([RecordWrite(name: $0, delete: true)]) }
        _ = try household.committer(0).commit(deletions, zone: zone, in: &household.homes[0].store)
        for version in 1...2 {
            try household.write("new", "\(version)", on: 0, zone: zone)
            household.homes[0].wall += 2 * Self.day
            let settled = try CheckpointUpkeep(household.committer(0)).settle(zone, in: &household.homes[0].store)
            #expect(settled.checkpoint != nil)
            try CheckpointUpkeep(household.committer(0)).pruneAll(zone, in: &household.homes[0].store)
        }
        try household.pull(zone, from: 0, to: 1)
        #expect(try household.homes[1].store.zone(zone)?.isUnverified == true)
        return (household, zone)
    }

    private func tell(_ household: inout Household, _ zone: ZoneID) throws {
        let page = try LiveSetRequest(zone: zone).page(in: household.homes[0].store)
        let comparison = LiveSetComparison(zone: zone, teller: household.homes[0].keys.deviceID)
        let outcome = try LiveSetIntake(household.committer(1)).take(
            page,
            comparison: comparison,
            in: &household.homes[1].store
        ).reply
        guard case .settled = outcome else { Issue.record("\(outcome)"); return }
    }

    private func shownCount(_ household: Household, _ zone: ZoneID) throws -> Int {
        try household.homes[1].store.records(zone: zone, after: nil, limit: 1_000).records.count
    }

    @Test func `is computed anew after a peer has sent a live set`() throws {
        var (household, zone) = try away(3)
        // By the held operations alone the checkpoint does not agree, and would not be asked again.
        let refusal = try work(household, zone, on: 1)
        try tell(&household, zone)
        try expectStale(refusal, household, on: 1)
        while let work = try CheckpointUpkeep(household.committer(1)).work(on: zone, in: household.homes[1].store) {
            _ = try CheckpointUpkeep(household.committer(1)).perform(work, in: &household.homes[1].store)
        }
        #expect(try household.homes[1].store.zone(zone)?.isUnverified == false)
        #expect(try shownCount(household, zone) == 2)
    }

    @Test func `stops showing some records at a time of which nothing lives`() throws {
        var (household, zone) = try away(200)
        try tell(&household, zone)
        let adoption = try work(household, zone, on: 1)
        #expect(
            try CheckpointUpkeep(household.committer(1)).perform(adoption, in: &household.homes[1].store).reply == .done
        )
        #expect(try household.homes[1].store.zone(zone)?.isUnverified == false)
        #expect(try shownCount(household, zone) == 202)
        var counts: [Int] = []
        while let work = try CheckpointUpkeep(household.committer(1)).work(on: zone, in: household.homes[1].store) {
            // A record that is written meanwhile is none of them.
            if counts.isEmpty { try household.write("gone0", "again", on: 1, zone: zone) }
            let notice = try CheckpointUpkeep(household.committer(1)).perform(work, in: &household.homes[1].store)
                .notice
            #expect(!notice.feed.isEmpty && notice.number != nil)
            counts.append(try shownCount(household, zone))
        }
        #expect(counts == [107, 11, 3])
        #expect(try household.text("gone0", on: 1, zone: zone) == .string("again"))
        #expect(try household.text("kept", on: 1, zone: zone) == .string("1"))
    }
}
