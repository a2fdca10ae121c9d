import Records
import Sync
import Testing
import Wire

/// Everyone may make records in Alice's zone, and Bob may write all of them while his right is in its time.
@Suite struct `A host for a member of a public zone` {
    /// Whether Bob needs one to make a record.
    private func isNeeded(_ caveats: Caveats) throws -> Bool {
        var neighbours = try Neighbours([1, 1])
        let zone = try neighbours.zone(of: 0)
        _ = try neighbours.grant(.write, to: 1, by: 0, caveats: caveats, zone: zone)
        let access = PublicAccess(world: [.read, .create], authenticated: [], creator: [])
        try neighbours.change(0) { _ = try ZoneSharing($0).setPublicAccess(access, zone: zone, in: &$2) }
        try neighbours.exchange(zone)
        let writes = [RecordWrite.note("a", "1")]
        return try GuestWrites(neighbours.committer(1)).needsHost(writes, zone: zone, in: neighbours.homes[1].store)
    }

    @Test func `is needed before its right begins and after it ends, and not in between`() throws {
        let now = try Neighbours([1]).homes[0].wall
        #expect(try !isNeeded(Caveats()))
        #expect(try isNeeded(Caveats(notBefore: now + 1)))
        #expect(try !isNeeded(Caveats(notBefore: now)))
        #expect(try !isNeeded(Caveats(expires: now + 1)))
        #expect(try isNeeded(Caveats(expires: now)))
    }
}
