import Sync
import Testing
import Wire

@Suite struct `A run that begins with a gap behind which the peer stands` {
    private func gap(to size: UInt64) -> Run {
        let gap = SubtreeGap(level: 2, index: 0, hash: .zero)
        return Run(signedHead: Sample.signedHead(1, size: size), from: 0, checkpoint: .zero, items: [.gap(gap)])
    }

    @Test func `is sent if it leads beyond the peer's place, and else not`() {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot([1: 5]), before: [:]))
        let reads = harness.openInStep(2, theirs: [1: 4]).reads
        #expect(reads == [ReadOrder(session: 2, key: Sample.log(1), from: 4)])
        let none = harness.feed(.runRead(2, Sample.log(1), gap(to: 4), byteCount: 100))
        #expect(none.runs(to: 2).isEmpty)
        #expect(none.reads == reads, "the rest is read again")
        #expect(harness.feed(.runRead(2, Sample.log(1), gap(to: 5), byteCount: 100)).runs(to: 2) == [5])
    }
}
