import TestSupport
import Testing
import Wire

@testable import Sync

@Suite struct PeerSessionTests {
    private let limits = SyncLimits()

    private func session(theirs: [LogKey: UInt64] = [:]) -> PeerSession {
        let opening = SessionOpening(
            session: 1,
            device: Sample.device(2),
            account: Sample.account,
            standing: .active,
            accountHeads: [],
            binding: [],
            isInitiator: true
        )
        var session = PeerSession(opening, phase: .active, at: 0, limits: limits)
        for zone in Set(theirs.keys.map(\.zone)) {
            session.reset(zone, theirs: theirs.filter { $0.key.zone == zone }, at: 0, limits: limits)
        }
        return session
    }

    /// Takes all logs in the order in which they would be read.
    private func order(_ session: PeerSession, at now: UInt64 = 0, sizes: [LogKey: UInt64]) -> [LogKey] {
        var session = session
        var order: [LogKey] = []
        while let key = session.nextLog(at: now, limits: limits, size: { sizes[$0] ?? 0 }) {
            order.append(key)
            session.clean(key)
        }
        return order
    }

    private func next(_ session: inout PeerSession, at now: UInt64) -> LogKey? {
        session.nextLog(at: now, limits: limits) { _ in 1 }
    }

    @Test func `control precedes data, and logs that are nearly in step precede those far behind`() {
        let bulk = Sample.log(1, zone: 0)
        let control = Sample.log(1, zone: 0, .control)
        let live = Sample.log(1, zone: 1)
        var session = session(theirs: [bulk: 10, live: 999])
        for key in [bulk, control, live] { session.markDirty(key, notBefore: 0, isForwarded: false, at: 0) }
        #expect(order(session, sizes: [bulk: 5_000, control: 700, live: 1_000]) == [control, live, bulk])
    }

    @Test func `data waits while the control lane of its zone is read, that of other zones does not`() {
        let sizes: [LogKey: UInt64] = [Sample.log(1, zone: 0): 1, Sample.log(1, zone: 1): 1]
        var session = session()
        for key in sizes.keys { session.markDirty(key, notBefore: 0, isForwarded: false, at: 0) }
        session.reading = [Sample.log(3, zone: 0, .control)]
        #expect(order(session, sizes: sizes) == [Sample.log(1, zone: 1)])
    }

    @Test func `a log is not read twice at a time, nor before its time`() {
        let key = Sample.log(1)
        var session = session()
        session.markDirty(key, notBefore: 50, isForwarded: false, at: 0)
        #expect(next(&session, at: 49) == nil)
        #expect(session.nextSend(limits) == 50)
        #expect(next(&session, at: 50) == key)
        session.reading = [key]
        #expect(next(&session, at: 50) == nil)
        #expect(session.nextSend(limits) == nil)
        #expect(session.finishReading(key) == true)
        #expect(next(&session, at: 50) == key)
    }

    @Test func `the earlier of two times holds`() {
        var session = session()
        session.markDirty(Sample.log(1), notBefore: 50, isForwarded: true, at: 0)
        session.markDirty(Sample.log(1), notBefore: 20, isForwarded: false, at: 10)
        session.markDirty(Sample.log(1), notBefore: 90, isForwarded: true, at: 20)
        #expect(session.nextSend(limits) == 20)
    }

    @Test func `forwarding waits while another peer delivers, but not forever`() {
        var session = session()
        session.markDirty(Sample.log(3), notBefore: 60, isForwarded: true, at: 0)
        session.markDirty(Sample.log(1), notBefore: 60, isForwarded: false, at: 0)
        session.fed(at: 0, limits: limits)
        #expect(next(&session, at: 60) == Sample.log(1))
        session.clean(Sample.log(1))
        #expect(next(&session, at: 999) == nil)
        #expect(session.nextSend(limits) == limits.fedMilliseconds)
        for time in 1...60 { session.fed(at: UInt64(time) * 500, limits: limits) }
        #expect(next(&session, at: 1_000) == nil)
        #expect(session.nextSend(limits) == limits.longestForwardDelayMilliseconds)
        #expect(next(&session, at: 10_000) == Sample.log(3))
    }

    @Test func `bytes on their way are released by an acknowledgement, a state, and the end of the zone`() {
        for release in 0..<4 {
            var session = session(theirs: [Sample.log(1): 0])
            session.send(.init(key: Sample.log(1), size: 5, byteCount: 100), at: 0)
            session.send(.init(key: Sample.log(1), size: 9, byteCount: 200), at: 0)
            #expect(session.inFlightByteCount == 300)
            switch release {
            case 0: _ = session.acknowledged(Sample.log(1), size: 9, at: 1)
            case 1: session.reset(Sample.zone(0), theirs: [:], at: 1, limits: limits)
            case 2: session.forget(Sample.zone(0), at: 1)
            default: session.rollBack(Sample.zone(0), at: 1)
            }
            #expect(session.inFlightByteCount == 0)
            #expect(session.inFlight.isEmpty)
        }
        var session = session(theirs: [Sample.log(1): 0])
        session.send(.init(key: Sample.log(1), size: 5, byteCount: 100), at: 0)
        session.send(.init(key: Sample.log(1), size: 9, byteCount: 200), at: 0)
        #expect(session.acknowledged(Sample.log(1), size: 8, at: 1).grown == 8)
        #expect(session.inFlightByteCount == 200)
    }

    @Test func `no sequence of events makes the count of bytes on their way wrong`() {
        for seed in 0..<100 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var session = session(theirs: [Sample.log(1, zone: 0): 0, Sample.log(1, zone: 1): 0])
            for step in 0..<200 as Range<UInt64> {
                let zone = Int.random(in: 0..<2, using: &random)
                let key = Sample.log(Int.random(in: 1...2, using: &random), zone: zone)
                let size = UInt64.random(in: 0...200, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0...1: session.send(.init(key: key, size: size, byteCount: Int(size)), at: step)
                case 2: _ = session.acknowledged(key, size: size, at: step)
                case 3: session.reset(Sample.zone(zone), theirs: [key: size], at: step, limits: limits)
                default: session.rollBack(Sample.zone(zone), at: step)
                }
                #expect(session.inFlightByteCount == session.inFlight.reduce(0) { $0 + $1.byteCount }, "seed \(seed)")
                #expect((session.stalledAt(limits) == nil) == session.inFlight.isEmpty, "seed \(seed)")
            }
        }
    }
}
