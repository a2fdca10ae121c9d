import TestSupport
import Testing
import Wire

/// The clock's laws.
@Suite struct HybridClockTests {
    private static let seed: UInt64 = 21

    @Test func `readings grow strictly whatever the wall does`() {
        var generator = SeededGenerator(seed: Self.seed)
        var clock = HybridClock()
        var last = HybridTime.zero
        for index in 0..<5_000 {
            let wall = 1_000_000 + UInt64(generator.below(1_000))
            if generator.coin() {
                clock.observe(HybridTime(raw: generator.number()), wallMilliseconds: wall)
            }
            let reading = clock.tick(wallMilliseconds: wall)
            #expect(reading > last, "seed \(Self.seed), step \(index)")
            last = reading
        }
    }

    @Test func `observing goes back only if the observed time is too far ahead of the wall clock`() {
        var generator = SeededGenerator(seed: Self.seed)
        var clock = HybridClock()
        for _ in 0..<5_000 {
            let (before, wall) = (clock.latest, generator.number())
            let isCarriedOn = clock.excessMilliseconds(wallMilliseconds: wall) == 0
            clock.observe(HybridTime(raw: generator.number()), wallMilliseconds: wall)
            #expect(clock.latest >= before || !isCarriedOn)
        }
    }

    @Test func `a remote pulls at most five minutes ahead of the wall`() {
        var generator = SeededGenerator(seed: Self.seed)
        let wall: UInt64 = 1_700_000_000_000
        for _ in 0..<2_000 {
            var clock = HybridClock()
            clock.observe(HybridTime(raw: generator.number()), wallMilliseconds: wall)
            #expect(clock.latest.milliseconds <= wall + 300_000)
        }
        var clock = HybridClock()
        clock.observe(HybridTime(raw: .max), wallMilliseconds: wall)
        #expect(clock.latest == HybridTime(milliseconds: wall + 300_000))
    }

    @Test func `a write after seeing a sane remote is later than it`() {
        let wall: UInt64 = 1_700_000_000_000
        for lead in [0, 1, 299_999] as [UInt64] {
            let remote = HybridTime(milliseconds: wall + lead, logical: 65_535)
            var clock = HybridClock()
            clock.observe(remote, wallMilliseconds: wall)
            #expect(clock.tick(wallMilliseconds: wall) > remote)
        }
    }

    @Test func `a stored reading that is far ahead of the wall is not carried on`() {
        let wall: UInt64 = 1_795_600_000_000
        let future = HybridTime(milliseconds: wall + 20 * 31_557_600_000)
        var clock = HybridClock(latest: future)
        #expect(clock.excessMilliseconds(wallMilliseconds: wall) == 20 * 31_557_600_000)
        #expect(clock.tick(wallMilliseconds: wall) == HybridTime(milliseconds: wall))
        #expect(clock.tick(wallMilliseconds: wall) == HybridTime(milliseconds: wall, logical: 1))
        clock = HybridClock(latest: future)
        clock.observe(HybridTime(milliseconds: wall + 1), wallMilliseconds: wall)
        #expect(clock.latest == HybridTime(milliseconds: wall + 1))
    }

    @Test func `a reading that is a little ahead of the wall is carried on`() {
        let wall: UInt64 = 1_795_600_000_000
        let near = HybridTime(milliseconds: wall + 300_000)
        var clock = HybridClock(latest: near)
        #expect(clock.excessMilliseconds(wallMilliseconds: wall) == 0)
        #expect(clock.tick(wallMilliseconds: wall) > near)
    }

    @Test func `a wall clock from before this program was written takes no reading back`() {
        let stored = HybridTime(milliseconds: 1_795_600_000_000)
        var clock = HybridClock(latest: stored)
        #expect(clock.tick(wallMilliseconds: 1_000_000_000_000) > stored)
        clock.observe(.zero, wallMilliseconds: 0)
        #expect(clock.latest > stored)
    }

    @Test func `a reading is the wall's when that is ahead`() {
        var clock = HybridClock(latest: HybridTime(milliseconds: 5, logical: 9))
        #expect(clock.tick(wallMilliseconds: 6) == HybridTime(milliseconds: 6))
        #expect(clock.tick(wallMilliseconds: 6) == HybridTime(milliseconds: 6, logical: 1))
        #expect(clock.tick(wallMilliseconds: 4) == HybridTime(milliseconds: 6, logical: 2))
    }

    @Test func `a full logical count carries into the milliseconds`() {
        var clock = HybridClock(latest: HybridTime(milliseconds: 5, logical: 65_535))
        #expect(clock.tick(wallMilliseconds: 5) == HybridTime(milliseconds: 6))
    }

    @Test func `the end of time does not trap`() {
        var clock = HybridClock(latest: HybridTime(raw: .max))
        #expect(clock.tick(wallMilliseconds: .max).raw == .max)
        clock.observe(HybridTime(raw: .max), wallMilliseconds: .max)
        #expect(HybridTime(milliseconds: .max).milliseconds == HybridTime.millisecondsMax)
    }

    @Test func `a reading is written as eight bytes that sort as it does`() {
        let time = HybridTime(milliseconds: 0x0102_0304_0506, logical: 0x0708)
        #expect(time.isEncoded(as: Layout.bytes("0102030405060708")))
        #expect(time.milliseconds == 0x0102_0304_0506)
        #expect(time.logical == 0x0708)
    }
}
