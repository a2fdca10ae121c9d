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

    @Test func `a new device becomes known to a sibling that learns of it only from guests`() throws {
        for isDialling in [true, false] {
            var (street, genesis) = try shared()
            let zone = ZoneID(genesis)
            try street.connect(0, 1)
            try street.pass(milliseconds: 10_000)
            try street.disconnect(0, 1)
            // Device 0 was away when 1 was added; Bob knows of it.
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

    @Test func `a peer without an account's log may pass on records of that account's new device`()
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

    @Test func `records from before the sharing arrive as soon as the zone is joined`() throws {
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

    @Test func `writes after the time of a right are not accepted from their author`() throws {
        var (street, genesis) = try shared()
        let end = street.homes[0].wall + 60_000
        let second = try street.makeZone(0)
        let zone = ZoneID(second)
        try street.share(second, .write, with: 2, by: 0, caveats: Caveats(expires: end))
        try street.join(second, of: 0, on: 2)
        try street.connect(0, 2)
        try street.pass(milliseconds: 10_000)
        street.homes[0].wall = end
        try street.write("late", "bob", on: 2, zone: zone)
        try street.pass(milliseconds: 200_000)
        #expect(try street.text("late", on: 0, zone: zone) == nil)
        try street.write("on", "bob", on: 2, zone: ZoneID(genesis))
        try street.pass(milliseconds: 1_000)
        #expect(try street.text("on", on: 0, zone: ZoneID(genesis)) == "bob")
        // Both clocks show it: nothing more is sent in vain.
        street.homes[2].wall = end
        try street.pass(milliseconds: 200_000)
        let count = street.heard[0]?.count ?? 0
        try street.pass(milliseconds: 600_000)
        let runs = street.heard[0]?.dropFirst(count).filter { if case .run = $0 { true } else { false } }
        #expect(runs?.count == 0)
    }

    @Test func `a right that begins while the two are connected is served from then on`() throws {
        var (street, _) = try shared()
        let begin = street.homes[0].wall + 60_000
        let second = try street.makeZone(0)
        let zone = ZoneID(second)
        try street.write("b", "alice", on: 0, zone: zone)
        try street.share(second, .write, with: 2, by: 0, caveats: Caveats(notBefore: begin))
        try street.join(second, of: 0, on: 2)
        try street.connect(0, 2)
        try street.pass(milliseconds: 10_000)
        #expect(try street.text("b", on: 2, zone: zone) == nil)
        for index in street.homes.indices { street.homes[index].wall = begin }
        try street.pass(milliseconds: 130_000)
        #expect(try street.text("b", on: 2, zone: zone) == "alice")
    }

    @Test func `a guest's devices use neither the places of the account's own devices nor all those of guests`() throws
    {
        var street = try Street([2, 70, 1])
        let genesis = try street.makeZone(0)
        try street.share(genesis, .read, with: 2, by: 0)
        try street.share(genesis, .read, with: 72, by: 0)
        for index in 2...72 { try street.join(genesis, of: 0, on: index) }
        for index in 2...72 { try street.connect(index, 0) }
        try street.pass(milliseconds: 1_000)
        try street.connect(1, 0)
        try street.pass(milliseconds: 1_000)
        let isConnected = [1, 2, 72].map { street.isConnected(0, $0) }
        #expect(isConnected == [true, true, true])
    }

    @Test func `a forged key of a zone is replaced by the right one`() throws {
        var (street, _) = try shared()
        let genesis = try street.makeZone(0)
        let zone = ZoneID(genesis)
        try street.write("b", "alice", on: 0, zone: zone)
        try street.share(genesis, .write, with: 2, by: 0)
        let madeUp = [UInt8](repeating: 7, count: 32)
        try street.change(2) { try ZoneLifecycle($0).join(genesis, tagKey: madeUp, in: &$2).notice }
        try street.connect(0, 2)
        try street.pass(milliseconds: 10_000)
        #expect(try street.text("b", on: 2, zone: zone) == nil)
        try street.join(genesis, of: 0, on: 2)
        try street.connect(0, 2)
        try street.pass(milliseconds: 10_000)
        #expect(try street.text("b", on: 2, zone: zone) == "alice")
        #expect(throws: ReplicaError.zoneMismatch(zone)) {
            try street.change(2) { try ZoneLifecycle($0).join(genesis, tagKey: madeUp, in: &$2).notice }
        }
    }

    @Test func `invented accounts are not requested at each message`() throws {
        var street = try Street([1, 1])
        let genesis = try street.makeZone(0)
        try street.share(genesis, .write, with: 1, by: 0)
        try street.join(genesis, of: 0, on: 1)
        try street.connect(0, 1)
        try street.pass()
        for number in 0..<50 {
            let log = try AccountLog.stranger(UInt64(number))
            try street.change(0) { committer, random, store in
                let terms = Capability.Terms(audience: log, rights: Rights(.read))
                return try ZoneSharing(committer).grant(terms, zone: ZoneID(genesis), random: &random, in: &store)
                    .notice
            }
            try street.pass(milliseconds: 500)
        }
        let asked = (street.heard[0] ?? []).filter { if case .accountHave = $0 { true } else { false } }
        #expect(asked.count < 120, "\(asked.count)")
    }
}

extension AccountLog {
    /// An account whose log no device has.
    fileprivate static func stranger(_ number: UInt64) throws -> AccountID {
        let bytes = (0..<32).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0 &* 7 &+ 1) }
        return try #require(AccountID(bytes))
    }
}
