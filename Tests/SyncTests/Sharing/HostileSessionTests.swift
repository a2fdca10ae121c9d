import Capabilities
import Identity
import Records
import Sync
import Testing
import Wire

@Suite("Sessions between accounts that go wrong")
struct HostileSessionTests {
    /// Alice has the devices 0 and 1, Bob 2, Carol 3; the zone is Alice's and Bob has joined it.
    private func shared(_ caveats: Caveats = Caveats()) throws -> (Street, ZoneGenesis) {
        var street = try Street([2, 1, 1])
        let genesis = try street.makeZone(0)
        try street.write("a", "alice", on: 0, zone: ZoneID(genesis))
        try street.share(genesis, .write, with: 2, by: 0, caveats: caveats)
        try street.join(genesis, of: 0, on: 2)
        return (street, genesis)
    }

    @Test func `a device that is new in its account is known to another one that only guests have told`() throws {
        for isDialling in [true, false] {
            var (street, genesis) = try shared()
            let zone = ZoneID(genesis)
            try street.connect(0, 1)
            try street.pass(milliseconds: 10_000)
            try street.disconnect(0, 1)
            // Device 0 was away when 1 was added; Bob has heard of it.
            let entry = try #require(street.homes[0].log.entries.first)
            try street.takeBack(to: AccountLog(genesis: entry), on: 0)
            try street.connect(1, 2)
            try street.write("b", "new", on: 1, zone: zone)
            try street.pass()
            #expect(try street.text("b", on: 2, zone: zone) == "new")
            try isDialling ? street.connect(2, 0) : street.connect(0, 2)
            try street.pass(milliseconds: 10_000)
            #expect(try street.text("b", on: 0, zone: zone) == "new")
            #expect(street.homes[0].closed.isEmpty && street.homes[2].closed.isEmpty)
        }
    }

    @Test func `whoever has lost an account's log and passes on what its new device wrote is not put out for that`()
        throws
    {
        var (street, genesis) = try shared()
        let zone = ZoneID(genesis)
        try street.connect(1, 2)
        try street.connect(0, 1)
        try street.pass(milliseconds: 10_000)
        try street.disconnect(0, 1)
        let entry = try #require(street.homes[0].log.entries.first)
        let account = street.homes[0].log.account
        try street.takeBack(to: AccountLog(genesis: entry), on: 0)
        try street.write("b", "new", on: 1, zone: zone)
        try street.pass()
        try street.disconnect(1, 2)
        try street.forget(account, on: 2)
        try street.connect(2, 0)
        try street.pass(milliseconds: 10_000)
        #expect(street.homes[0].closed.isEmpty && street.homes[2].closed.isEmpty)
        try street.connect(0, 1)
        try street.pass(milliseconds: 10_000)
        for index in 0..<3 { #expect(try street.text("b", on: index, zone: zone) == "new", "\(index)") }
    }

    @Test func `what was written before a zone was shared comes as soon as it is joined`() throws {
        var (street, _) = try shared()
        try street.connect(0, 2)
        try street.pass(milliseconds: 10_000)
        let second = try street.makeZone(0)
        try street.write("b", "alice", on: 0, zone: ZoneID(second))
        try street.pass(milliseconds: 10_000)
        try street.share(second, .write, with: 2, by: 0)
        try street.pass(milliseconds: 8_000)
        try street.join(second, of: 0, on: 2)
        try street.pass(milliseconds: 1_000)
        #expect(try street.text("b", on: 2, zone: ZoneID(second)) == "alice")
    }
}
