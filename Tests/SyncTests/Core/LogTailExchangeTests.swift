import Records
import Sync
import Testing
import Wire

@Suite struct `The end of a log that a commit has in its memory` {
    /// A core two of whose peers hold ten operations of zone 0.
    private func inStep(_ limits: SyncLimits = SyncLimits(), theirs: [Int: UInt64] = [2: 10, 3: 10]) -> CoreHarness {
        var harness = CoreHarness(limits: limits)
        harness.feed(.zoneChanged(Sample.snapshot([1: 10]), before: [:]))
        for (device, size) in theirs.sorted(by: { $0.key < $1.key }) {
            _ = harness.openInStep(device, theirs: [1: size])
        }
        return harness
    }

    private func tail(from: UInt64, to size: UInt64, lane: Lane = .data) -> [LogKey: LogTail] {
        let (key, run) = (Sample.log(1, lane), Sample.run(1, from: from, to: size, lane: lane))
        return LogTail(run, of: key, byteCount: 100).map { [key: $0] } ?? [:]
    }

    /// One more operation of this device.
    private func grown(to size: UInt64) -> SyncInput {
        .zoneChanged(
            Sample.snapshot([1: size]),
            before: [Sample.log(1): size - 1],
            tails: tail(from: size - 1, to: size)
        )
    }

    @Test func `goes to each peer that stands right before it, without a question to the store`() {
        var harness = inStep()
        for size in 11...13 as ClosedRange<UInt64> {
            let effects = harness.feed(grown(to: size))
            #expect(effects.reads.isEmpty)
            #expect(effects.runs(to: 2) == [size] && effects.runs(to: 3) == [size])
        }
        let answered = harness.hear(2, Sample.acknowledge(1, size: 13))
        #expect(answered.reads.isEmpty && answered.runs(to: 2).isEmpty)
        #expect(answered.saved(of: 2) == [Sample.log(1): 13])
    }

    @Test func `is read from the store for a peer that lacks more, once that is sent`() throws {
        var harness = inStep(theirs: [2: 9, 3: 10])
        let effects = harness.feed(grown(to: 11))
        #expect(effects.runs(to: 3) == [11] && effects.runs(to: 2).isEmpty && effects.reads.isEmpty)
        // The store answers with the state before the commit.
        let before = ReadOrder(session: 2, key: Sample.log(1), from: 9)
        let read = try harness.read(before, to: 10)
        #expect(read.runs(to: 2) == [10])
        #expect(read.reads == [ReadOrder(session: 2, key: Sample.log(1), from: 10)])
    }

    @Test func `is read from the store when the peer has taken in what is under way, if that fills its window`() {
        var limits = SyncLimits()
        limits.windowRunCount = 1
        var harness = inStep(limits, theirs: [2: 10])
        #expect(harness.feed(grown(to: 11)).runs(to: 2) == [11])
        let waiting = harness.feed(grown(to: 12))
        #expect(waiting.runs(to: 2).isEmpty && waiting.reads.isEmpty)
        #expect(harness.hear(2, Sample.acknowledge(1, size: 11)).reads.map(\.from) == [11])
    }

    @Test func `is read from the store where a run may have fewer bytes`() {
        var limits = SyncLimits()
        limits.runByteCount = 99
        var harness = inStep(limits, theirs: [2: 10])
        let effects = harness.feed(grown(to: 11))
        #expect(effects.runs(to: 2).isEmpty && effects.reads.map(\.from) == [10])
    }

    @Test func `is read from the store where the log has grown by more`() {
        var harness = inStep(theirs: [2: 10])
        let input = SyncInput.zoneChanged(
            Sample.snapshot([1: 12]),
            before: [Sample.log(1): 10],
            tails: tail(from: 10, to: 11)
        )
        #expect(harness.feed(input).reads.map(\.from) == [10])
    }

    @Test func `of data follows that of the control lane, and waits where that is read`() {
        for isRemembered in [true, false] {
            var harness = CoreHarness()
            harness.feed(.zoneChanged(Sample.snapshot(0, [1: 10], control: [1: 1]), before: [:]))
            harness.open(2)
            harness.hear(2, .zoneState(Sample.zoneState(0, [1: 10], control: [1: 1])))
            let control = isRemembered ? tail(from: 1, to: 2, lane: .control) : [:]
            let effects = harness.feed(
                .zoneChanged(
                    Sample.snapshot(0, [1: 11], control: [1: 2]),
                    before: [Sample.log(1): 10, Sample.log(1, .control): 1],
                    tails: tail(from: 10, to: 11).merging(control) { $1 }
                )
            )
            #expect(effects.runs(to: 2) == (isRemembered ? [2, 11] : []))
            #expect(effects.reads.map(\.key) == (isRemembered ? [] : [Sample.log(1, .control)]))
        }
    }

    @Test func `is not sent to a peer whose state of the zone is not known`() {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot([1: 10]), before: [:]))
        harness.open(2)
        let effects = harness.feed(grown(to: 11))
        #expect(effects.runs(to: 2).isEmpty && effects.reads.isEmpty)
        #expect(effects.states(to: 2).map(\.wantsReply) == [true])
    }

    @Test func `has a bound, and joins with the next one up to that bound`() throws {
        let key = Sample.log(1)
        func make(_ from: UInt64, _ size: UInt64, byteCount: UInt64 = 10) -> LogTail? {
            LogTail(Sample.run(1, from: from, to: size), of: key, byteCount: byteCount)
        }
        let count = UInt64(LogTail.operationCountMax)
        #expect(make(5, 5 + count) != nil && make(5, 6 + count) == nil)
        #expect(make(5, 6, byteCount: LogTail.byteCountMax) != nil)
        #expect(make(5, 6, byteCount: LogTail.byteCountMax + 1) == nil)
        var tail = try #require(make(5, 7))
        let next = try #require(make(7, 8))
        #expect(tail.append(next) == true)
        #expect(tail.from == 5 && tail.size == 8 && tail.byteCount == 20 && tail.run.signedHead.head.size == 8)
        let joined = tail
        for other in [make(9, 10), make(8, 6 + count), make(8, 9, byteCount: LogTail.byteCountMax)] {
            let other = try #require(other)
            #expect(tail.append(other) == false)
        }
        #expect(tail == joined)
    }
}
