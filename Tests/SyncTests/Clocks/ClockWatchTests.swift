import Sync
import TestSupport
import Testing
import Wire

/// The conclusions of a device from the clocks of others.
@Suite struct ClockWatchTests {
    private static let wall: UInt64 = 1_795_600_000_000
    private static let hour: UInt64 = 3_600_000
    private let own = AccountID(Digest32(word0: 1, word1: 0, word2: 0, word3: 0))

    private func device(_ number: UInt8) -> DeviceID {
        DeviceID(Digest32(word0: UInt64(number), word1: 0, word2: 0, word3: 0))
    }

    private func watch(_ clocks: [UInt64]) -> ClockWatch {
        var watch = ClockWatch(account: own)
        for (index, wall) in clocks.enumerated() {
            watch.heard(wall, from: device(UInt8(index + 1)), of: own, at: 1_000)
        }
        return watch
    }

    private func difference(_ clocks: [UInt64]) -> ClockDifference? {
        var watch = watch(clocks)
        guard case .differs(let difference) = watch.compare(Self.wall, at: 1_000) else { return nil }
        return difference
    }

    @Test func `of two middle values on one side of this clock the nearer one is the difference`() {
        let minute: UInt64 = 60_000
        #expect(difference([Self.wall + 6 * minute, Self.wall + 20 * minute])?.milliseconds == -360_000)
        #expect(difference([Self.wall - 6 * minute, Self.wall - 20 * minute])?.milliseconds == 360_000)
    }

    @Test func `without another clock there is no comparison`() {
        var watch = watch([])
        #expect(watch.compare(Self.wall, at: 1_000) == .alone)
        #expect(watch.witnesses(at: 1_000) == .none)
        #expect(ClockWitnesses.none.settledMilliseconds(wall: .max) == nil)
        #expect(!ClockWitnesses.none.agree(with: Self.wall))
    }

    @Test func `a difference to the only other clock is reported with its size, and that either may be wrong`() {
        #expect(
            difference([Self.wall + 3 * Self.hour])
                == ClockDifference(
                    milliseconds: -3 * Int64(Self.hour),
                    others: [device(1)],
                    agreeing: [],
                    voiceCount: 1
                )
        )
    }

    @Test func `one wrong clock among several is not held against this one`() {
        #expect(difference([Self.wall, Self.wall + 1_000, Self.wall + 20 * Self.hour]) == nil)
        #expect(difference([Self.wall, 0]) == nil)
    }

    @Test func `devices that agree with this clock and those that agree with most others are named`() {
        let found = difference([Self.wall + Self.hour, Self.wall + Self.hour, Self.wall, Self.wall + Self.hour])
        #expect(found?.milliseconds == -Int64(Self.hour))
        #expect(found?.others == [device(1), device(2), device(4)])
        #expect(found?.agreeing == [device(3)])
    }

    @Test func `a warning begins at five minutes and ends below four`() {
        var watch = ClockWatch(account: own)
        func differs(_ milliseconds: UInt64) -> Bool {
            watch.heard(Self.wall + milliseconds, from: device(1), of: own, at: 0)
            if case .differs = watch.compare(Self.wall, at: 0) { return true }
            return false
        }
        #expect(!differs(299_999))
        #expect(differs(300_000))
        #expect(differs(240_000))
        #expect(!differs(239_999))
        #expect(!differs(299_999))
    }

    @Test func `a statement stays right when the own clock is set`() {
        var watch = watch([Self.wall])
        #expect(watch.compare(Self.wall + Self.hour, at: 1_000) != .agrees)
        #expect(watch.compare(Self.wall + 60_000, at: 61_000) == .agrees)
    }

    @Test func `a statement is valid for a day`() {
        let watch = watch([Self.wall])
        #expect(watch.witnesses(at: 1_000 + ClockWatch.memoryMilliseconds - 1).count == 1)
        #expect(watch.witnesses(at: 1_000 + ClockWatch.memoryMilliseconds).count == 0)
    }

    @Test func `all devices of another account are one voice`() {
        var watch = watch([Self.wall, Self.wall])
        let other = AccountID(Digest32(word0: 9, word1: 0, word2: 0, word3: 0))
        for number in 10..<200 as Range<UInt8> {
            watch.heard(Self.wall + 20 * Self.hour, from: device(number), of: other, at: 1_000)
        }
        #expect(watch.compare(Self.wall, at: 1_000) == .agrees)
        #expect(watch.witnesses(at: 1_000) == ClockWitnesses(count: 3, median: Self.wall))
    }

    @Test func `no more statements are kept than there is room for`() {
        var watch = ClockWatch(account: own)
        for number in 0..<1_000 {
            let device = DeviceID(Digest32(word0: UInt64(number), word1: 0, word2: 0, word3: 0))
            watch.heard(Self.wall, from: device, of: own, at: UInt64(number))
        }
        #expect(watch.witnesses(at: 1_000).count == ClockWatch.deviceCountMax)
    }

    @Test func `settled time has passed by this clock and by most others, with any minority of false clocks`() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<2_000 {
            let honest = Int.random(in: 2...5, using: &generator)
            let liars = Int.random(in: 0..<honest, using: &generator)
            var clocks = (0..<honest).map { _ in Self.wall + UInt64.random(in: 0..<1_000, using: &generator) }
            for _ in 0..<liars { clocks.append(UInt64.random(in: .min ... .max, using: &generator)) }
            let isRight = Bool.random(using: &generator)
            let own = isRight ? Self.wall : UInt64.random(in: .min ... .max, using: &generator)
            let settled = watch(clocks).witnesses(at: 1_000).settledMilliseconds(wall: own) ?? 0
            #expect(settled <= own)
            #expect(settled <= Self.wall + 1_000 - ClockWitnesses.marginMilliseconds)
        }
    }

    @Test func `one witness alone brings nothing nearer than a day behind this clock`() {
        let witnesses = watch([.max]).witnesses(at: 1_000)
        #expect(witnesses.settledMilliseconds(wall: Self.wall) == Self.wall - ClockWitnesses.singleMarginMilliseconds)
    }

    @Test func `any number may be stated at any time`() {
        var generator = SeededGenerator(seed: 4)
        func number() -> UInt64 {
            Bool.random(using: &generator) ? .max : .random(in: .min ... .max, using: &generator)
        }
        for _ in 0..<2_000 {
            var watch = ClockWatch(account: own)
            for name in 0..<4 as Range<UInt8> { watch.heard(number(), from: device(name), of: own, at: number()) }
            let now = number()
            _ = watch.compare(number(), at: now)
            let witnesses = watch.witnesses(at: now)
            #expect(witnesses.settledMilliseconds(wall: .max) ?? 0 <= witnesses.median)
        }
    }
}

/// The conditions under which a member is noted as present.
@Suite struct MeetingTests {
    @Test func `is noted at the beginning, once an hour, and at the end`() {
        var meeting = Meeting()
        let beforeAll = [meeting.goesOn(at: 0), meeting.ends(at: 0), meeting.hasBegun]
        #expect(beforeAll == [false, false, false])
        let beginnings = [meeting.begin(at: 1_000), meeting.begin(at: 2_000)]
        #expect(beginnings == [true, false])
        #expect(!meeting.ends(at: 2_000))
        let hourly = (0..<10_800 as Range<UInt64>).filter { meeting.goesOn(at: 1_000 + $0 * 1_000) }
        #expect(hourly == [3_600, 7_200])
        #expect(meeting.ends(at: 1_000 + 10_800_000))
    }
}

/// The times since when devices are known.
@Suite struct KnownDevicesTests {
    private func key(_ number: UInt8) -> KnownDevices.Key {
        let device = DeviceID(Digest32(word0: UInt64(number), word1: 0, word2: 0, word3: 0))
        return KnownDevices.Key(device, of: AccountID(Digest32(word0: 1, word1: 0, word2: 0, word3: 0)))
    }

    @Test func `a new device is known since its arrival, and a departed one is forgotten`() throws {
        var known = KnownDevices()
        known.update([key(1), key(2)], wall: 100)
        known.update([key(2), key(3)], wall: 200)
        #expect(known.since == [key(2): 100, key(3): 200])
    }

    @Test func `a time to come is corrected, and no other`() {
        var known = KnownDevices()
        known.update([key(1)], wall: 1_000)
        known.update([key(1), key(2)], wall: 500)
        #expect(known.since == [key(1): 1_000, key(2): 500])
        let hasCorrected = known.correct(wall: 600)
        #expect(hasCorrected && known.since == [key(1): 600, key(2): 500])
        let hasAgain = known.correct(wall: 600)
        #expect(!hasAgain)
    }
}
