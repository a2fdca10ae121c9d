import Records
import Testing
import Wire

@testable import Sync

@Suite struct `Requests to a relay that its store is deciding about` {
    private func request(_ number: UInt64) -> CustodyRequest {
        CustodyRequest(zone: Sample.zone(0), payload: PayloadID(Sample.hash(number).digest), byteCount: 100)
    }

    private func answers(_ effects: [SyncEffect]) -> [CustodyAnswer.Outcome] {
        effects.messages(to: 2).compactMap { if case .custodyAnswer(let answer) = $0 { answer.outcome } else { nil } }
    }

    @Test func `count against the limit and are answered, whatever the relay's own requests are meanwhile`() {
        var limits = SyncLimits()
        limits.custodyAskedCountMax = 2
        var harness = CoreHarness(limits: limits)
        harness.feed(.zoneChanged(Sample.snapshot([1: 3]), before: [:]))
        _ = harness.openInStep(2, theirs: [1: 3])
        for number in 1...2 as ClosedRange<UInt64> { harness.hear(2, .custodyRequest(request(number))) }
        harness.feed(.custodyDue([]))
        #expect(harness.core.custodyLoad.pending == 2)
        #expect(answers(harness.hear(2, .custodyRequest(request(3)))) == [.full])
        #expect(answers(harness.feed(.custodyDecided(2, request(1), .refused))) == [.refused])
        #expect(harness.core.custodyLoad.pending == 1)
    }
}
