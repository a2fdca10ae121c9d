import Sync
import Testing
import Wire

@Suite struct `The report on a run from a peer` {
    private func imports(_ effects: [SyncEffect]) -> [Transfer] {
        effects.compactMap { effect in
            guard case .transfer(let transfer) = effect, transfer.direction == .incoming else { return nil }
            return transfer
        }
    }

    /// A core to which a peer has sent five operations.
    private func harness() -> CoreHarness {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot([1: 10]), before: [:]))
        _ = harness.openInStep(2, theirs: [1: 10])
        harness.hear(2, .run(Sample.run(2, from: 0, to: 5)))
        return harness
    }

    @Test func `counts its operations when they are durable`() {
        var harness = harness()
        harness.feed(.zoneChanged(Sample.snapshot([1: 10, 2: 5]), before: [Sample.log(2): 0]))
        let done = imports(harness.feed(.runApplied(2, Sample.log(2), .durable(size: 5, operations: 5))))
        #expect(done.map(\.count) == [5] && done.map(\.failure) == [nil])
        #expect(done.map(\.zone) == [Sample.zone(0)] && done.map(\.peer) == [Sample.device(2)])
    }

    @Test func `names the failure of one that was not taken in, also where the session ends by it`() {
        let failures: [(RunOutcome, Transfer.Failure)] = [
            (.storageFull, .storageFull), (.storageFailed, .storageFailed), (.contradiction, .contradiction),
            (.violation("as the test wants it"), .violation),
        ]
        for (outcome, failure) in failures {
            var harness = harness()
            let done = imports(harness.feed(.runApplied(2, Sample.log(2), outcome)))
            #expect(done.map(\.count) == [0] && done.map(\.failure) == [failure])
        }
    }
}
