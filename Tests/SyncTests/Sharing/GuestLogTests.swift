import Capabilities
import Identity
import Records
import TestSupport
import Testing
import Wire

@testable import Sync

/// Requests of guests whose account log does not fit into them.
@Suite("Account logs ahead of guests' requests")
struct GuestLogTests {
    private static let open = PublicAccess(world: [.read, .create], authenticated: [], creator: .write)

    private func lengthen(_ street: inout Street, _ index: Int) throws {
        var log = street.homes[index].log
        try log.lengthen(to: 3_000_000, by: street.homes[index].keys, using: &street.random)
        try street.takeBack(to: log, on: index)
    }

    @Test func `a stranger writes with a log of 3 MB, and is not kept`() throws {
        var street = try Street([1, 1])
        let genesis = try street.makeZone(0)
        let zone = ZoneID(genesis)
        try street.open(genesis, to: Self.open, by: 0)
        try street.open(genesis, of: 0, on: 1)
        try lengthen(&street, 1)
        try street.connect(1, 0)
        try street.pass(milliseconds: 10_000)
        for request in [UInt64(1), 2] {
            try street.ask(request, [.note("a", "\(request)")], on: 1, zone: zone)
            try street.pass()
            #expect(street.refusals(request, on: 1) == [nil])
            #expect(try street.text("a", on: 0, zone: zone) == "\(request)")
        }
        let carried = (street.heard[0] ?? []).compactMap { message -> Bool? in
            if case .guestWrite(let write) = message { write.entries.isEmpty } else { nil }
        }
        #expect(carried == [true, true])
        #expect(street.homes[0].contacts.isEmpty)
        #expect(street.homes[0].core.guests.logsByteCount == 0)
        #expect(try street.text("a", on: 1, zone: zone) == "2")
    }

    @Test func `a participant writes as a guest with a log of 3 MB`() throws {
        var street = try Street([1, 1])
        let genesis = try street.makeZone(0)
        let zone = ZoneID(genesis)
        try street.share(genesis, .read, with: 1, by: 0)
        try street.open(genesis, to: Self.open, by: 0)
        try street.join(genesis, of: 0, on: 1)
        try lengthen(&street, 1)
        try street.connect(1, 0)
        try street.pass(milliseconds: 10_000)
        try street.ask(1, [.note("a", "bob")], on: 1, zone: zone)
        try street.pass()
        #expect(street.refusals(1, on: 1) == [nil])
        #expect(try street.text("a", on: 0, zone: zone) == "bob")
    }

    @Test func `nothing of a stranger's log is held if strangers may not write`() throws {
        for access in [PublicAccess(world: .read, authenticated: .read, creator: .read), Self.open] {
            var bench = try LogBench(access)
            bench.hear(1, bench.ahead([100]))
            let isHeld = bench.core.guests.logsByteCount == 100
            #expect(isHeld == (access == Self.open))
        }
    }

    @Test func `a log with a gap, without an end, or without a request is none`() throws {
        var bench = try LogBench(Self.open)
        let log = bench.street.homes[1].log.entries
        for (number, ahead) in [(UInt64(1), [bench.entries(log, more: true)]), (2, [])] {
            for message in ahead { bench.hear(1, message) }
            let served = bench.hear(1, bench.request(number)).served
            #expect(served.map(\.entries) == [[]], "the driver refuses it for a bad account")
            bench.answer(1, number)
        }
        // Entries of another account's log are not held; entries of a log that grew before the request are replaced by it.
        bench.hear(1, bench.ahead([100], of: 2))
        #expect(bench.core.guests.logsByteCount == 0)
        bench.hear(1, bench.ahead([100], more: false))
        bench.hear(1, bench.entries(log, more: false))
        #expect(bench.hear(1, bench.request(3)).served.map(\.entries) == [log])
        bench.answer(1, 3)
        bench.hear(1, bench.ahead([100], more: false))
        let own = bench.hear(1, bench.request(4, entries: log)).served
        #expect(own.map(\.entries) == [log] && bench.core.guests.logsByteCount == 0)
    }

    @Test func `more than an account log has ends the session`() throws {
        var bench = try LogBench(Self.open)
        let many = [Int](repeating: 1, count: AccountLog.entryCountMax)
        #expect(bench.hear(1, bench.ahead(many)).closed.isEmpty)
        #expect(bench.hear(1, bench.ahead([1])).closed == [1: .violation])
        #expect(bench.hear(2, bench.ahead([], of: 2)).closed == [2: .violation])
        bench.feed(.tick)
        #expect(bench.core.guests.logsByteCount == 0)
    }

    @Test func `a log whose request does not follow in time is dropped`() throws {
        var bench = try LogBench(Self.open)
        bench.hear(1, bench.ahead([100]))
        bench.now += bench.core.limits.strangerPartsMilliseconds - 1
        bench.hear(1, bench.ahead([100]))
        #expect(bench.core.guests.logsByteCount == 200)
        #expect(bench.core.nextDeadline.map { $0 <= bench.now + 1 } == true)
        bench.now += 1
        bench.feed(.tick)
        #expect(bench.core.guests.logsByteCount == 0)
    }

    @Test func `of all sessions together no more is held than may be, until the requests are answered`() throws {
        var bench = try LogBench(Self.open, room: 1_000)
        bench.hear(1, bench.ahead([600], more: false))
        #expect(bench.hear(1, bench.request(1)).served.count == 1)
        // Behind one that is being decided.
        bench.hear(1, bench.ahead([300], more: false))
        bench.hear(1, bench.request(2))
        #expect(bench.core.guests.logsByteCount == 900)
        bench.hear(2, bench.ahead([101], of: 2))
        #expect(bench.core.guests.logsByteCount == 900)
        bench.hear(2, bench.ahead([101], of: 2, more: false))
        let refused = bench.hear(2, bench.request(1))
        #expect(refused.served.isEmpty)
        #expect(refused.messages(to: 2) == [.guestAnswer(GuestAnswer(number: 1, .refused(.busy)))])
        // A log that fits its request takes none of the room.
        #expect(bench.hear(2, bench.request(2, entries: [[1]])).served.count == 1)
        // The driver still has what it looks into after the session has ended.
        bench.feed(.closed(1))
        #expect(bench.core.guests.logsByteCount == 600)
        bench.answer(1, 1)
        #expect(bench.core.guests.logsByteCount == 0)
    }
}

/// A core of a device of Alice's beside the stores of a street, in whose sessions the number is the device's place; the others are
/// strangers.
private struct LogBench {
    var street: Street
    var core: SyncCore
    var now: UInt64 = 1_000_000
    let zone: ZoneID

    init(_ access: PublicAccess, room: Int = SyncLimits().guestLogsByteCountMax) throws {
        street = try Street([1, 1, 1])
        let genesis = try street.makeZone(0)
        zone = ZoneID(genesis)
        try street.open(genesis, to: access, by: 0)
        var limits = SyncLimits()
        limits.guestLogsByteCountMax = room
        let alice = street.homes[0]
        core = SyncCore(
            localDevice: alice.keys.deviceID,
            incarnation: try #require(try alice.store.incarnation()),
            account: alice.log.account,
            limits: limits
        )
        let standings = Standing.all(in: alice.log.state)
        feed(.accountChanged(heads: alice.log.announcedHeads, standings: standings))
        for authority in try ZoneViews(street.committer(0)).authorities(alice.store) { feed(.rightsChanged(authority)) }
        for snapshot in try ZoneViews(street.committer(0)).snapshots(alice.store) {
            feed(.zoneChanged(snapshot, before: [:]))
        }
        for guest in [1, 2] {
            let opening = SessionOpening(
                session: SessionID(guest),
                device: street.homes[guest].keys.deviceID,
                account: street.homes[guest].log.account,
                standing: .unknown,
                accountHeads: street.homes[guest].log.announcedHeads,
                binding: [UInt8](repeating: UInt8(guest), count: 32),
                isInitiator: false
            )
            feed(.opened(opening))
        }
    }

    @discardableResult
    mutating func feed(_ input: SyncInput) -> [SyncEffect] {
        var effects: [SyncEffect] = []
        let wall = street.homes[0].wall
        core.handle(input, at: now, wall: wall, random: &street.random, into: &effects)
        return effects
    }

    @discardableResult
    mutating func hear(_ guest: Int, _ message: PeerMessage) -> [SyncEffect] {
        feed(.received(SessionID(guest), message, byteCount: 100))
    }

    mutating func answer(_ guest: Int, _ number: UInt64) {
        feed(.guestWriteServed(SessionID(guest), zone, number: number, .refused(.badAccount)))
    }

    func request(_ number: UInt64, entries: [[UInt8]] = []) -> PeerMessage {
        let writes = [GuestRecordWrite(name: "a", type: "note")]
        return .guestWrite(
            GuestWrite(number: number, zone: zone, isAtomic: false, writes: writes, entries: entries)
        )
    }

    /// Entries of a guest's log.
    func entries(_ entries: [[UInt8]], of guest: Int = 1, more: Bool) -> PeerMessage {
        .accountEntries(AccountEntries(account: street.homes[guest].log.account, entries: entries, more: more))
    }

    /// Bytes that are no entries, as if they were of a guest's log.
    func ahead(_ sizes: [Int], of guest: Int = 1, more: Bool = true) -> PeerMessage {
        entries(sizes.map { [UInt8](repeating: 1, count: $0) }, of: guest, more: more)
    }
}

extension [SyncEffect] {
    /// The requests that are to be decided.
    fileprivate var served: [GuestWrite] {
        compactMap { if case .serveGuestWrite(_, let write) = $0 { write } else { nil } }
    }
}
