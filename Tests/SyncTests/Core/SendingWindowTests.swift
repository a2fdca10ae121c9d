import TestSupport
import Testing
import Wire

@testable import Sync

@Suite struct SendingWindowTests {
    private let limits = SyncLimits()

    private func window(theirs: [LogKey: UInt64] = [:]) -> SendingWindow {
        var window = SendingWindow()
        for zone in Set(theirs.keys.map(\.zone)) {
            window.reset(zone, theirs: theirs.filter { $0.key.zone == zone }, at: 0, limits)
        }
        return window
    }

    /// Takes all logs in the order in which they would be read.
    private func order(_ window: SendingWindow, at now: UInt64 = 0, sizes: [LogKey: UInt64]) -> [LogKey] {
        var window = window
        var order: [LogKey] = []
        while let key = window.nextLog(at: now, limits, size: { sizes[$0] ?? 0 }) {
            order.append(key)
            window.clean(key)
        }
        return order
    }

    private func next(_ window: inout SendingWindow, at now: UInt64) -> LogKey? {
        window.nextLog(at: now, limits) { _ in 1 }
    }

    @Test func `control precedes data, and logs that are nearly in step precede those far behind`() {
        let bulk = Sample.log(1, zone: 0)
        let control = Sample.log(1, zone: 0, .control)
        let live = Sample.log(1, zone: 1)
        var window = window(theirs: [bulk: 10, live: 999])
        for key in [bulk, control, live] { window.markDirty(key, notBefore: 0, isForwarded: false, at: 0) }
        #expect(order(window, sizes: [bulk: 5_000, control: 700, live: 1_000]) == [control, live, bulk])
    }

    @Test func `data waits while the control lane of its zone is read, that of other zones does not`() {
        let sizes: [LogKey: UInt64] = [Sample.log(1, zone: 0): 1, Sample.log(1, zone: 1): 1]
        var window = window()
        for key in sizes.keys { window.markDirty(key, notBefore: 0, isForwarded: false, at: 0) }
        window.reading = [Sample.log(3, zone: 0, .control)]
        #expect(order(window, sizes: sizes) == [Sample.log(1, zone: 1)])
    }

    @Test func `a log is not read twice at a time, nor before its time`() {
        let key = Sample.log(1)
        var window = window()
        window.markDirty(key, notBefore: 50, isForwarded: false, at: 0)
        #expect(next(&window, at: 49) == nil)
        #expect(window.nextSend(limits) == 50)
        #expect(next(&window, at: 50) == key)
        window.reading = [key]
        #expect(next(&window, at: 50) == nil)
        #expect(window.nextSend(limits) == nil)
        #expect(window.finishReading(key) == true)
        #expect(next(&window, at: 50) == key)
    }

    @Test func `the earlier of two times holds`() {
        var window = window()
        window.markDirty(Sample.log(1), notBefore: 50, isForwarded: true, at: 0)
        window.markDirty(Sample.log(1), notBefore: 20, isForwarded: false, at: 10)
        window.markDirty(Sample.log(1), notBefore: 90, isForwarded: true, at: 20)
        #expect(window.nextSend(limits) == 20)
    }

    @Test func `forwarding waits while another peer delivers, but not forever`() {
        var window = window()
        window.markDirty(Sample.log(3), notBefore: 60, isForwarded: true, at: 0)
        window.markDirty(Sample.log(1), notBefore: 60, isForwarded: false, at: 0)
        window.fed(at: 0, limits)
        #expect(next(&window, at: 60) == Sample.log(1))
        window.clean(Sample.log(1))
        #expect(next(&window, at: 999) == nil)
        #expect(window.nextSend(limits) == limits.fedMilliseconds)
        for time in 1...60 { window.fed(at: UInt64(time) * 500, limits) }
        #expect(next(&window, at: 1_000) == nil)
        #expect(window.nextSend(limits) == limits.longestForwardDelayMilliseconds)
        #expect(next(&window, at: 10_000) == Sample.log(3))
    }

    @Test func `bytes on their way are released by an acknowledgement, a state, and the end of the zone`() {
        for release in 0..<4 {
            var window = window(theirs: [Sample.log(1): 0])
            window.send(.init(key: Sample.log(1), size: 5, byteCount: 100), at: 0)
            window.send(.init(key: Sample.log(1), size: 9, byteCount: 200), at: 0)
            #expect(window.inFlightByteCount == 300)
            switch release {
            case 0: _ = window.acknowledged(Sample.log(1), size: 9, at: 1)
            case 1: window.reset(Sample.zone(0), theirs: [:], at: 1, limits)
            case 2: window.forget(Sample.zone(0), at: 1)
            default: window.rollBack(Sample.zone(0), at: 1)
            }
            #expect(window.inFlightByteCount == 0)
            #expect(window.inFlight.isEmpty)
        }
        var window = window(theirs: [Sample.log(1): 0])
        window.send(.init(key: Sample.log(1), size: 5, byteCount: 100), at: 0)
        window.send(.init(key: Sample.log(1), size: 9, byteCount: 200), at: 0)
        #expect(window.acknowledged(Sample.log(1), size: 8, at: 1).grown == 8)
        #expect(window.inFlightByteCount == 200)
    }

    @Test func `no sequence of events makes the count of bytes on their way wrong`() {
        for seed in 0..<100 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var window = window(theirs: [Sample.log(1, zone: 0): 0, Sample.log(1, zone: 1): 0])
            for step in 0..<200 as Range<UInt64> {
                let zone = Int.random(in: 0..<2, using: &random)
                let key = Sample.log(Int.random(in: 1...2, using: &random), zone: zone)
                let size = UInt64.random(in: 0...200, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0...1: window.send(.init(key: key, size: size, byteCount: Int(size)), at: step)
                case 2: _ = window.acknowledged(key, size: size, at: step)
                case 3: window.reset(Sample.zone(zone), theirs: [key: size], at: step, limits)
                default: window.rollBack(Sample.zone(zone), at: step)
                }
                #expect(window.inFlightByteCount == window.inFlight.reduce(0) { $0 + $1.byteCount }, "seed \(seed)")
                #expect((window.stalledAt(limits) == nil) == window.inFlight.isEmpty, "seed \(seed)")
            }
        }
    }
}
