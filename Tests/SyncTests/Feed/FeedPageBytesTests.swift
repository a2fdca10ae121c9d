import Records
import Sync
import Testing
import Wire

@Suite struct `A page of the feed with a limit of bytes` {
    @Test func `ends with the record that reaches the limit exactly`() throws {
        var household = try Household(1)
        let genesis = household.genesis()
        let zone = try ZoneLifecycle(household.committer(0)).create(genesis, in: &household.homes[0].store).zone
        for name in ["a", "b", "c"] { try household.write(name, "1", on: 0, zone: zone) }
        let store = household.homes[0].store
        let sizes = try store.changes(zone: zone, after: 0, limit: 9).map(\.record.body.count)
        let first = try #require(sizes.first)
        var reader = try FeedReader(FeedView(), since: nil, in: store)
        let page = try reader.read(limit: 100, byteCount: first, by: household.committer(0), in: store)
        #expect(page.records.map(\.record.name) == ["a"] && page.more)
        let rest = try reader.read(limit: 100, by: household.committer(0), in: store)
        #expect(rest.records.map(\.record.name) == ["b", "c"] && !rest.more)
    }
}
