import Sync
import Testing
import Wire

@Suite struct `The reply to a change of the store` {
    @Test func `lets the core look for another payload where one is complete or unwanted, and not with each chunk`()
        throws
    {
        var neighbours = try Neighbours([1, 1], envelopes: BoxEnvelopes())
        let zone = try neighbours.zone(of: 0)
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        try neighbours.settle(zone)
        let payload = try neighbours.handIn([UInt8](repeating: 7, count: 150_000), on: 0, zone: zone)
        _ = try neighbours.send(payload: payload, on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        let (giver, store) = (Payloads(neighbours.committer(0)), neighbours.homes[0].store)
        let all = PayloadRequest(zone: zone, payload: payload, positions: [0, 1, 2])
        let outlineRequest = PayloadRequest(zone: zone, outlineOf: payload)
        guard
            case .outline(let outline, _, _) = try giver.answer(outlineRequest, in: store),
            case .chunks(let chunks, _) = try giver.answer(all, in: store)
        else {
            Issue.record("the sender does not have it")
            return
        }
        try #require(chunks.count == 3)
        func mayWantPayloads(after change: StoreWrite) throws -> Bool {
            try neighbours.change(1) { try change.perform(by: $0, random: &$1, in: &$2).reply.mayWantPayloads }
        }
        let outlined = try mayWantPayloads(after: .keepOutline(7, outline, of: payload))
        let kept = try [2, 0, 1, 1].map { try mayWantPayloads(after: .keepChunk(7, chunks[$0])) }
        #expect(!outlined)
        #expect(kept == [false, false, true, true], "the last one comes when nothing is wanted any more")
    }
}
