import Sync
import Testing
import Wire

@Suite struct SessionTimerTests {
    @Test func `a silent peer is closed after the time, an active one is not`() {
        var harness = CoreHarness()
        harness.open(2)
        harness.open(3)
        #expect(harness.wait(49_999, hearing: [3]).closed.isEmpty)
        #expect(harness.wait(1, hearing: [3]).closed == [2: .silent])
        #expect(harness.wait(200_000, hearing: [3]).closed.isEmpty)
    }

    @Test func `a pong measures the round trip and the other clock`() throws {
        var harness = CoreHarness()
        let nonce = try #require(pings(harness.open(2)).first)
        harness.now += 40
        let pong = Pong(nonce: nonce, wallMilliseconds: harness.now + 5_000 - 20)
        #expect(
            harness.hear(2, .pong(pong)).reports == [
                .measured(peer: Sample.device(2), roundTripMilliseconds: 40, skewMilliseconds: 5_000)
            ]
        )
    }

    @Test func `a pong with another nonce, or a second one, is ignored`() throws {
        var harness = CoreHarness()
        let nonce = try #require(pings(harness.open(2)).first)
        #expect(harness.hear(2, .pong(Pong(nonce: nonce &+ 1, wallMilliseconds: 0))).reports.isEmpty)
        #expect(harness.hear(2, .pong(Pong(nonce: nonce, wallMilliseconds: .max))).reports.count == 1)
        #expect(harness.hear(2, .pong(Pong(nonce: nonce, wallMilliseconds: 0))).reports.isEmpty)
    }

    @Test func `a ping is answered`() {
        var harness = CoreHarness()
        harness.open(2)
        let answer = harness.hear(2, .ping(Ping(nonce: 7, wallMilliseconds: 0))).messages(to: 2)
        #expect(answer == [.pong(Pong(nonce: 7, wallMilliseconds: harness.now))])
    }

    @Test(arguments: [true, false]) func `both sides compare now and then, in turns`(isInitiator: Bool) {
        var harness = CoreHarness()
        let first = harness.open(2, isInitiator: isInitiator)
        #expect(first.messages(to: 2).count == (isInitiator ? 1 : 0))
        let soon = harness.wait(5_000, hearing: [2]).messages(to: 2)
        #expect(soon.count == (isInitiator ? 0 : 1))
        var count = 0
        for _ in 0..<10 { count += harness.wait(120_000, hearing: [2]).messages(to: 2).count }
        #expect((9...11).contains(count))
    }

    @Test func `after a difference the two are compared again soon, and less and less often if nothing comes of it`() {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot([1: 1]), before: [:]))
        harness.open(2)
        var times: [UInt64] = []
        let end = harness.now + 600_000
        // The peer always holds something else.
        let other = RangeItems(ranges: [ItemRange(prefix: .empty, items: [])], isReply: false)
        harness.hear(2, .rangeItems(other))
        while harness.now < end {
            if harness.wait(500, hearing: [2]).messages(to: 2).contains(where: { $0.tag == 3 }) {
                times.append(harness.now)
                harness.hear(2, .rangeItems(other))
                harness.hear(2, .zoneState(Sample.zoneState([1: 1])))
            }
        }
        let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
        #expect(gaps.first.map { $0 <= 5_000 } == true)
        #expect(gaps.last.map { $0 >= 60_000 } == true)
        #expect((6...12).contains(times.count))
    }

    @Test func `after unequal digests the two are compared again soon, whether the peer lists anything or not`() {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot([1: 1]), before: [:]))
        harness.open(2)
        func comparisons(_ effects: [SyncEffect]) -> Int { effects.messages(to: 2).count { $0.tag == 3 } }
        let narrower = NibblePrefix.empty.children.map { RangeDigest(prefix: $0, itemCount: 1, digest: .zero) }
        #expect(comparisons(harness.hear(2, .rangeDigests(RangeDigests(ranges: narrower)))) == 0)
        #expect(comparisons(harness.wait(1_999, hearing: [2])) == 0)
        #expect(comparisons(harness.wait(1, hearing: [2])) == 1)
    }

    @Test func `while an exchange is in progress a zone's state is not resent`() throws {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot([1: 10]), before: [:]))
        let effects = harness.openInStep(2, theirs: [1: 4])
        try harness.read(effects.reads.first, to: 10)
        let differing = PeerMessage.rangeItems(
            RangeItems(ranges: [ItemRange(prefix: .empty, items: [])], isReply: false)
        )
        #expect(harness.hear(2, differing).states(to: 2).isEmpty)
        harness.wait(29_000, hearing: [2])
        #expect(harness.hear(2, differing).states(to: 2).isEmpty)
        harness.hear(2, Sample.acknowledge(1, size: 10))
        harness.wait(6_000, hearing: [2])
        #expect(harness.hear(2, differing).states(to: 2).count == 1)
    }

    @Test func `a run that is never answered does not hold the window for ever`() throws {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot([1: 10]), before: [:]))
        let effects = harness.openInStep(2, theirs: [1: 4])
        try harness.read(effects.reads.first, to: 10)
        let waited = harness.wait(30_000, hearing: [2])
        #expect(waited.states(to: 2).map(\.wantsReply) == [true])
        #expect(waited.reads.isEmpty, "the answer says from where")
        #expect(harness.hear(2, .zoneState(Sample.zoneState([1: 4]))).reads.map(\.from) == [4])
    }

    @Test func `an open session always has a deadline, and none is left when all are closed`() {
        var harness = CoreHarness()
        #expect(harness.core.nextDeadline == nil)
        harness.open(2)
        #expect(harness.core.nextDeadline != nil)
        harness.feed(.closed(2))
        #expect(harness.core.nextDeadline == nil)
    }

    private func pings(_ effects: [SyncEffect]) -> [UInt64] {
        effects.compactMap { if case .send(2, .ping(let ping)) = $0 { ping.nonce } else { nil } }
    }

    @Test func `a device is pinged at once, and once, if it was silent for two seconds`() {
        var harness = CoreHarness()
        harness.open(2)
        harness.open(3)
        harness.now += 1_999
        let asked = SyncInput.presenceAsked(silence: 2_000)
        #expect(pings(harness.feed(asked)).isEmpty)
        _ = harness.hear(3, .pong(Pong(nonce: 0, wallMilliseconds: 0)))
        harness.now += 1
        #expect(pings(harness.feed(asked)).count == 1)
        #expect(pings(harness.feed(asked)).isEmpty, "its answer is waited for")
        #expect(pings(harness.feed(.presenceAsked(silence: 0))).count == 1, "whenever it was heard")
        #expect(harness.core.lastHeard(in: 3) == harness.now - 1)
        #expect(harness.core.lastHeard(in: 2) == harness.now - 2_000)
        #expect(harness.core.lastHeard(in: 9) == nil)
    }

    @Test func `a device that becomes known late is compared with once, and then in turns`() {
        var harness = CoreHarness()
        harness.open(9, standing: .unknown, isInitiator: false)
        harness.wait(6_000, hearing: [9])
        func comparisons(_ effects: [SyncEffect]) -> Int { effects.messages(to: 9).count { $0.tag == 3 } }
        #expect(comparisons(harness.know([1, 2, 3, 4, 9])) == 1)
        #expect(comparisons(harness.wait(100_000, hearing: [9])) == 0)
    }
}
