import Sync
import TestSupport
import Testing
import Wire

@testable import Records

/// The requests for the live set of a zone: when a device makes them, of which peers, and how it treats the answers.
@Suite("A live set") struct LiveSetExchangeTests {
    private static let first = LiveSetRequest(zone: Sample.zone(0))

    private static func page(_ tags: [UInt64], isLast: Bool, checkpoint: UInt64 = 7) -> LiveSetPage {
        LiveSetPage(
            zone: Sample.zone(0),
            checkpoint: Sample.hash(checkpoint),
            records: tags.map { tag in
                let digest = Digest32(word0: tag, word1: 0, word2: 0, word3: 0)
                return LiveSetPage.Record(tag: RecordTag(digest), dots: [Dot(actor: Sample.actor(1), counter: tag)])
            },
            isLast: isLast
        )
    }

    private func snapshot(_ size: UInt64 = 3, isUnverified: Bool = true) -> ZoneSnapshot {
        Sample.snapshot(0, [2: size], isUnverified: isUnverified)
    }

    /// A core that is in step with some devices in a zone that is not proven complete.
    private func harness(_ devices: [Int] = [2], theirs: UInt64 = 3, isUnverified: Bool = true) -> CoreHarness {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(snapshot(isUnverified: isUnverified), before: [:]))
        for device in devices { _ = harness.openInStep(device, theirs: [2: theirs]) }
        return harness
    }

    /// Waits long enough for the next comparison, and not for a request that was not answered.
    private func wait(_ harness: inout CoreHarness, _ milliseconds: UInt64 = 150_000) -> [SyncEffect] {
        harness.wait(milliseconds, hearing: [2, 3])
    }

    @Test func `is requested by an incomplete replica although it lacks no run of the other`() {
        var harness = harness()
        #expect(wait(&harness).requests(to: 2) == [Self.first])
        var complete = self.harness(isUnverified: false)
        #expect(wait(&complete).requests(to: 2).isEmpty)
        // Operations that are still to come may make it complete.
        var lacking = self.harness(theirs: 5)
        #expect(wait(&lacking).requests(to: 2).isEmpty)
    }

    @Test func `is requested at once if a run cannot be explained`() {
        for isUnverified in [true, false] {
            var harness = harness(isUnverified: isUnverified)
            harness.hear(2, .run(Sample.run(2, from: 3, to: 6)))
            let effects = harness.feed(.runApplied(2, Sample.log(2), .unexplained))
            #expect(effects.requests(to: 2) == [Self.first])
            #expect(effects.states(to: 2).count == 1, "the peer hears that the run did not fit")
        }
    }

    @Test func `arrives page by page, and then the run is applied again`() throws {
        var harness = harness()
        harness.hear(2, .run(Sample.run(2, from: 3, to: 6)))
        harness.feed(.runApplied(2, Sample.log(2), .unexplained))
        let page = Self.page([1, 2], isLast: false)
        let begun = try #require(harness.hear(2, .liveSetPage(page)).taken.first)
        #expect(begun.page == page)
        #expect(begun.comparison == LiveSetComparison(zone: Sample.zone(0), teller: Sample.device(2)))
        let rest = harness.feed(.liveSetTaken(2, Sample.zone(0), .partial(begun.comparison)))
        #expect(rest.requests(to: 2) == [begun.comparison.request])
        let end = Self.page([3], isLast: true)
        #expect(harness.hear(2, .liveSetPage(end)).taken.count == 1)
        let whole = begun.comparison.continued(by: page, end)
        let told = harness.feed(.liveSetTaken(2, Sample.zone(0), .settled(whole, goneCount: 1)))
        #expect(told.states(to: 2).count == 1, "so that the run is sent again")
        let effects = harness.hear(2, .run(Sample.run(2, from: 3, to: 6)))
        #expect(effects.purposes == [.replication(liveSet: whole)])
        // Once the zone is complete it is not needed any more.
        harness.feed(.zoneChanged(snapshot(6), before: [Sample.log(2): 3]))
        #expect(harness.hear(2, .run(Sample.run(2, from: 6, to: 7))).purposes == [.replication(liveSet: whole)])
        harness.feed(.zoneChanged(snapshot(7, isUnverified: false), before: [Sample.log(2): 6]))
        #expect(harness.hear(2, .run(Sample.run(2, from: 7, to: 8))).purposes == [.replication(liveSet: nil)])
    }

    @Test
    func `is dropped when the run that needed it is refused, and requested again when the zone has grown`()
        throws
    {
        var harness = harness()
        harness.feed(.runApplied(2, Sample.log(2), .unexplained))
        let begun = try #require(harness.hear(2, .liveSetPage(Self.page([1], isLast: true))).taken.first)
        // One that was on its way without it is refused once more.
        harness.hear(2, .run(Sample.run(2, from: 3, to: 6)))
        let whole = begun.comparison.continued(by: begun.page)
        harness.feed(.liveSetTaken(2, Sample.zone(0), .settled(whole, goneCount: 0)))
        harness.feed(.runApplied(2, Sample.log(2), .unexplained))
        let again = harness.hear(2, .run(Sample.run(2, from: 3, to: 6)))
        #expect(again.purposes == [.replication(liveSet: whole)])
        #expect(harness.feed(.runApplied(2, Sample.log(2), .unexplained)).requests(to: 2).isEmpty)
        #expect(harness.hear(2, .run(Sample.run(2, from: 3, to: 6))).purposes == [.replication(liveSet: nil)])
        harness.feed(.zoneChanged(snapshot(4), before: [Sample.log(2): 3]))
        #expect(harness.feed(.runApplied(2, Sample.log(2), .unexplained)).requests(to: 2).isEmpty, "not so soon")
        _ = harness.wait(30_000, hearing: [2])
        _ = harness.wait(30_000, hearing: [2])
        #expect(harness.feed(.runApplied(2, Sample.log(2), .unexplained)).requests(to: 2) == [Self.first])
    }

    @Test(arguments: [true, false])
    func `is not requested again so soon for a run if the zone has not grown`(isUnverified: Bool) {
        var harness = harness(isUnverified: isUnverified)
        #expect(harness.feed(.runApplied(2, Sample.log(2), .unexplained)).requests(to: 2) == [Self.first])
        harness.hear(2, .liveSetPage(LiveSetPage(nothingOf: Sample.zone(0))))
        for _ in 0..<2 { _ = harness.wait(30_000, hearing: [2]) }
        #expect(harness.feed(.runApplied(2, Sample.log(2), .unexplained)).requests(to: 2).isEmpty)
    }

    @Test func `is asked of each at most once in ten minutes, since others may have adopted another checkpoint`() throws
    {
        var harness = harness([2, 3])
        harness.feed(.runApplied(2, Sample.log(2), .unexplained))
        let begun = try #require(harness.hear(2, .liveSetPage(Self.page([1], isLast: true))).taken.first)
        let whole = begun.comparison.continued(by: begun.page)
        harness.feed(.liveSetTaken(2, Sample.zone(0), .settled(whole, goneCount: 0)))
        #expect(wait(&harness, 500_000).requests(to: 2).isEmpty)
        #expect(wait(&harness, 500_000).requests(to: 3).count <= 1)
    }

    @Test func `is requested from another peer when one has none, is late, or is gone`() {
        var silent = harness([2, 3])
        let asked = wait(&silent, 600_000)
        #expect(asked.requests(to: 2).count == 1)
        #expect(asked.requests(to: 3).count == 1)
        for isUnverified in [true, false] {
            var empty = harness([2, 3], isUnverified: isUnverified)
            empty.feed(.runApplied(2, Sample.log(2), .unexplained))
            let nothing = PeerMessage.liveSetPage(LiveSetPage(nothingOf: Sample.zone(0)))
            #expect(empty.hear(2, nothing).requests(to: 3) == [Self.first])
            let effects = empty.hear(3, nothing) + wait(&empty, 500_000)
            #expect(effects.requests(to: 2).isEmpty && effects.requests(to: 3).isEmpty, "each once for a while")
        }
        var gone = harness([2, 3])
        _ = wait(&gone)
        let first = gone.core.nextDeadline
        gone.feed(.closed(2))
        gone.feed(.closed(3))
        #expect(first != nil)
        #expect(gone.core.nextDeadline == nil, "nobody is waited for who is gone")
    }

    @Test func `that was not requested, or that does not follow, is not accepted`() throws {
        var harness = harness([2, 3])
        #expect(harness.hear(2, .liveSetPage(Self.page([1], isLast: true))).taken.isEmpty)
        harness.feed(.runApplied(2, Sample.log(2), .unexplained))
        #expect(harness.hear(3, .liveSetPage(Self.page([1], isLast: true))).taken.isEmpty, "another one was asked")
        #expect(harness.hear(2, .liveSetPage(Self.page([1], isLast: true))).taken.count == 1)
        #expect(harness.hear(2, .liveSetPage(Self.page([1], isLast: true))).taken.isEmpty, "one is being taken in")
    }

    @Test func `is sent to peers that may read the zone, a page at a time`() {
        var harness = harness([2], isUnverified: false)
        #expect(harness.hear(2, .liveSetRequest(Self.first)).liveSetReads == [Self.first])
        #expect(harness.hear(2, .liveSetRequest(Self.first)).liveSetReads.isEmpty, "one is being read")
        let page = Self.page([1], isLast: true)
        #expect(harness.feed(.liveSetRead(2, page)).messages(to: 2) == [.liveSetPage(page)])
        #expect(harness.hear(2, .liveSetRequest(Self.first)).liveSetReads == [Self.first])
        let unknown = LiveSetRequest(zone: Sample.zone(9))
        #expect(harness.hear(2, .liveSetRequest(unknown)).isEmpty)
        harness.open(5, account: AccountID(Sample.hash(5).digest))
        #expect(harness.hear(5, .liveSetRequest(Self.first)).liveSetReads.isEmpty)
    }
}

extension LiveSetComparison {
    /// The comparison after some more pages.
    fileprivate func continued(by pages: LiveSetPage...) -> LiveSetComparison {
        pages.reduce(into: self) { $0.append($1) }
    }
}

extension [SyncEffect] {
    fileprivate func requests(to device: Int) -> [LiveSetRequest] {
        messages(to: device).compactMap { if case .liveSetRequest(let request) = $0 { request } else { nil } }
    }

    fileprivate var taken: [(page: LiveSetPage, comparison: LiveSetComparison)] {
        compactMap { if case .write(.take(_, let page, let comparison)) = $0 { (page, comparison) } else { nil } }
    }

    fileprivate var liveSetReads: [LiveSetRequest] {
        compactMap { if case .read(.liveSet(_, let request)) = $0 { request } else { nil } }
    }

    fileprivate var purposes: [RunPurpose] {
        compactMap { if case .write(.apply(_, _, _, let purpose)) = $0 { purpose } else { nil } }
    }
}
