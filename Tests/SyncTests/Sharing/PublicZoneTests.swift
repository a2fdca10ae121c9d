import Capabilities
import Identity
import Records
import Sync
import Testing
import Wire

@Suite("Public zones")
struct PublicZoneTests {
    /// Alice has the devices 0 and 1, Bob 2 and 3, Carol 4; the zone is Alice's, all accounts may read it, and no
    /// account knows another.
    private func opened() throws -> (Street, ZoneGenesis) {
        var street = try Street([2, 2, 1])
        let genesis = try street.makeZone(0)
        try street.write("a", "alice", on: 0, zone: ZoneID(genesis))
        try street.publish(genesis, world: .read, by: 0)
        try street.open(genesis, of: 0, on: 2)
        return (street, genesis)
    }

    @Test func `a guest with the link gets the zone and its changes, and no trace of the guest is kept`() throws {
        var (street, genesis) = try opened()
        let zone = ZoneID(genesis)
        try street.connect(2, 0)
        try street.pass(milliseconds: 10_000)
        #expect(try street.text("a", on: 2, zone: zone) == "alice")
        try street.write("a", "again", on: 0, zone: zone)
        try street.pass(milliseconds: 1_000)
        #expect(try street.text("a", on: 2, zone: zone) == "again")
        #expect(try street.digests(zone, of: [0, 2]).count == 1)
        #expect(street.homes[0].contacts.isEmpty)
        #expect(try street.homes[0].store.acknowledgements(zone: zone).isEmpty)
        #expect(street.isConnected(0, 2), "as long as it is public")
    }

    @Test func `a guest learns nothing of other zones, whether private or shared`() throws {
        var (street, genesis) = try opened()
        let diary = try street.makeZone(0)
        try street.write("diary", "alice", on: 0, zone: ZoneID(diary))
        let shared = try street.makeZone(0)
        try street.share(shared, .write, with: 4, by: 0)
        try street.connect(2, 0)
        try street.pass(milliseconds: 10_000)
        try street.write("diary", "again", on: 0, zone: ZoneID(diary))
        try street.write("b", "for carol", on: 0, zone: ZoneID(shared))
        try street.pass(milliseconds: 70_000)
        #expect(Set((street.told[2] ?? []).map(\.zone)) == [ZoneID(genesis)])
        #expect(street.homes[2].offers.isEmpty)
        #expect(Set(street.homes[2].contacts.keys) == [street.homes[0].log.account])
    }

    @Test func `each device of a guest reads for itself, until the account takes part`() throws {
        var (street, genesis) = try opened()
        let zone = ZoneID(genesis)
        try street.connect(2, 3)
        try street.connect(2, 0)
        try street.pass(milliseconds: 70_000)
        #expect(try street.homes[3].store.zone(zone) == nil)
        try street.open(genesis, of: 0, on: 3)
        try street.pass(milliseconds: 70_000)
        #expect(try street.text("a", on: 3, zone: zone) == nil, "from a member, and not from each other")
        // This one learns from its own other device alone that the account takes part.
        try street.share(genesis, .write, with: 2, by: 0)
        try street.pass(milliseconds: 70_000)
        #expect(try street.text("a", on: 3, zone: zone) == "alice")
        try street.write("b", "bob", on: 3, zone: zone)
        try street.pass(milliseconds: 10_000)
        #expect(try street.digests(zone, of: [0, 2, 3]).count == 1)
    }

    @Test func `a guest cannot write, and its operations are refused`() throws {
        var (street, genesis) = try opened()
        let zone = ZoneID(genesis)
        try street.connect(2, 0)
        try street.pass()
        #expect(throws: CommitError.self) { try street.write("b", "bob", on: 2, zone: zone) }
        // A zone of its own, the log of an account, and a run of the zone itself.
        let own = try street.makeZone(2)
        try street.write("mine", "bob", on: 2, zone: ZoneID(own))
        let tagKey = try street.homes[2].store.zone(ZoneID(own))?.tagKey ?? []
        street.say(.zoneTerms(ZoneTerms(genesis: own, tagKey: tagKey)), from: 2, to: 0)
        for log in [street.homes[2].log, street.homes[4].log] {
            for message in AccountEntries.messages(log.entries, account: log.account) {
                street.say(.accountEntries(message), from: 2, to: 0)
            }
        }
        for log in try street.homes[2].store.logs(zone: ZoneID(own)) {
            let run = try RunExchange(street.committer(2)).run(
                log.key,
                from: 0,
                byteCount: 9_999,
                in: street.homes[2].store
            )
            if let run { street.say(.run(run), from: 2, to: 0) }
        }
        try street.pass(milliseconds: 10_000)
        #expect(street.homes[0].offers.isEmpty && street.homes[0].contacts.isEmpty)
        #expect(try street.homes[0].store.zones().map(\.id) == [zone])
        #expect(street.isConnected(0, 2))
    }

    @Test func `when the zone becomes private the session ends within five seconds, and nothing else is sent`() throws {
        var (street, genesis) = try opened()
        let zone = ZoneID(genesis)
        try street.connect(2, 0)
        try street.pass()
        try street.publish(genesis, by: 0)
        try street.write("secret", "alice", on: 0, zone: zone)
        try street.pass(milliseconds: 4_900)
        #expect(!street.isConnected(0, 2))
        #expect(try street.text("secret", on: 2, zone: zone) == nil)
        #expect(try street.text("a", on: 2, zone: zone) == "alice", "what was read stays")
        try street.connect(2, 0)
        try street.pass(milliseconds: 15_000)
        #expect(!street.isConnected(0, 2))
        #expect(try street.text("secret", on: 2, zone: zone) == nil)
    }

    @Test func `a zone for known accounts is offered to those, and strangers with its link get nothing`() throws {
        var street = try Street([1, 1, 1])
        let shared = try street.makeZone(0)
        try street.share(shared, .read, with: 1, by: 0)
        try street.join(shared, of: 0, on: 1)
        let genesis = try street.makeZone(0)
        let zone = ZoneID(genesis)
        try street.write("a", "alice", on: 0, zone: zone)
        try street.publish(genesis, authenticated: .read, by: 0)
        try street.connect(0, 1)
        try street.pass()
        #expect(street.homes[1].offers.map(\.genesis) == [genesis])
        for index in [1, 2] { try street.open(genesis, of: 0, on: index) }
        try street.connect(2, 0)
        try street.pass(milliseconds: 20_000)
        #expect(try street.text("a", on: 1, zone: zone) == "alice")
        #expect(try street.text("a", on: 2, zone: zone) == nil)
        #expect(street.told[2] == nil && !street.isConnected(0, 2))
    }

    @Test func `a guest that is granted a right participates, on all its devices`() throws {
        var (street, genesis) = try opened()
        let zone = ZoneID(genesis)
        try street.connect(2, 0)
        try street.connect(2, 3)
        try street.pass()
        try street.share(genesis, .write, with: 2, by: 0)
        try street.pass()
        try street.write("b", "bob", on: 3, zone: zone)
        try street.pass(milliseconds: 10_000)
        #expect(try street.text("b", on: 0, zone: zone) == "bob")
        #expect(try street.digests(zone, of: [0, 2, 3]).count == 1)
    }

    @Test func `a revoked account still reads a public zone, and its late writes are quarantined`() throws {
        var street = try Street([2, 1])
        let genesis = try street.makeZone(0)
        let zone = ZoneID(genesis)
        let capability = try street.share(genesis, .write, with: 2, by: 0)
        try street.join(genesis, of: 0, on: 2)
        try street.connect(0, 2)
        try street.pass()
        try street.disconnect(0, 2)
        try street.publish(genesis, world: .read, by: 0)
        try street.change(0) { try ZoneSharing($0).revoke([capability], zone: zone, reason: "out", in: &$2) }
        try street.write("late", "bob", on: 2, zone: zone)
        try street.connect(2, 0)
        try street.pass(milliseconds: 10_000)
        try street.write("a", "alice", on: 0, zone: zone)
        try street.pass(milliseconds: 10_000)
        #expect(try street.text("a", on: 2, zone: zone) == "alice")
        #expect(try street.text("late", on: 0, zone: zone) == nil)
        #expect(try Quarantine(of: zone).entries(limit: 99, in: street.homes[0].store).count == 1)
    }

    @Test
    func `a zone that is not read any longer does not come back by itself, and comes back whole when it is opened`()
        throws
    {
        var (street, genesis) = try opened()
        let zone = ZoneID(genesis)
        try street.connect(2, 0)
        try street.connect(2, 3)
        try street.pass()
        try street.change(2) { try ZoneLifecycle($0).forget(zone, in: &$2) }
        try street.write("a", "again", on: 0, zone: zone)
        try street.pass(milliseconds: 10_000)
        #expect(!street.isConnected(0, 2), "nothing else is shared")
        try street.disconnect(2, 3)
        try street.connect(2, 3)
        try street.pass(milliseconds: 70_000)
        let committer = street.committer(2)
        #expect(try street.homes[2].store.zone(zone).map(committer.isCurrent) == false)
        #expect(try street.text("a", on: 2, zone: zone) == "alice")
        try street.open(genesis, of: 0, on: 2)
        try street.connect(0, 2)
        try street.pass()
        #expect(try street.text("a", on: 2, zone: zone) == "again")
    }

    @Test func `a participant of a zone does not forget it`() throws {
        var (street, genesis) = try opened()
        #expect(throws: CommitError.self) {
            try street.change(0) { try ZoneLifecycle($0).forget(ZoneID(genesis), in: &$2) }
        }
        try street.share(genesis, .read, with: 4, by: 0)
        try street.join(genesis, of: 0, on: 4)
        try street.connect(4, 0)
        try street.pass()
        #expect(throws: CommitError.self) {
            try street.change(4) { try ZoneLifecycle($0).forget(ZoneID(genesis), in: &$2) }
        }
    }

    @Test func `a stranger that claims another account learns nothing more when that account joins`()
        throws
    {
        var street = try Street([1, 1, 1])
        let genesis = try street.makeZone(0)
        try street.publish(genesis, world: .read, by: 0)
        try street.open(genesis, of: 0, on: 1)
        // The second device claims in the handshake to be of the third one's account.
        try street.connect(1, 0, as: street.homes[2].log)
        try street.pass()
        let secret = try street.makeZone(0)
        try street.share(secret, .admin, with: 2, by: 0)
        try street.write("secret", "alice", on: 0, zone: ZoneID(secret))
        try street.pass(milliseconds: 70_000)
        #expect(!(street.told[1] ?? []).contains { $0.zone == ZoneID(secret) }, "not even who takes part")
        #expect(street.homes[1].offers.isEmpty)
    }

    @Test func `strangers do not take the places of participants`() throws {
        var street = try Street(Array(repeating: 1, count: 22))
        let genesis = try street.makeZone(0)
        try street.publish(genesis, world: .read, by: 0)
        try street.share(genesis, .read, with: 21, by: 0)
        try street.join(genesis, of: 0, on: 21)
        for index in 1...20 {
            try street.open(genesis, of: 0, on: index)
            try street.connect(index, 0)
        }
        try street.connect(21, 0)
        try street.pass(milliseconds: 1_000)
        #expect((1...20).count { street.isConnected($0, 0) } == 16)
        #expect(street.isConnected(21, 0))
    }
}
