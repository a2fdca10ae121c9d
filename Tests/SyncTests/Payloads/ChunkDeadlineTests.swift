import Records
import Sync
import Testing
import Wire

@Suite struct `A peer that sends requested chunks one by one` {
    private let payload = PayloadID(Sample.hash(1).digest)

    private func requests(_ effects: [SyncEffect]) -> [SessionID: [[UInt64]]] {
        effects.reduce(into: [:]) { result, effect in
            guard case .send(let id, .payloadRequest(let request)) = effect else { return }
            result[id, default: []].append(request.positions)
        }
    }

    @Test func `has the time of an answer again after each of them`() {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot([1: 3]), before: [:]))
        for device in [2, 3] { _ = harness.openInStep(device, theirs: [1: 3]) }
        let want = PayloadWant(zone: Sample.zone(0), payload: payload, sender: Sample.device(2), missing: [0, 1])
        #expect(requests(harness.feed(.payloadWanted(want))) == [2: [[0, 1]]])
        harness.wait(20_000, hearing: [2, 3])
        let chunk = PayloadChunk(zone: Sample.zone(0), payload: payload, position: 0, bytes: [1])
        harness.hear(2, .payloadChunk(chunk))
        harness.feed(.payloadKept(2, payload, position: 0, .kept))
        #expect(requests(harness.wait(29_000, hearing: [2, 3])).isEmpty)
        #expect(requests(harness.wait(2_000, hearing: [2, 3])) == [3: [[1]]])
    }
}
