import Capabilities
import Identity
import Records
import TestSupport
import Testing
import Wire

@testable import Sync

@Suite("Rights that begin and end by the clock alone")
struct RightsByTheClockTests {
    /// Longer than any jitter of a ping, so that nothing else wakes the core at such a time.
    private static let soon: UInt64 = 7_000

    private func closings(_ done: [(after: UInt64, effect: SyncEffect)]) -> [UInt64] {
        done.compactMap { if case .close(2, .refused, _) = $0.effect { $0.after } else { nil } }
    }

    /// Returns the times at which the session received a zone's state.
    private func tellings(of zone: ZoneID, _ done: [(after: UInt64, effect: SyncEffect)]) -> [UInt64] {
        done.compactMap { after, effect in
            guard case .send(2, .zoneState(let state)) = effect, state.zone == zone,
                state.logs.contains(where: { $0.lane == .data })
            else { return nil }
            return after
        }
    }

    @Test func `a session ends three seconds after the last right of its account has run out`() throws {
        var desk = try Desk()
        let zone = try desk.neighbours.zone(of: 0)
        let caveats = Caveats(expires: desk.neighbours.homes[0].wall + Self.soon)
        _ = try desk.neighbours.grant(.read, to: 1, by: 0, caveats: caveats, zone: zone)
        try desk.tellRights(zone)
        try desk.tellZone(zone)
        desk.open(2)
        #expect(closings(desk.pass(milliseconds: 15_000)) == [Self.soon + 3_000])
    }

    @Test func `so it is when the right is our own, and was granted after the session had begun`() throws {
        var desk = try Desk()
        let (zone, other) = (try desk.neighbours.zone(of: 2), try desk.neighbours.zone(of: 2))
        _ = try desk.neighbours.grant(.read, to: 0, by: 2, caveats: Caveats(expires: 1), zone: other)
        try desk.neighbours.exchange(other)
        for zone in [zone, other] {
            try desk.tellRights(zone)
            try desk.tellZone(zone)
        }
        desk.open(2)
        let caveats = Caveats(expires: desk.neighbours.homes[0].wall + Self.soon)
        _ = try desk.neighbours.grant(.read, to: 0, by: 2, caveats: caveats, zone: zone)
        try desk.neighbours.exchange(zone)
        try desk.tellRights(zone)
        #expect(closings(desk.pass(milliseconds: 15_000)) == [Self.soon + 3_000])
    }

    @Test func `a device refuses writes while no right of its account to write is in its time`() throws {
        var desk = try Desk()
        let zone = try desk.neighbours.zone(of: 0)
        let writer = try #require(desk.neighbours.homes.firstIndex { $0.account == 1 })
        let wall = desk.neighbours.homes[writer].wall
        for (level, caveats) in [
            (AccessLevel.write, Caveats(notBefore: wall + 1_000, expires: wall + 2_000)), (.read, Caveats()),
        ] {
            _ = try desk.neighbours.grant(level, to: 1, by: 0, caveats: caveats, zone: zone)
        }
        try desk.neighbours.exchange(zone)
        func refusal() -> AccessRefusal? {
            do {
                try desk.neighbours.write("a", "bob", on: writer, zone: zone)
                return nil
            } catch CommitError.refused(let refusal) {
                return refusal
            } catch {
                Issue.record(error)
                return nil
            }
        }
        #expect(refusal() == .notYetValid(at: wall + 1_000))
        desk.neighbours.homes[writer].wall = wall + 1_500
        #expect(refusal() == nil)
        desk.neighbours.homes[writer].wall = wall + 2_000
        #expect(refusal() == .expired(at: wall + 2_000))
        // The right under which the device writes is the stronger one still.
        _ = try desk.neighbours.grant(.append, to: 1, by: 0, zone: zone)
        try desk.neighbours.exchange(zone)
        #expect(refusal() == nil)
    }

    @Test func `an account learns of the zone at the moment when its right begins`() throws {
        var desk = try Desk()
        let (zone, other) = (try desk.neighbours.zone(of: 0), try desk.neighbours.zone(of: 0))
        let caveats = Caveats(notBefore: desk.neighbours.homes[0].wall + Self.soon)
        _ = try desk.neighbours.grant(.read, to: 1, by: 0, caveats: caveats, zone: zone)
        _ = try desk.neighbours.grant(.read, to: 1, by: 0, zone: other)
        try desk.neighbours.write("a", "alice", on: 0, zone: zone)
        for zone in [zone, other] {
            try desk.tellRights(zone)
            try desk.tellZone(zone)
        }
        desk.open(2)
        #expect(tellings(of: zone, desk.pass(milliseconds: 15_000)) == [Self.soon])
    }

    @Test func `an account that is revoked just when its right would begin learns nothing`() throws {
        var desk = try Desk()
        let (zone, other) = (try desk.neighbours.zone(of: 0), try desk.neighbours.zone(of: 0))
        let begin = desk.neighbours.homes[0].wall + Self.soon
        let right = try desk.neighbours.grant(.read, to: 1, by: 0, caveats: Caveats(notBefore: begin), zone: zone)
        _ = try desk.neighbours.grant(.read, to: 1, by: 0, zone: other)
        try desk.neighbours.write("a", "alice", on: 0, zone: zone)
        for zone in [zone, other] {
            try desk.tellRights(zone)
            try desk.tellZone(zone)
        }
        desk.open(2)
        try desk.neighbours.change(0) { _ = try ZoneSharing($0).revoke([right], zone: zone, reason: "out", in: &$2) }
        desk.neighbours.homes[0].wall = begin
        let effects = try desk.tellRights(zone)
        #expect(tellings(of: zone, effects.map { (0, $0) }).isEmpty)
    }

    @Test func `a device that is removed just when the right would begin learns nothing`() throws {
        var desk = try Desk()
        let (zone, other) = (try desk.neighbours.zone(of: 0), try desk.neighbours.zone(of: 0))
        let begin = desk.neighbours.homes[0].wall + Self.soon
        _ = try desk.neighbours.grant(.read, to: 1, by: 0, caveats: Caveats(notBefore: begin), zone: zone)
        _ = try desk.neighbours.grant(.read, to: 1, by: 0, zone: other)
        try desk.neighbours.write("a", "alice", on: 0, zone: zone)
        for zone in [zone, other] {
            try desk.tellRights(zone)
            try desk.tellZone(zone)
        }
        desk.open(2)
        desk.neighbours.homes[0].wall = begin
        let device = desk.neighbours.homes[2].keys.deviceID
        let heads = desk.neighbours.logs[1].announcedHeads
        let effects = desk.feed(
            .contactChanged(desk.neighbours.account(1), heads: heads, standings: [device: .removed])
        )
        #expect(closings(effects.map { (0, $0) }) == [0])
        #expect(!effects.contains { if case .send = $0 { true } else { false } })
    }

    @Test func `a clock that is turned back makes an expired right current again`() throws {
        var desk = try Desk()
        let zone = try desk.neighbours.zone(of: 0)
        let wall = desk.neighbours.homes[0].wall
        let caveats = Caveats(expires: wall + Self.soon)
        _ = try desk.neighbours.grant(.read, to: 1, by: 0, caveats: caveats, zone: zone)
        try desk.tellRights(zone)
        try desk.tellZone(zone)
        desk.open(2)
        #expect(closings(desk.pass(milliseconds: Self.soon + 1_000)) == [])
        desk.neighbours.homes[0].wall = wall
        desk.feed(.tick)
        #expect(closings(desk.pass(milliseconds: 15_000)) == [Self.soon + 3_000])
    }

    @Test func `an ended session gets nothing, although the right begins at that moment`() throws {
        var desk = try Desk()
        let (zone, other) = (try desk.neighbours.zone(of: 0), try desk.neighbours.zone(of: 0))
        let caveats = Caveats(notBefore: desk.neighbours.homes[0].wall + Self.soon)
        _ = try desk.neighbours.grant(.read, to: 1, by: 0, caveats: caveats, zone: zone)
        _ = try desk.neighbours.grant(.read, to: 1, by: 0, zone: other)
        try desk.neighbours.write("a", "alice", on: 0, zone: zone)
        for zone in [zone, other] {
            try desk.tellRights(zone)
            try desk.tellZone(zone)
        }
        desk.open(2)
        // The driver of the core was busy: only the end of the session wakes it.
        desk.neighbours.homes[0].wall += Self.soon
        #expect(desk.feed(.closed(2)).messages(to: 2).isEmpty)
    }

    @Test func `times of rights of disconnected accounts set no timer`() throws {
        var desk = try Desk()
        let zone = try desk.neighbours.zone(of: 0)
        _ = try desk.neighbours.grant(.read, to: 1, by: 0, zone: zone)
        for number in 0..<50 {
            let caveats = Caveats(expires: desk.neighbours.homes[0].wall + 6_000 + UInt64(10 * number))
            _ = try desk.neighbours.grant(.read, to: 2, by: 0, caveats: caveats, zone: zone)
        }
        try desk.tellRights(zone)
        try desk.tellZone(zone)
        desk.open(2)
        _ = desk.pass(milliseconds: 5_500)
        let next = try #require(desk.core.nextDeadline)
        #expect(next > desk.now + 1_000)
    }

    @Test(arguments: UInt64(1)...100)
    func `the session ends three seconds after nothing is shared, whatever times rights have`(seed: UInt64) throws {
        var desk = try Desk(seed: seed)
        let wall = desk.neighbours.homes[0].wall
        var times: [ClosedRange<UInt64>] = []
        // One without a gap at the beginning, since a session that begins with nothing to share ends at once.
        for number in 0..<3 {
            let zone = try desk.neighbours.zone(of: number == 1 ? 2 : 0)
            let begin = number == 0 ? 0 : desk.neighbours.random.next() % 20_000
            let end = begin + 1 + desk.neighbours.random.next() % 15_000
            let caveats = Caveats(notBefore: wall + begin, expires: wall + end)
            let (audience, author) = number == 1 ? (0, 2) : (1, 0)
            _ = try desk.neighbours.grant(.read, to: audience, by: author, caveats: caveats, zone: zone)
            try desk.neighbours.exchange(zone)
            try desk.tellRights(zone)
            try desk.tellZone(zone)
            times.append(begin...end)
        }
        desk.open(2)
        var end = times[0].upperBound
        while let further = times.first(where: { $0.lowerBound <= end + 3_000 && $0.upperBound > end }) {
            end = further.upperBound
        }
        #expect(closings(desk.pass(milliseconds: 45_000)) == [end + 3_000], "seed \(seed), times \(times)")
    }
}
