import Sync
import TestSupport
import Testing
import Wire

/// Logs without effective operations are in no digest; a device that waits for one has to ask.
@Suite struct `Empty logs` {
    private let waiting = Sample.snapshot(0, [1: 3], isWaiting: true)

    @Test func `are sent with a zone's state, and change no digest`() {
        let snapshot = Sample.snapshot([1: 3, 4: 0])
        #expect(snapshot.state == Sample.snapshot([1: 3]).state)
        #expect(snapshot.logs.count == 1)
        var harness = CoreHarness()
        harness.feed(.zoneChanged(snapshot, before: [:]))
        harness.open(2)
        let told = harness.hear(2, .zoneState(Sample.zoneState([1: 3], wantsReply: true))).states(to: 2)
        #expect(told.map { $0.logs.map(\.size) } == [[3, 0]])
        #expect(told.first?.logs.last?.device == Sample.device(4))
    }

    @Test func `fill a message up to its bound and no further`() {
        var logs: [LogKey: LogState] = [:]
        for device in 1...(Limits.logCountMax + 20) {
            logs[Sample.log(device)] = Sample.state(device, device <= 10 ? 1 : 0)
        }
        let snapshot = ZoneSnapshot(zone: Sample.zone(0), genesis: Sample.genesis(0), logs: logs, checkpoint: .zero)
        #expect(snapshot.toldLogs.count == Limits.logCountMax)
        #expect(snapshot.toldLogs.count { $0.size > 0 } == 10)
    }

    @Test func `are noted when operations wait and nothing is known of the log`() {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot(0, [1: 3, 3: 1, 4: 0], isWaiting: true), before: [:]))
        harness.open(2)
        let effects = harness.hear(2, .zoneState(Sample.zoneState([1: 3, 3: 0, 4: 0, 5: 0, 6: 2])))
        #expect(effects.notedEmpty == [Sample.device(5)])
        harness.feed(.zoneChanged(Sample.snapshot([1: 3]), before: [:]))
        #expect(harness.hear(2, .zoneState(Sample.zoneState([1: 3, 5: 0]))).notedEmpty.isEmpty)
    }

    @Test func `are requested when operations wait, although the digests are equal`() {
        for isInitiator in [true, false] {
            var harness = CoreHarness()
            harness.feed(.zoneChanged(waiting, before: [:]))
            let opened = harness.open(2, isInitiator: isInitiator) + harness.wait(6_000, hearing: [2])
            // Once, and again when no peer has answered.
            #expect((1...2).contains(opened.states(to: 2).count))
            #expect(opened.states(to: 2).allSatisfy { $0.wantsReply })
        }
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot([1: 3]), before: [:]))
        #expect((harness.open(2) + harness.wait(6_000, hearing: [2])).states(to: 2).isEmpty)
    }

    @Test func `are requested soon when operations begin to wait after a comparison`() {
        for isInitiator in [true, false] {
            var harness = CoreHarness()
            harness.feed(.zoneChanged(Sample.snapshot([1: 2]), before: [:]))
            harness.open(2, isInitiator: isInitiator)
            harness.hear(2, .zoneState(Sample.zoneState([1: 2])))
            harness.wait(8_000, hearing: [2])
            harness.feed(.zoneChanged(waiting, before: [Sample.log(1): 2]))
            #expect(harness.wait(3_000, hearing: [2]).states(to: 2).map(\.wantsReply) == [true])
            // A peer that did not know may know soon.
            harness.hear(2, .zoneState(Sample.zoneState([1: 3])))
            #expect(harness.wait(3_000, hearing: [2]).states(to: 2).map(\.wantsReply) == [true])
        }
    }

    @Test func `are not requested when the awaited operations arrive soon`() {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot([1: 2]), before: [:]))
        harness.open(2)
        harness.hear(2, .zoneState(Sample.zoneState([1: 2])))
        harness.wait(8_000, hearing: [2])
        harness.feed(.zoneChanged(waiting, before: [Sample.log(1): 2]))
        harness.wait(1_000, hearing: [2])
        harness.feed(.zoneChanged(Sample.snapshot([1: 3]), before: [:]))
        #expect(harness.wait(10_000, hearing: [2]).states(to: 2).isEmpty)
    }

    @Test func `are requested less and less often while operations wait, and not when none do`() {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(waiting, before: [:]))
        var asked = harness.open(2).states(to: 2).count
        let hour: UInt64 = 3_600_000
        var times: [UInt64] = []
        let begin = harness.now
        while harness.now < begin + hour {
            let effects = harness.wait(10_000, hearing: [2])
            if effects.states(to: 2).isEmpty { continue }
            times.append(harness.now - begin)
            asked += 1
            harness.hear(2, .zoneState(Sample.zoneState([1: 3])))
        }
        #expect((5...20).contains(asked), "asked \(asked) times")
        let pauses = zip(times.dropFirst(), times).map { $0 - $1 }
        #expect(pauses.suffix(2).allSatisfy { $0 >= 600_000 }, "\(pauses)")
        harness.feed(.zoneChanged(Sample.snapshot([1: 3]), before: [:]))
        #expect(harness.wait(hour, hearing: [2]).states(to: 2).isEmpty)
    }

    @Test func `are requested again after two seconds, then after twice the time each, up to ten minutes`() {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(waiting, before: [:]))
        #expect(harness.open(2).states(to: 2).count == 1)
        harness.hear(2, .zoneState(Sample.zoneState([1: 3])))
        let begin = harness.now
        var times = [begin]
        while let deadline = harness.core.nextDeadline, deadline < begin + 3_600_000 {
            harness.now = deadline
            let effects = harness.feed(.tick) + harness.hear(2, .pong(Pong(nonce: 0, wallMilliseconds: 0)))
            if effects.states(to: 2).isEmpty { continue }
            times.append(harness.now)
            harness.hear(2, .zoneState(Sample.zoneState([1: 3])))
        }
        let pauses = zip(times.dropFirst(), times).map { $0 - $1 }
        let doubled = (0...8).map { UInt64(2_000) << UInt64($0) }
        #expect(pauses == doubled + [600_000, 600_000, 600_000, 600_000])
    }

    @Test func `are requested at once when the account has changed`() {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(waiting, before: [:]))
        harness.open(2)
        harness.hear(2, .zoneState(Sample.zoneState([1: 3])))
        harness.wait(1_500_000, hearing: [2])
        harness.hear(2, .zoneState(Sample.zoneState([1: 3])))
        harness.know([1, 2, 3], removed: [4])
        #expect(harness.wait(3_000, hearing: [2]).states(to: 2).map(\.wantsReply) == [true])
    }
}
