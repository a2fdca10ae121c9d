import Sync
import Testing
import Wire

@Suite("A run that a peer did not keep")
struct UnwantedRunTests {
    /// Returns device 1, which holds 10 operations of its own, beside device 2, which did not want the last two.
    private func declined() throws -> CoreHarness {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot(0, [1: 10], control: [3: 4]), before: [:]))
        harness.open(2)
        let effects = harness.hear(2, .zoneState(Sample.zoneState(0, [1: 8], control: [3: 4])))
        try harness.read(effects.reads.first, to: 10)
        harness.hear(2, Sample.acknowledge(1, size: 10))
        return harness
    }

    private func reads(_ harness: inout CoreHarness, control: [Int: UInt64]) -> [UInt64] {
        harness.hear(2, .zoneState(Sample.zoneState(0, [1: 8], control: control))).reads.map(\.from)
    }

    @Test func `is not sent again while the peer has learned nothing new`() throws {
        var harness = try declined()
        #expect(reads(&harness, control: [3: 4]) == [])
        // Nor if it has lost something.
        #expect(reads(&harness, control: [3: 3]) == [])
    }

    @Test func `is sent again when the peer reports that it has learned more of the rights`() throws {
        var harness = try declined()
        #expect(reads(&harness, control: [3: 4, 4: 1]) == [8])
    }

    @Test func `is sent again once, when the peer acknowledges a control log to another peer`() throws {
        var harness = try declined()
        harness.hear(2, Sample.acknowledge(3, size: 5, lane: .control))
        let effects = harness.hear(2, .zoneState(Sample.zoneState(0, [1: 8], control: [3: 5])))
        #expect(effects.reads.map(\.from) == [8])
        try harness.read(effects.reads.first, to: 10)
        harness.hear(2, Sample.acknowledge(1, size: 10))
        #expect(reads(&harness, control: [3: 5]) == [])
    }

    @Test func `is sent again when either has sent the other an account's log`() throws {
        var harness = try declined()
        harness.know([1, 2, 3, 4, 5])
        #expect(reads(&harness, control: [3: 4]) == [8])
        harness = try declined()
        harness.hear(2, .accountEntries(AccountEntries(account: Sample.account, entries: [], more: false)))
        #expect(reads(&harness, control: [3: 4]) == [8])
    }
}
