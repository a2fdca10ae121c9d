import Sync
import Testing
import Wire

@Suite struct `The first operation of a log in a zone that is not known here` {
    @Test(arguments: [RunOutcome.misplaced, .unexplained])
    func `waits at the relay for its zone`(outcome: RunOutcome) {
        var harness = CoreHarness()
        let run = PeerMessage.run(Sample.run(2, from: 0, to: 1))
        #expect(harness.feed(.mailed(Sample.delivery(of: 2, [run]))).appliedKeys == [Sample.log(2)])
        let effects = harness.feed(.runApplied(1_002, Sample.log(2), outcome))
        let settled: [MailOutcome] = effects.compactMap { effect in
            guard case .mailSettled(1_002, let result) = effect else { return nil }
            return result
        }
        #expect(settled == [MailOutcome(awaited: [Sample.zone(0)])])
    }
}
