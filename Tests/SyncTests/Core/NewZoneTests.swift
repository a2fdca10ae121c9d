import Sync
import Testing
import Wire

/// A zone that comes to be known changes which sessions may read zones, as a right does.
@Suite struct `A zone that comes to be known` {
    private let payload = PayloadID(Sample.hash(1).digest)

    @Test func `has its wanted payloads requested at once from the devices that are connected`() {
        var harness = CoreHarness()
        harness.open(2)
        let want = PayloadWant(zone: Sample.zone(0), payload: payload, sender: Sample.device(2), missing: [0])
        let request = PayloadRequest(zone: Sample.zone(0), payload: payload, positions: [0])
        let early = harness.feed(.payloadWanted(want)).messages(to: 2)
        #expect(early.isEmpty)
        let made = harness.feed(.zoneChanged(Sample.snapshot([1: 1]), before: [:])).messages(to: 2)
        #expect(made.contains(.payloadRequest(request)))
    }

    @Test func `has its relays told at once of the payloads that they need not keep`() {
        var harness = CoreHarness()
        harness.open(2)
        let job = CustodyJob(.release, relay: Sample.device(2), zone: Sample.zone(0), payload: payload)
        let release = CustodyRequest(zone: Sample.zone(0), payload: payload)
        let early = harness.feed(.custodyDue([job])).messages(to: 2)
        #expect(early.isEmpty)
        let made = harness.feed(.zoneChanged(Sample.snapshot([1: 1]), before: [:])).messages(to: 2)
        #expect(made.contains(.custodyRelease(release)))
    }
}
