import Capabilities
import Identity
import Records
import Sync
import Testing
import Wire

/// Guests' writes between real stores.
///
/// Bob may read Alice's zone, and may write only by its public access.
@Suite("Requests of guests of a public zone in sessions")
struct GuestSessionTests {
    private static let readCreate = PublicAccess(world: [], authenticated: [.read, .create], creator: .write)

    /// Alice has the devices 0 and 1, Bob 2, Carol 3.
    private func shared(_ access: PublicAccess = readCreate) throws -> (Street, ZoneID) {
        var street = try Street([2, 1, 1])
        let genesis = try street.makeZone(0)
        try street.write("hers", "alice", on: 0, zone: ZoneID(genesis))
        try street.share(genesis, .read, with: 2, by: 0)
        try street.open(genesis, to: access, by: 0)
        try street.join(genesis, of: 0, on: 2)
        return (street, ZoneID(genesis))
    }

    private func needsHost(_ writes: [RecordWrite], in street: Street, zone: ZoneID, on index: Int = 2) throws -> Bool {
        try GuestWrites(street.committer(index)).needsHost(writes, zone: zone, in: street.homes[index].store)
    }

    @Test func `a guest's record is written by the owner, reaches the guest, and names it as creator`() throws {
        var (street, zone) = try shared()
        try street.connect(2, 0)
        try street.pass(milliseconds: 10_000)
        try street.ask(1, [.note("a", "bob")], on: 2, zone: zone)
        try street.pass()
        #expect(street.refusals(1, on: 2) == [nil])
        #expect(try street.text("a", on: 0, zone: zone) == "bob" && street.text("a", on: 2, zone: zone) == "bob")
        try street.ask(2, [.note("a", "again"), .note("hers", "mine")], on: 2, zone: zone)
        try street.pass()
        #expect(street.refusals(2, on: 2) == [nil, .notAllowed])
        #expect(try street.text("a", on: 2, zone: zone) == "again" && street.text("hers", on: 0, zone: zone) == "alice")
        let bob = street.homes[2].keys.deviceID
        let logs = try street.homes[0].store.logs(zone: zone)
        #expect(!logs.contains { $0.device == bob && $0.size > 0 })
        #expect(try street.digests(zone, of: [0, 2]).count == 1)
    }

    @Test func `a stranger writes by the link alone, is not stored, and its sibling device has only public rights`()
        throws
    {
        var street = try Street([1, 2])
        let genesis = try street.makeZone(0)
        let zone = ZoneID(genesis)
        try street.write("hers", "alice", on: 0, zone: zone)
        try street.open(
            genesis,
            to: PublicAccess(world: [.read, .create], authenticated: .write, creator: .write),
            by: 0
        )
        for guest in [1, 2] {
            try street.open(genesis, of: 0, on: guest)
            try street.connect(guest, 0)
        }
        try street.pass(milliseconds: 10_000)
        #expect(try needsHost([.note("a", "bob")], in: street, zone: zone, on: 1))
        try street.ask(1, [.note("a", "bob"), .note("hers", "mine")], on: 1, zone: zone)
        try street.pass()
        #expect(street.refusals(1, on: 1) == [nil, .notAllowed])
        for index in 0...2 { #expect(try street.text("a", on: index, zone: zone) == "bob", "\(index)") }
        // The rights of known accounts are not for it, and the record belongs to its first device.
        try street.ask(1, [.note("a", "sibling")], on: 2, zone: zone)
        try street.ask(2, [.note("a", "again")], on: 1, zone: zone)
        try street.pass()
        #expect(street.refusals(1, on: 2) == [.notAllowed] && street.refusals(2, on: 1) == [nil])
        #expect(street.homes[0].contacts.isEmpty)
        #expect(try street.digests(zone, of: [0, 1, 2]).count == 1)
        // The zone is closed: the session ends, and nothing more is accepted.
        try street.open(genesis, to: .none, by: 0)
        try street.ask(3, [.note("b", "late")], on: 1, zone: zone)
        try street.pass(milliseconds: 10_000)
        #expect(try street.text("b", on: 0, zone: zone) == nil && !street.isConnected(0, 1))
        let late = street.homes[1].settled[3]
        #expect(late == .answered(.refused(.unknownZone)) || late == .unknown)
    }

    @Test func `a guest's request and its account log are not examined if the public may only read`() throws {
        var (street, zone) = try shared(PublicAccess(world: .read, authenticated: .read, creator: .read))
        // Bob takes part: his right may allow writes that others may not make, so the host is asked.
        try street.connect(2, 0)
        let genesis = try #require(try street.homes[0].store.zone(zone)?.genesis)
        try street.open(genesis, of: 0, on: 3)
        try street.connect(3, 0)
        try street.pass(milliseconds: 10_000)
        for guest in [2, 3] { try street.ask(1, [.note("a", "more")], on: guest, zone: zone) }
        try street.pass()
        #expect(street.refusals(1, on: 2) == [.notAllowed])
        #expect(street.homes[3].settled[1] == .answered(.refused(GuestRefusalCode.refused.rawValue)))
    }

    @Test func `the store reports which writes need a host`() throws {
        var (street, zone) = try shared()
        try street.connect(2, 0)
        try street.pass(milliseconds: 10_000)
        #expect(try needsHost([.note("a", "1")], in: street, zone: zone))
        // Nothing allows it: the store itself refuses.
        #expect(try !needsHost([.note("hers", "1")], in: street, zone: zone))
        #expect(try needsHost([.note("hers", "1"), .note("a", "1")], in: street, zone: zone))
        #expect(try !needsHost([.note("a", "1")], in: street, zone: zone, on: 0))
        try street.ask(1, [.note("a", "bob")], on: 2, zone: zone)
        try street.pass()
        #expect(try needsHost([.note("a", "2")], in: street, zone: zone))
        #expect(try needsHost([RecordWrite(name: "a", delete: true), .note("a", "2")], in: street, zone: zone))
        #expect(throws: ReplicaError.self) {
            try needsHost([.note("a", "1")], in: street, zone: ZoneID(Hash.zero.digest))
        }
    }

    @Test func `an account with write rights writes itself, one with append rights requests other changes`() throws {
        var street = try Street([1, 1])
        let genesis = try street.makeZone(0)
        let zone = ZoneID(genesis)
        try street.write("hers", "alice", on: 0, zone: zone)
        try street.share(genesis, .append, with: 1, by: 0)
        try street.open(genesis, to: PublicAccess(world: [], authenticated: .write, creator: []), by: 0)
        try street.join(genesis, of: 0, on: 1)
        try street.connect(0, 1)
        try street.pass(milliseconds: 10_000)
        #expect(try !needsHost([.note("a", "1")], in: street, zone: zone, on: 1))
        #expect(try needsHost([.note("hers", "1")], in: street, zone: zone, on: 1))
        try street.ask(1, [.note("hers", "changed"), .note("a", "made")], isAtomic: true, on: 1, zone: zone)
        try street.pass()
        #expect(street.refusals(1, on: 1) == [nil, nil])
        #expect(try street.text("hers", on: 1, zone: zone) == "changed")
        try street.share(genesis, .write, with: 1, by: 0)
        try street.pass()
        #expect(try !needsHost([.note("hers", "1")], in: street, zone: zone, on: 1))
    }

    @Test func `without a device that rules the zone no peer is asked`() throws {
        var (street, zone) = try shared()
        let genesis = try #require(try street.homes[0].store.zone(zone)).genesis
        try street.share(genesis, .write, with: 3, by: 0)
        try street.join(genesis, of: 0, on: 3)
        try street.learn(street.homes[3].log, on: 2)
        try street.learn(street.homes[2].log, on: 3)
        try street.connect(0, 2)
        try street.connect(0, 3)
        try street.connect(3, 2)
        try street.pass(milliseconds: 10_000)
        try street.disconnect(0, 2)
        try street.ask(1, [.note("a", "bob")], on: 2, zone: zone)
        #expect(street.homes[2].settled[1] == .unreachable)
        try street.connect(0, 2)
        try street.ask(2, [.note("a", "bob")], on: 2, zone: zone)
        try street.pass()
        #expect(street.refusals(2, on: 2) == [nil])
        #expect(try street.text("a", on: 3, zone: zone) == "bob")
    }

    @Test func `when a session ends, or no answer comes in time, the outcome of the writes is unknown`() throws {
        var (street, zone) = try shared()
        try street.connect(2, 0)
        try street.pass(milliseconds: 10_000)
        try street.ask(1, [.note("a", "bob")], on: 2, zone: zone)
        try street.disconnect(2, 0)
        #expect(street.homes[2].settled[1] == .unknown)
    }

    @Test func `a guest without read access cannot distinguish a zone from one that does not exist`() throws {
        // Every account may make records in a zone that none may read.
        let blind: PublicRights = [.create, .write]
        var (street, zone) = try shared(PublicAccess(world: blind, authenticated: blind, creator: blind))
        let genesis = try street.makeZone(0)
        try street.share(genesis, .write, with: 3, by: 0)
        try street.join(genesis, of: 0, on: 3)
        // Bob was revoked; Carol shares another zone with Alice, and knows this one's name.
        let bob = street.homes[2].log.account
        let grant = try #require(
            try street.controlState(zone, on: 0).participants[bob]?.capabilities.first
        )
        try street.change(0) { try ZoneSharing($0).revoke([grant], zone: zone, reason: "", in: &$2) }
        try street.connect(2, 0)
        try street.connect(3, 0)
        try street.pass(milliseconds: 1_000)
        let write = try RecordWrite.note("a", "1").forGuest()
        for index in [2, 3] {
            let unknown = ZoneID(Hash(Digest32(word0: 9, word1: 0, word2: 0, word3: 0)).digest)
            var answers: Set<GuestAnswer.Outcome> = []
            for (number, asked) in [(UInt64(1), zone), (2, unknown)] {
                let message = GuestWrite(number: number, zone: asked, isAtomic: false, writes: [write], entries: [])
                street.say(.guestWrite(message), from: index, to: 0)
            }
            try street.pass(milliseconds: 100)
            for case .guestAnswer(let answer) in street.heard[index] ?? [] { answers.insert(answer.outcome) }
            #expect(answers == [.refused(.unknownZone)], "\(index)")
            #expect(try street.text("a", on: 0, zone: zone) == nil)
        }
    }
}
