import Sync
import Testing
import Wire

@Suite struct `Operations that connected devices hold and this one does not` {
    @Test func `are counted by zone and device, for as long as the device is connected`() {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot(0, [1: 10, 3: 5]), before: [:]))
        harness.feed(.zoneChanged(Sample.snapshot(1, [1: 1]), before: [:]))
        _ = harness.openInStep(2, theirs: [1: 4, 3: 8, 4: 7])
        harness.hear(2, .zoneState(Sample.zoneState(1, [1: 1, 2: 1])))
        _ = harness.openInStep(3, theirs: [1: 10, 3: 6])
        // Of device 2 three of a log that is held in part, and seven of one that is not held.
        var expected: [ZoneID: [DeviceID: UInt64]] = [
            Sample.zone(0): [Sample.device(2): 10, Sample.device(3): 1],
            Sample.zone(1): [Sample.device(2): 1],
        ]
        #expect(harness.core.missing == expected)
        let arrived = Sample.snapshot(0, [1: 10, 3: 8, 4: 7])
        harness.feed(.zoneChanged(arrived, before: [Sample.log(3): 5, Sample.log(4): 0]))
        expected[Sample.zone(0)] = nil
        #expect(harness.core.missing == expected)
        harness.feed(.closed(2))
        #expect(harness.core.missing.isEmpty)
    }
}
