import Records
import Sync
import Testing
import Wire

/// The records that daemons write by themselves in the zones of programs, which are left out for programs.
@Suite struct `A reader of programs' records` {
    private func founded() throws -> (Household, ZoneID) {
        var household = try Household(1)
        let zone = try ZoneLifecycle(household.committer(0)).create(
            household.genesis("a"),
            in: &household.homes[0].store
        ).zone
        return (household, zone)
    }

    private func write(_ writes: [RecordWrite], _ zone: ZoneID, _ household: inout Household) throws {
        let author = household.committer(0)
        _ = try author.commit([WriteRequest(writes)], zone: zone, in: &household.homes[0].store)
    }

    private struct Told: Equatable {
        var names: [String] = []
        var gone: [String] = []
        var more = false
        var token = ""
    }

    private func read(
        _ view: FeedView,
        since token: String?,
        limit: Int = 100,
        _ household: Household
    ) throws -> Told {
        let store = household.homes[0].store
        var reader = try FeedReader(view, since: token, in: store)
        let page = try reader.read(limit: limit, by: household.committer(0), in: store)
        var told = Told(more: page.more, token: page.token.text(of: view))
        for entry in page.entries {
            switch entry.news {
            case .record(let change):
                if change.record.isDeleted {
                    told.gone.append(change.record.name)
                } else {
                    told.names.append(change.record.name)
                }
            case .outside(let change): told.gone.append(change.record.name)
            case .zone, .departed: break
            }
        }
        return told
    }

    @Test func `receives no change of another one, and its position moves past them`() throws {
        var (household, zone) = try founded()
        try write([RecordWrite(name: "a", type: "note")], zone, &household)
        try write((0..<5).map { RecordWrite(name: "message/\($0)", type: ReservedType.message) }, zone, &household)
        try write([RecordWrite(name: "prekey/x", type: ReservedType.prekey)], zone, &household)
        let first = try read(FeedView(), since: nil, household)
        #expect(first.names == ["a"] && first.gone.isEmpty && !first.more)
        // The place is at the end, not before the hidden records: none is looked at twice.
        let store = household.homes[0].store
        let token = try #require(FeedToken(first.token, for: FeedView()))
        #expect(token.position == FeedPosition(try store.newestPosition()))

        try write([RecordWrite(name: "message/9", type: ReservedType.message)], zone, &household)
        let hidden = try read(FeedView(), since: first.token, household)
        #expect(hidden.names.isEmpty && !hidden.more && hidden.token != first.token)
        try write(
            [RecordWrite(name: "b", type: "note"), RecordWrite(name: "message/9", delete: true)],
            zone,
            &household
        )
        let last = try read(FeedView(), since: hidden.token, household)
        #expect(last.names == ["b"] && last.gone.isEmpty)

        let all = try read(FeedView(audience: .everything), since: nil, household)
        #expect(all.names.count == 8 && all.gone == ["message/9"])
        #expect(throws: FeedTokenExpired.self) { try read(FeedView(), since: all.token, household) }
        #expect(throws: FeedTokenExpired.self) {
            try read(FeedView(audience: .everything), since: last.token, household)
        }
    }

    @Test func `looks at a bounded number of records for one page`() throws {
        var (household, zone) = try founded()
        let count = FeedReader.lookCountMax + 10
        for begin in stride(from: 0, to: count, by: 500) {
            let names = begin..<min(begin + 500, count)
            try write(names.map { RecordWrite(name: "m\($0)", type: ReservedType.message) }, zone, &household)
        }
        try write([RecordWrite(name: "z", type: "note")], zone, &household)
        let first = try read(FeedView(), since: nil, limit: 1_000, household)
        #expect(first.names.isEmpty && first.more)
        let second = try read(FeedView(), since: first.token, limit: 1_000, household)
        #expect(second.names == ["z"] && !second.more)

        var listing = RecordListing(zone: zone, audience: .programs, after: nil)
        let store = household.homes[0].store
        let page = try listing.page(limit: 10, in: store) { _ in true }
        #expect(page.records.isEmpty && page.more)
        let rest = try listing.page(limit: 10, in: store) { _ in true }
        #expect(rest.records.map(\.name) == ["z"] && !rest.more)
    }

    @Test func `learns of the removal of a record that became internal`() throws {
        var (household, zone) = try founded()
        try write([RecordWrite(name: "a", type: "note")], zone, &household)
        let first = try read(FeedView(), since: nil, household)
        #expect(first.names == ["a"])
        try write([RecordWrite(name: "a", delete: true)], zone, &household)
        try write([RecordWrite(name: "a", type: ReservedType.receipt)], zone, &household)
        #expect(try read(FeedView(), since: first.token, household).gone == ["a"])
    }

    @Test func `lists and counts its own alone`() throws {
        var (household, zone) = try founded()
        try write([RecordWrite(name: "a", type: "note"), RecordWrite(name: "z", type: "kairan")], zone, &household)
        try write([RecordWrite(name: "message/1", type: ReservedType.message)], zone, &household)
        try write([RecordWrite(name: "prekey/x", type: ReservedType.prekey)], zone, &household)
        let store = household.homes[0].store
        var listing = RecordListing(zone: zone, audience: .programs, after: nil)
        #expect(try listing.page(limit: 10, in: store) { _ in true }.records.map(\.name) == ["a", "z"])
        var all = RecordListing(zone: zone, audience: .everything, after: nil)
        #expect(try all.page(limit: 10, in: store) { _ in true }.records.count == 4)
        let totals = try store.reservedTotals(zone: zone)
        #expect(try store.programRecordCount(zone: zone) == 2 && totals.count == 2)
        #expect(totals.messageByteCount > 0 && totals.messageByteCount < totals.byteCount)
        let limited = try store.limitedByteCount(zone: zone)
        #expect(try limited == store.programByteCount(zone: zone) + totals.messageByteCount)
    }
}
