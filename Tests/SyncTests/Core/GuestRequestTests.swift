import Capabilities
import Identity
import Records
import Sodium
import Testing
import Wire

@testable import Sync

/// The core's handling of guests' requests, one input after the other.
@Suite("The core as a guest and as a ruler of a public zone")
struct GuestRequestTests {
    // MARK: As the ruler

    @Test func `one request of a session is served at a time, in the order of the numbers`() throws {
        var bench = try GuestBench(ruling: true)
        #expect(bench.hear(2, bench.request(1)).served == [1])
        #expect(bench.hear(2, bench.request(2)).served.isEmpty)
        #expect(bench.hear(3, bench.request(1)).served == [1])
        let effects = bench.feed(.guestWriteServed(2, bench.zone, number: 1, .refused(.refused)))
        #expect(effects.answers(to: 2) == [GuestAnswer(number: 1, .refused(.refused))])
        #expect(effects.served == [2])
        #expect(bench.feed(.guestWriteServed(2, bench.zone, number: 2, .decided([]))).served.isEmpty)
    }

    @Test func `a request with a long account log arrives in parts, and is served when it is complete`() throws {
        var bench = try GuestBench(ruling: true)
        let half = [UInt8](repeating: 1, count: 262_144)
        let request = GuestWrite(
            number: 1,
            zone: bench.zone,
            isAtomic: false,
            writes: [
                GuestRecordWrite(
                    name: "a",
                    type: "note",
                    set: [.init(field: "f", value: .bytes([UInt8](repeating: 1, count: 490_000)))]
                )
            ],
            entries: [half, half]
        )
        let parts = try PeerMessage.guestWrite(request).outgoingEncodings().map { try PeerMessage(decoding: $0) }
        #expect(parts.count == 17)
        for part in parts.dropLast() { #expect(bench.hear(2, part).isEmpty) }
        let effects = bench.hear(2, parts[16])
        #expect(effects.contains { if case .serveGuestWrite(2, request) = $0 { true } else { false } })
    }

    @Test func `the same number gets the same answer, and nothing is done twice`() throws {
        var bench = try GuestBench(ruling: true)
        bench.hear(2, bench.request(7))
        #expect(bench.hear(2, bench.request(7)).served.isEmpty)
        let answer = GuestAnswer(number: 7, .decided([.refused(.notAllowed)]))
        bench.feed(.guestWriteServed(2, bench.zone, number: 7, answer.outcome))
        let again = bench.hear(2, bench.request(7))
        #expect(again.served.isEmpty && again.answers(to: 2) == [answer])
        // An answer to a request that was never made goes to no session.
        #expect(bench.feed(.guestWriteServed(2, bench.zone, number: 7, .refused(.busy))).answers(to: 2).isEmpty)
        #expect(bench.hear(2, bench.request(6)).closed == [2: .violation])
    }

    @Test func `requests beyond the waiting places are refused as busy, and each session has one place`() throws {
        var limits = SyncLimits()
        limits.guestWaitingCountMax = 2
        var bench = try GuestBench(ruling: true, limits: limits)
        for number in 1...3 { #expect(bench.hear(2, bench.request(UInt64(number))).answers(to: 2).isEmpty) }
        let busy = bench.hear(2, bench.request(4))
        #expect(busy.answers(to: 2) == [GuestAnswer(number: 4, .refused(.busy))])
        #expect(bench.hear(3, bench.request(1)).served == [1])
        #expect(bench.hear(3, bench.request(2)).answers(to: 3) == [GuestAnswer(number: 2, .refused(.busy))])
        // A session that ends frees its places.
        bench.feed(.closed(2))
        #expect(bench.hear(3, bench.request(3)).answers(to: 3).isEmpty)
        #expect(bench.feed(.guestWriteServed(2, bench.zone, number: 1, .refused(.refused))).isEmpty)
        #expect(bench.feed(.guestWriteServed(3, bench.zone, number: 1, .refused(.refused))).served == [3])
    }

    @Test func `a head of our own log is examined although a guest returns it, and its run is not taken`() throws {
        var bench = try GuestBench(ruling: true)
        bench.openGuest(9)
        let effects = bench.hear(9, .run(try bench.ownRun(beyond: 3)))
        #expect(effects.examined == [try bench.ownRun(beyond: 3).signedHead])
        #expect(effects.appliedKeys.isEmpty)
        // A liar makes no work without a bound.
        let more = try (4...400).flatMap { bench.hear(9, .run(try bench.ownRun(beyond: $0))).examined }
        #expect(more.count == 255)
    }

    @Test func `a waiting request is decided by the sender's rights at that time`() throws {
        var bench = try GuestBench(ruling: true)
        bench.hear(2, bench.request(1))
        bench.hear(2, bench.request(2))
        try bench.revoke()
        let effects = bench.feed(.guestWriteServed(2, bench.zone, number: 1, .decided([.refused(.notAllowed)])))
        #expect(effects.served.isEmpty)
        let expected = [GuestAnswer(number: 1, .refused(.uncertain)), GuestAnswer(number: 2, .refused(.unknownZone))]
        #expect(effects.answers(to: 2) == expected)
    }

    @Test func `devices of the own account are no guests, and zones that are not here are not known`() throws {
        var bench = try GuestBench(ruling: true)
        let unknown = [GuestAnswer(number: 1, .refused(.unknownZone))]
        #expect(bench.hear(1, bench.request(1)).answers(to: 1) == unknown)
        let elsewhere = bench.request(1, zone: ZoneID(Hash.zero.digest))
        #expect(bench.hear(2, elsewhere).answers(to: 2) == unknown)
    }

    // MARK: As the guest

    @Test func `the nearest device that rules the zone is asked, and the next one if that is busy`() throws {
        var bench = try GuestBench(ruling: false)
        bench.measure(0, 40)
        bench.measure(1, 10)
        #expect(bench.ask(5).requests.map(\.session) == [1])
        let next = bench.hear(1, .guestAnswer(GuestAnswer(number: 1, .refused(.busy))))
        #expect(next.requests.map(\.session) == [0] && next.settled.isEmpty)
        let last = bench.hear(0, .guestAnswer(GuestAnswer(number: 2, .refused(.notHere))))
        #expect(last.settled == [5: .answered(.refused(.notHere))] && last.requests.isEmpty)
    }

    @Test func `an answer is accepted only from the asked peer, once`() throws {
        var bench = try GuestBench(ruling: false)
        let asked = try #require(bench.ask(5).requests.first)
        let answer = GuestAnswer(number: asked.number, .decided([.refused(.notFound)]))
        #expect(bench.hear(1 - Int(asked.session), .guestAnswer(answer)).isQuiet)
        #expect(bench.hear(Int(asked.session), .guestAnswer(GuestAnswer(number: 99, answer.outcome))).isQuiet)
        #expect(bench.hear(Int(asked.session), .guestAnswer(answer)).settled == [5: .answered(answer.outcome)])
        #expect(bench.hear(Int(asked.session), .guestAnswer(answer)).isQuiet)
    }

    @Test func `a plain no ends it, also one that is not known`() throws {
        var bench = try GuestBench(ruling: false)
        for code in [GuestRefusalCode.refused.rawValue, GuestRefusalCode.uncertain.rawValue, 200] {
            let asked = try #require(bench.ask(UInt64(code)).requests.first)
            let heard = bench.hear(Int(asked.session), .guestAnswer(GuestAnswer(number: asked.number, .refused(code))))
            #expect(heard.settled == [UInt64(code): .answered(.refused(code))])
        }
    }

    @Test func `an answer to writes that were not requested breaks the protocol`() throws {
        var bench = try GuestBench(ruling: false)
        let asked = try #require(bench.ask(5).requests.first)
        let heard = bench.hear(Int(asked.session), .guestAnswer(GuestAnswer(number: asked.number, .decided([]))))
        #expect(heard.closed == [asked.session: .violation])
        #expect(heard.settled == [5: .unknown])
    }

    @Test func `without an answer it is given up in time`() throws {
        var bench = try GuestBench(ruling: false)
        let asked = try #require(bench.ask(5).requests.first)
        bench.now += bench.core.limits.guestWriteMilliseconds - 1
        #expect(bench.feed(.tick).settled.isEmpty)
        #expect(bench.core.nextDeadline == bench.now + 1)
        bench.now += 1
        #expect(bench.feed(.tick).settled == [5: .unknown])
        let late = GuestAnswer(number: asked.number, .refused(.refused))
        #expect(bench.hear(Int(asked.session), .guestAnswer(late)).isQuiet)
    }

    @Test func `a log that does not fit precedes the request, to each asked device, and has more time`()
        throws
    {
        var bench = try GuestBench(ruling: false)
        let log = [[UInt8]](repeating: [UInt8](repeating: 1, count: 200_000), count: 3)
        let entries = log.enumerated().map { place, entry in
            PeerMessage.accountEntries(
                AccountEntries(account: bench.account, entries: [entry], more: place < 2)
            )
        }
        let effects = bench.ask(5, entries: log)
        let asked = try #require(effects.requests.first)
        let sent = effects.messages(to: Int(asked.session))
        #expect(Array(sent.prefix(3)) == entries && sent.count == 4)
        let next = bench.hear(Int(asked.session), .guestAnswer(GuestAnswer(number: asked.number, .refused(.busy))))
        let other = try #require(next.requests.first)
        #expect(other.session != asked.session && next.messages(to: Int(other.session)).count == 4)
        bench.now += 39_999
        #expect(bench.feed(.tick).settled.isEmpty)
        bench.now += 1
        #expect(bench.feed(.tick).settled == [5: .unknown])
    }

    @Test func `as many are on their way as may, and none without a session`() throws {
        var limits = SyncLimits()
        limits.guestOrderCountMax = 2
        var bench = try GuestBench(ruling: false, limits: limits)
        #expect(bench.ask(1).settled.isEmpty && bench.ask(2).settled.isEmpty)
        #expect(bench.ask(3).settled == [3: .busy])
        #expect(
            bench.feed(.closed(0)).settled.merging(bench.feed(.closed(1)).settled) { $1 } == [1: .unknown, 2: .unknown]
        )
        #expect(bench.ask(4).settled == [4: .unreachable])
    }
}

/// A core beside stores of Alice (0, 1), Bob (2) and Carol (3), in whose sessions the number is the device's place.
///
/// Alice owns the zone; the others may read it, and every account may make records.
private struct GuestBench {
    var neighbours: Neighbours
    var core: SyncCore
    var now: UInt64 = 1_000_000
    let zone: ZoneID
    private let place: Int
    private let right: Hash

    /// Alice's first device with sessions of all others, if it is to rule; else Bob's with sessions of Alice's.
    init(ruling: Bool, limits: SyncLimits = SyncLimits()) throws {
        place = ruling ? 0 : 2
        neighbours = try Neighbours([2, 1, 1])
        let zone = try neighbours.zone(of: 0)
        self.zone = zone
        right = try neighbours.grant(.read, to: 1, by: 0, zone: zone)
        _ = try neighbours.grant(.read, to: 2, by: 0, zone: zone)
        let access = PublicAccess(world: [.read, .create], authenticated: [], creator: [])
        try neighbours.change(0) { _ = try ZoneSharing($0).setPublicAccess(access, zone: zone, in: &$2) }
        try neighbours.exchange(zone)
        core = SyncCore(
            localDevice: neighbours.homes[place].keys.deviceID,
            incarnation: try #require(try neighbours.homes[place].store.incarnation()),
            account: neighbours.account(neighbours.homes[place].account),
            limits: limits
        )
        try tellRights()
        let row = try #require(try neighbours.homes[place].store.zone(zone))
        let snapshot = try ZoneViews(neighbours.committer(place)).snapshot(of: row, in: neighbours.homes[place].store)
        feed(.zoneChanged(snapshot, before: [:]))
        for index in ruling ? [1, 2, 3] : [0, 1] { open(index) }
    }

    private mutating func tellRights() throws {
        for authority in try neighbours.authorities(on: place) {
            feed(.rightsChanged(authority))
        }
    }

    /// Ends Bob's right, with everything that is public.
    mutating func revoke() throws {
        let (zone, right) = (zone, right)
        try neighbours.change(0) { _ = try ZoneSharing($0).setPublicAccess(.none, zone: zone, in: &$2) }
        try neighbours.change(0) { _ = try ZoneSharing($0).revoke([right], zone: zone, reason: "", in: &$2) }
        try tellRights()
    }

    private mutating func open(_ index: Int) {
        let opening = SessionOpening(
            session: SessionID(index),
            device: neighbours.homes[index].keys.deviceID,
            account: neighbours.account(neighbours.homes[index].account),
            standing: .active,
            accountHeads: [],
            binding: [UInt8](repeating: UInt8(index), count: 32),
            isInitiator: false
        )
        feed(.opened(opening))
    }

    /// Opens a session with a device of an account that has no part in the zone.
    mutating func openGuest(_ number: Int) {
        let opening = SessionOpening(
            session: SessionID(number),
            device: Sample.device(number),
            account: Sample.foreign,
            standing: .unknown,
            accountHeads: [],
            binding: [UInt8](repeating: UInt8(number), count: 32),
            isInitiator: false
        )
        feed(.opened(opening))
    }

    /// A run that seems to continue the control log of the core's device.
    func ownRun(beyond count: Int) throws -> Run {
        let store = neighbours.homes[place].store
        let device = neighbours.homes[place].keys.deviceID
        let row = try #require(
            try store.logs(zone: zone).first { $0.device == device && $0.key.lane == .control }
        )
        var head = try #require(try store.head(row.key, atOrBelow: row.size)).signed.head
        head.size += UInt64(count)
        let signature = neighbours.homes[place].keys.sign(head.encoded, context: .treeHead)
        let signed = SignedTreeHead(head, signature: signature)
        return Run(signedHead: signed, from: row.size, checkpoint: .zero, items: [])
    }

    @discardableResult
    mutating func feed(_ input: SyncInput) -> [SyncEffect] {
        var effects: [SyncEffect] = []
        let wall = neighbours.homes[place].wall
        core.handle(input, at: now, wall: wall, random: &neighbours.random, into: &effects)
        return effects
    }

    @discardableResult
    mutating func hear(_ index: Int, _ message: PeerMessage) -> [SyncEffect] {
        feed(.received(SessionID(index), message, byteCount: 100))
    }

    /// Lets a session's ping be answered after some time, measured from now.
    mutating func measure(_ index: Int, _ milliseconds: UInt64) {
        core.replication.sessions[SessionID(index)]?.liveness.pingSent = (7, now - milliseconds)
        hear(index, .pong(Pong(nonce: 7, wallMilliseconds: 0)))
    }

    func request(_ number: UInt64, zone: ZoneID? = nil) -> PeerMessage {
        .guestWrite(
            GuestWrite(
                number: number,
                zone: zone ?? self.zone,
                isAtomic: false,
                writes: [GuestRecordWrite(name: "a", type: "note")],
                entries: []
            )
        )
    }

    mutating func ask(_ id: UInt64, entries: [[UInt8]] = []) -> [SyncEffect] {
        let writes = [GuestRecordWrite(name: "a", type: "note")]
        return feed(.requestWrite(GuestOrder(id: id, zone: zone, isAtomic: false, writes: writes, entries: entries)))
    }

    /// The account of the core's device.
    var account: AccountID { neighbours.account(neighbours.homes[place].account) }
}

extension [SyncEffect] {
    /// The numbers of the requests that are to be decided.
    fileprivate var served: [UInt64] {
        compactMap { if case .serveGuestWrite(_, let write) = $0 { write.number } else { nil } }
    }

    /// The heads of this device's own logs that the store verifies.
    fileprivate var examined: [SignedTreeHead] {
        compactMap { if case .write(.renewIfBehind(let signed)) = $0 { signed } else { nil } }
    }

    fileprivate func answers(to index: Int) -> [GuestAnswer] {
        messages(to: index).compactMap { if case .guestAnswer(let answer) = $0 { answer } else { nil } }
    }

    fileprivate var requests: [(session: SessionID, number: UInt64)] {
        compactMap { effect in
            guard case .send(let session, .guestWrite(let write)) = effect else { return nil }
            return (session, write.number)
        }
    }

    fileprivate var settled: [UInt64: GuestSettlement] {
        reduce(into: [:]) { if case .guestWriteSettled(let id, let settlement) = $1 { $0[id] = settlement } }
    }

    /// Nothing is settled, asked or closed.
    fileprivate var isQuiet: Bool { settled.isEmpty && requests.isEmpty && closed.isEmpty }
}
