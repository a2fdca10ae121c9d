import TestSupport
import Testing

@testable import Mounting

@Suite struct `The pattern of readings` {
    @Test func `that go on is served by one answer from the second one on`() {
        var pattern = ReadPattern()
        #expect(pattern.plan(0..<100, of: 1_000) == .single)
        pattern.note(0..<100, isOpen: false)
        #expect(pattern.plan(100..<200, of: 1_000) == .open)
        pattern.note(100..<200, isOpen: true)
        #expect(pattern.plan(200..<300, of: 1_000) == .goOn(skipping: 0))
        #expect(pattern.plan(250..<300, of: 1_000) == .goOn(skipping: 50))
    }

    @Test func `that jump is served by answers of their own`() {
        var pattern = ReadPattern()
        pattern.note(0..<100, isOpen: true)
        let far = 101 + ReadPattern.skipMax
        #expect(pattern.plan(far..<far + 10, of: .max) == .single)
        #expect(pattern.plan(99..<110, of: .max) == .single)
        pattern.note(far..<far + 10, isOpen: false)
        #expect(pattern.plan(far + 10..<far + 20, of: .max) == .open)
        #expect(pattern.plan(far + 10..<far + 20, of: far + 20) == .single, "nothing is left to go on with")
    }

    @Test(arguments: UInt64(1)...50) func `skips no more than it may, and never backward`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var pattern = ReadPattern()
        let size: UInt64 = 1 << 20
        for _ in 0..<200 {
            let begin = pattern.position.flatMap { Bool.random(using: &generator) ? $0 : nil }
            let first = min(begin ?? UInt64.random(in: 0..<size, using: &generator), size - 1)
            let range = first..<min(first + UInt64.random(in: 1...200_000, using: &generator), size)
            let plan = pattern.plan(range, of: size)
            if case .goOn(let count) = plan {
                #expect(UInt64(count) <= ReadPattern.skipMax && pattern.position.map { $0 + UInt64(count) } == first)
            }
            pattern.note(range, isOpen: plan != .single && range.upperBound < size)
        }
    }
}

@Suite struct `The places for open answers` {
    @Test func `go to the latest readers, and the one that rests longest leaves`() {
        let places = StreamPlaces(countMax: 2)
        let evicted = Evicted()
        #expect(places.take(for: 1) { evicted.note(1) } && places.take(for: 2) { evicted.note(2) })
        #expect(!places.take(for: 3) { evicted.note(3) }, "both are in use")
        #expect(places.take(for: 1) { evicted.note(1) }, "it has a place")
        places.rest(1, isOpen: true)
        places.rest(2, isOpen: true)
        #expect(places.use(for: 1))
        places.rest(1, isOpen: true)
        #expect(places.take(for: 3) { evicted.note(3) })
        #expect(evicted.all == [2] && !places.use(for: 2) && places.count == 2)
        places.rest(3, isOpen: false)
        #expect(places.count == 1 && places.take(for: 2) { evicted.note(2) })
    }
}
