import Sync
import Testing
import Wire

/// Whether a replica holds such a log depends on the grants that it has heard of, and some are not sent any more.
@Suite struct `A control log under a right that is void or not known` {
    private let key = Sample.log(4, zone: 0, .control)
    private let snapshot = Sample.snapshot(0, [1: 3], control: [4: 2], uncompared: [4])

    @Test func `is stated, and changes no digest`() {
        #expect(snapshot.state == Sample.snapshot([1: 3]).state)
        #expect(snapshot.state != Sample.snapshot(0, [1: 3], control: [4: 2]).state)
        #expect(snapshot.controlOnly.state == Sample.snapshot([:]).state)
        #expect(snapshot.toldLogs.map(\.size).sorted() == [2, 3])
    }

    @Test func `changes no digest by its fork either`() {
        let heads = ([5, 6] as [UInt64]).map { Sample.signedHead(4, size: $0, lane: .control) }
        let forked = ZoneSnapshot(
            zone: snapshot.zone,
            genesis: snapshot.genesis,
            logs: snapshot.logs,
            checkpoint: .zero,
            forks: [key: ForkProof(heads[0], heads[1])],
            uncompared: [key]
        )
        #expect(forked.state == snapshot.state)
    }

    @Test func `is not taken to be held by a peer that is found equal`() throws {
        var pair = CorePair([Sample.snapshot([1: 3])], [snapshot])
        try pair.compare()
        #expect(pair.inSync == [1, 1])
        #expect(pair.saved[1] == [Sample.log(1): 3])
    }

    @Test func `is sent to a peer that states less of it`() {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(snapshot, before: [:]))
        harness.open(2)
        let effects = harness.hear(2, .zoneState(Sample.zoneState([1: 3]))) + harness.wait(1_000)
        #expect(effects.reads.map(\.key) == [key])
    }

    @Test func `is sent once to a peer that ends it at zero, also beside another one`() throws {
        var harness = CoreHarness()
        let both = Sample.snapshot(0, [1: 3], control: [3: 4, 4: 2], uncompared: [3, 4])
        harness.feed(.zoneChanged(both, before: [:]))
        harness.open(2)
        let state = PeerMessage.zoneState(Sample.zoneState(0, [1: 3], control: [3: 0, 4: 0]))
        let reads = (harness.hear(2, state) + harness.wait(1_000)).reads
        #expect(Set(reads.map(\.key)) == [Sample.log(3, zone: 0, .control), key])
        for read in reads { try harness.read(read, to: read.key == key ? 2 : 4) }
        harness.hear(2, Sample.acknowledge(3, size: 4, lane: .control))
        harness.hear(2, Sample.acknowledge(4, size: 2, lane: .control))
        #expect((harness.hear(2, state) + harness.wait(1_000)).reads.isEmpty)
    }

    @Test func `is not missing where a peer states more of it`() {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot(0, [1: 3], control: [4: 0], uncompared: [4]), before: [:]))
        harness.open(2)
        harness.hear(2, .zoneState(Sample.zoneState(0, [1: 3], control: [4: 2])))
        #expect(harness.core.missing.isEmpty)
    }
}
