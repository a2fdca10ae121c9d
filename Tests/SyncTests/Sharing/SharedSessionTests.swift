import Capabilities
import Identity
import Records
import Sync
import Testing
import Wire

@Suite("Sessions between accounts")
struct SharedSessionTests {
    /// Alice has the devices 0 and 1, Bob 2 and 3, Carol 4; the zone is Alice's and Bob has joined it.
    private func shared(_ level: AccessLevel = .write) throws -> (Street, ZoneGenesis, Hash) {
        var street = try Street([2, 2, 1])
        let genesis = try street.makeZone(0)
        try street.write("a", "alice", on: 0, zone: ZoneID(genesis))
        let capability = try street.share(genesis, level, with: 2, by: 0)
        try street.join(genesis, of: 0, on: 2)
        return (street, genesis, capability)
    }

    private func expectApart(_ street: Street, _ pair: (Int, Int), _ location: SourceLocation = #_sourceLocation) {
        let isConnected = street.isConnected(pair.0, pair.1)
        #expect(!isConnected, sourceLocation: location)
    }

    @Test func `a joined account gets the zone and writes to it, on all devices of both accounts`() throws {
        var (street, genesis, _) = try shared()
        let zone = ZoneID(genesis)
        try street.connect(0, 1)
        try street.connect(2, 0)
        try street.connect(2, 3)
        try street.pass(milliseconds: 10_000)
        for index in 0..<4 { #expect(try street.text("a", on: index, zone: zone) == "alice", "\(index)") }
        try street.write("a", "bob", on: 3, zone: zone)
        try street.pass(milliseconds: 10_000)
        for index in 0..<4 { #expect(try street.text("a", on: index, zone: zone) == "bob", "\(index)") }
        #expect(try street.digests(zone, of: [0, 1, 2, 3]).count == 1)
    }

    @Test func `a guest learns nothing of other zones`() throws {
        var (street, genesis, _) = try shared()
        let own = try street.makeZone(0)
        try street.write("diary", "alice", on: 0, zone: ZoneID(own))
        let other = try street.makeZone(0)
        try street.share(other, .write, with: 4, by: 0)
        try street.connect(0, 2)
        try street.pass(milliseconds: 10_000)
        try street.write("diary", "again", on: 0, zone: ZoneID(own))
        try street.write("b", "for carol", on: 0, zone: ZoneID(other))
        try street.pass(milliseconds: 70_000)
        #expect(Set((street.told[2] ?? []).map(\.zone)) == [ZoneID(genesis)])
        #expect(try street.homes[2].store.zones().map(\.id) == [ZoneID(genesis)])
        #expect(street.homes[2].offers.isEmpty && street.homes[2].contacts.count == 1)
    }

    @Test func `a zone that is shared while the two are connected is offered, and accepted only by people`() throws {
        var (street, _, _) = try shared()
        try street.connect(0, 2)
        try street.pass()
        let second = try street.makeZone(0)
        try street.share(second, .read, with: 2, by: 0)
        try street.pass()
        #expect(street.homes[2].offers.map(\.genesis) == [second])
        #expect(try street.homes[2].store.zone(ZoneID(second)) == nil)
        try street.write("b", "alice", on: 0, zone: ZoneID(second))
        try street.join(second, of: 0, on: 2)
        try street.pass()
        #expect(try street.text("b", on: 2, zone: ZoneID(second)) == "alice")
    }

    @Test func `a guest whose right has ended learns only the reason, and the session ends within five seconds`()
        throws
    {
        var (street, genesis, capability) = try shared()
        let zone = ZoneID(genesis)
        try street.connect(0, 2)
        try street.pass()
        try street.change(0) { try ZoneSharing($0).revoke([capability], zone: zone, reason: "out", in: &$2) }
        try street.write("secret", "alice", on: 0, zone: zone)
        try street.pass(milliseconds: 4_900)
        expectApart(street, (0, 2))
        #expect(street.homes[0].closed.contains(.refused) || street.homes[2].closed.contains(.refused))
        #expect(try street.text("secret", on: 2, zone: zone) == nil)
        let state = try street.controlState(zone, on: 2)
        #expect(state.participants.isEmpty, "it knows that it is out")
        // Asking again helps nothing.
        try street.connect(2, 0)
        try street.pass(milliseconds: 4_900)
        expectApart(street, (0, 2))
        #expect(try street.text("secret", on: 2, zone: zone) == nil)
    }

    @Test func `records written without a right have no effect and are passed on to devices that decide`() throws {
        var (street, genesis, capability) = try shared()
        let zone = ZoneID(genesis)
        try street.connect(0, 1)
        try street.connect(0, 2)
        try street.pass()
        try street.write("b", "bob", on: 2, zone: zone)
        try street.pass()
        try street.disconnect(0, 2)
        try street.change(0) { try ZoneSharing($0).revoke([capability], zone: zone, reason: "out", in: &$2) }
        street.homes[2].wall -= 1_000_000_000
        for number in 0..<3 { try street.write("late \(number)", "bob", on: 2, zone: zone) }
        try street.write("b", "late", on: 2, zone: zone)
        try street.connect(2, 0)
        try street.pass()
        for index in 0..<2 { #expect(try street.text("b", on: index, zone: zone) == "bob") }
        for index in 0..<3 { #expect(try street.text("late 0", on: index, zone: zone) == nil) }
        #expect(try street.digests(zone, of: [0, 1]).count == 1)
        let kept = try Quarantine(of: zone).entries(limit: 99, in: street.homes[0].store)
        #expect(kept.count == 4)
    }

    @Test func `members learn of each other's accounts and devices through any member that knows them`() throws {
        var (street, genesis, _) = try shared()
        let zone = ZoneID(genesis)
        try street.share(genesis, .write, with: 4, by: 0)
        try street.join(genesis, of: 0, on: 4)
        try street.connect(0, 2)
        try street.connect(0, 4)
        try street.pass()
        try street.write("c", "carol", on: 4, zone: zone)
        try street.pass(milliseconds: 10_000)
        #expect(try street.text("c", on: 2, zone: zone) == "carol", "Bob has Carol's log from Alice")
        try street.disconnect(0, 2)
        try street.disconnect(0, 4)
        try street.connect(2, 4)
        try street.write("d", "bob", on: 2, zone: zone)
        try street.pass()
        #expect(try street.text("d", on: 4, zone: zone) == "bob", "they need nobody between them")
    }

    @Test func `a device that its account has removed loses access to zones of other accounts as well`() throws {
        var (street, genesis, _) = try shared()
        let zone = ZoneID(genesis)
        try street.connect(2, 3)
        try street.connect(0, 2)
        try street.pass()
        try street.connect(0, 3)
        try street.pass(milliseconds: 10_000)
        #expect(try street.text("a", on: 3, zone: zone) == "alice")
        let isConnected = street.isConnected(0, 3)
        #expect(isConnected)
        try street.remove(3, by: 2)
        try street.pass(milliseconds: 4_900)
        expectApart(street, (0, 3))
        expectApart(street, (2, 3))
        let stays = street.isConnected(0, 2)
        #expect(stays)
    }

    @Test func `reading ends with the time of the right, by the clock of the serving device`() throws {
        var street = try Street([1, 1])
        let genesis = try street.makeZone(0)
        let zone = ZoneID(genesis)
        let end = street.homes[0].wall + 60_000
        try street.share(genesis, .read, with: 1, by: 0, caveats: Caveats(expires: end))
        try street.join(genesis, of: 0, on: 1)
        try street.connect(0, 1)
        try street.write("a", "before", on: 0, zone: zone)
        try street.pass()
        street.homes[0].wall = end
        street.homes[1].wall = 0
        try street.write("b", "after", on: 0, zone: zone)
        try street.pass(milliseconds: 70_000)
        #expect(try street.text("a", on: 1, zone: zone) == "before")
        #expect(try street.text("b", on: 1, zone: zone) == nil)
        expectApart(street, (0, 1))
    }

    @Test func `a lost log is requested in the next session, whichever side dials`() throws {
        for isDialling in [true, false] {
            var (street, genesis, _) = try shared()
            let zone = ZoneID(genesis)
            try street.share(genesis, .write, with: 4, by: 0)
            try street.join(genesis, of: 0, on: 4)
            try street.connect(0, 2)
            try street.connect(0, 4)
            try street.pass()
            let carol = street.homes[4].log.account
            try street.disconnect(0, 2)
            try street.forget(carol, on: 2)
            try street.write("c", "carol", on: 4, zone: zone)
            try street.pass()
            try isDialling ? street.connect(2, 0) : street.connect(0, 2)
            try street.pass(milliseconds: 10_000)
            #expect(try street.text("c", on: 2, zone: zone) == "carol")
        }
    }
}
