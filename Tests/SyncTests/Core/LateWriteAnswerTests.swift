import Sync
import Testing
import Wire

@Suite struct `The answer to a removed device's late writes` {
    @Test func `is one about the log of the last run, and lets the next zone follow`() throws {
        var harness = CoreHarness()
        for number in 0...1 { harness.feed(.zoneChanged(Sample.snapshot(number, [1: 5]), before: [:])) }
        harness.open(2)
        func offers(_ effects: [SyncEffect]) -> [ZoneID] {
            effects.messages(to: 2).compactMap { if case .acknowledge(let offer) = $0 { offer.zone } else { nil } }
        }
        let zone = try #require(offers(harness.know([2, 3, 4], removed: [1])).first)
        func answer(_ device: Int, _ lane: Lane, _ size: UInt64) -> [SyncEffect] {
            let log = AcknowledgedLog(actor: Sample.actor(device), lane: lane, size: size)
            return harness.hear(2, .acknowledge(Acknowledge(zone: zone, logs: [log])))
        }
        _ = answer(1, .data, 3)
        let run = Sample.run(1, zone: zone == Sample.zone(0) ? 0 : 1, from: 3, to: 5)
        #expect(harness.feed(.depositsRead(2, zone, [run])).runs(to: 2) == [5])
        #expect(offers(answer(3, .data, 9)).isEmpty, "the log of another device")
        #expect(offers(answer(1, .control, 9)).isEmpty, "the other lane")
        #expect(offers(answer(1, .data, 5)).count == 1)
    }
}
