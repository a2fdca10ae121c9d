import TestSupport
import Testing
import Wire

@testable import Sync

/// The core's requests to relays of its account about contents of records.
@Suite struct `Relays of the account` {
    private static func payload(_ number: UInt64) -> PayloadID { PayloadID(Sample.hash(number).digest) }

    private func job(_ number: UInt64 = 1, relay: Int = 2, byteCount: UInt64 = 100) -> CustodyJob {
        CustodyJob(
            .keep,
            for: .record,
            relay: Sample.device(relay),
            zone: Sample.zone(0),
            payload: Self.payload(number),
            byteCount: byteCount
        )
    }

    private func answer(_ outcome: CustodyAnswer.Outcome, _ number: UInt64 = 1) -> PeerMessage {
        .custodyAnswer(CustodyAnswer(zone: Sample.zone(0), payload: Self.payload(number), outcome: outcome))
    }

    private func found(_ jobs: [CustodyJob], through: UInt64 = 9, isAtEnd: Bool = true) -> SyncInput {
        var found = CustodySearch.Found()
        (found.jobs, found.through, found.isAtEnd) = (jobs, through, isAtEnd)
        return .custodySearched(found)
    }

    /// A core that holds zone 0, with sessions of some devices, of which device 2 is a relay.
    private func harness(_ devices: [Int] = [2, 3], limits: SyncLimits = SyncLimits()) -> CoreHarness {
        var harness = CoreHarness(limits: limits)
        harness.feed(.zoneChanged(Sample.snapshot([1: 3]), before: [:]))
        harness.feed(.relaysChanged([Sample.device(2)]))
        for device in devices { _ = harness.openInStep(device, theirs: [1: 3]) }
        return harness
    }

    @Test func `are looked for contents only while one has a session`() {
        var harness = harness([3])
        #expect(harness.core.takeCustodySearch() == nil)
        _ = harness.openInStep(2, theirs: [1: 3])
        let search = harness.core.takeCustodySearch()
        #expect(search == CustodySearch(relays: [Sample.device(2)], limit: harness.core.limits.custodyJobCountMax))
        #expect(harness.core.takeCustodySearch() == nil, "the store has not answered")
        _ = harness.feed(.closed(2))
        harness.feed(found([job()]))
        #expect(harness.core.custodyLoad.jobs == 0)
    }

    @Test func `are asked at once, and each hour again`() {
        var harness = harness()
        _ = harness.core.takeCustodySearch()
        let effects = harness.feed(found([job(), job(2)]))
        #expect(effects.messages(to: 2) == [job().message, job(2).message] && effects.messages(to: 3).isEmpty)
        #expect(harness.hear(2, answer(.stored(until: 5))).kinds == [.record])
        #expect(harness.core.custodyLoad.jobs == 1, "the store knows when it is to be asked again")
        #expect(harness.core.takeCustodySearch() == nil)
        harness.wait(3_599_000, hearing: [2, 3])
        #expect(harness.core.takeCustodySearch() == nil)
        harness.wait(1_000, hearing: [2, 3])
        #expect(harness.core.takeCustodySearch()?.after == 0)
    }

    @Test func `are looked for the rest from where the last page ended`() {
        var limits = SyncLimits()
        limits.custodyJobCountMax = 2
        var harness = harness(limits: limits)
        #expect(harness.core.takeCustodySearch()?.limit == 2)
        harness.feed(found([job(1), job(2)], through: 7, isAtEnd: false))
        #expect(harness.core.takeCustodySearch() == nil, "there is no room")
        _ = harness.hear(2, answer(.stored(until: 5), 1))
        let search = harness.core.takeCustodySearch()
        #expect(search?.after == 7 && search?.limit == 1)
    }

    @Test func `are asked for a content that has just come after the time in which its zone arrives`() {
        var harness = harness()
        _ = harness.core.takeCustodySearch()
        harness.feed(found([]))
        #expect(harness.core.takeCustodySearch() == nil)
        var news = CustodyNews()
        news.contents = [Self.payload(1)]
        harness.feed(.custodyNews(news))
        let search = harness.core.takeCustodySearch()
        #expect(search?.contents == [Self.payload(1)] && search?.limit == 0)
        var found = CustodySearch.Found()
        found.news = [job()]
        #expect(harness.feed(.custodySearched(found)).messages(to: 2).isEmpty)
        #expect(harness.wait(10_100, hearing: [2, 3]).messages(to: 2).contains(job().message))
    }

    @Test func `that come later learn of the contents that came while they were away`() {
        var harness = harness()
        _ = harness.core.takeCustodySearch()
        harness.feed(found([]))
        _ = harness.feed(.closed(2))
        var news = CustodyNews()
        news.contents = [Self.payload(1)]
        harness.feed(.custodyNews(news))
        _ = harness.openInStep(2, theirs: [1: 3])
        #expect((harness.core.takeCustodySearch()?.limit ?? 0) > 0, "all contents are looked through")
    }

    @Test func `that went without an answer are asked again when they are back`() {
        var harness = harness()
        _ = harness.core.takeCustodySearch()
        #expect(harness.feed(found([job()])).messages(to: 2) == [job().message])
        _ = harness.feed(.closed(2))
        #expect(harness.core.custodyLoad.jobs == 0)
        _ = harness.openInStep(2, theirs: [1: 3])
        #expect(harness.core.takeCustodySearch()?.after == 0)
        #expect(harness.feed(found([job()])).messages(to: 2) == [job().message])
    }

    @Test func `are looked through again when a setting changes`() {
        var harness = harness()
        _ = harness.core.takeCustodySearch()
        harness.feed(found([]))
        var news = CustodyNews()
        news.hasSettings = true
        harness.feed(.custodyNews(news))
        #expect((harness.core.takeCustodySearch()?.limit ?? 0) > 0)
    }

    @Test func `that are full get nothing as large for ten minutes`() {
        var harness = harness()
        _ = harness.core.takeCustodySearch()
        harness.feed(found([job(1, byteCount: 100)], isAtEnd: false))
        #expect(harness.hear(2, answer(.full)).kinds == [.record])
        #expect(harness.core.fullRelays(for: 65_536, at: harness.now) == [Sample.device(2)])
        _ = harness.core.takeCustodySearch()
        let effects = harness.feed(found([job(2, byteCount: 100), job(3, byteCount: 99)]))
        #expect(effects.messages(to: 2) == [job(3, byteCount: 99).message])
        harness.wait(601_000, hearing: [2, 3])
        #expect(harness.core.fullRelays(for: 65_536, at: harness.now).isEmpty)
        #expect(harness.core.takeCustodySearch()?.after == 0)
        let later = harness.feed(found([job(2, byteCount: 100)]))
        #expect(later.messages(to: 2) == [job(2, byteCount: 100).message])
    }

    @Test func `keep places for messages, which are asked for first`() {
        var limits = SyncLimits()
        limits.custodyAskedCountMax = 4
        var harness = harness(limits: limits)
        _ = harness.core.takeCustodySearch()
        let effects = harness.feed(found((1...9).map { job($0) }))
        #expect(effects.messages(to: 2).count == 3)
        let message = CustodyJob(
            .release,
            relay: Sample.device(2),
            zone: Sample.zone(0),
            payload: Self.payload(20)
        )
        #expect(harness.feed(.custodyDue([message])).messages(to: 2) == [message.message])
        #expect(harness.core.custodyLoad.asked == 4)
    }

    @Test func `are looked for again after a while where the store could not be read`() {
        var harness = harness()
        _ = harness.core.takeCustodySearch()
        harness.feed(.custodySearched(nil))
        #expect(harness.core.takeCustodySearch() == nil)
        harness.wait(600_000, hearing: [2, 3])
        #expect(harness.core.takeCustodySearch() != nil)
    }
}

extension [SyncEffect] {
    /// The data for which answers of relays are remembered.
    fileprivate var kinds: [CustodyRequest.Kind] {
        compactMap { if case .write(.noteCustody(_, _, let kind)) = $0 { kind } else { nil } }
    }
}
