import Identity
import Records
import Sync
import Testing
import Wire

@Suite struct `The reply about a run` {
    @Test func `names its session with the anomalies that were found in it, ahead of the outcome`() throws {
        var neighbours = try Neighbours([1, 1])
        let zone = try neighbours.zone(of: 0)
        _ = try neighbours.grant(.read, to: 1, by: 0, zone: zone)
        try neighbours.exchange(zone)
        // A reader decides about the access to the zone, as no honest program lets it.
        try neighbours.say(.publicAccess(.none), on: 1, zone: zone)
        let (author, store) = (neighbours.homes[1].keys.deviceID, neighbours.homes[1].store)
        let row = try #require(try store.logs(zone: zone).first { $0.key.lane == .control && $0.device == author })
        let key = row.key
        let run = try #require(
            try RunExchange(neighbours.committer(1)).run(key, from: 0, byteCount: 1 << 20, in: store)
        )
        let change = StoreWrite.apply(7, run, key, .replication(liveSet: nil))
        let inputs = try neighbours.change(0) { try change.perform(by: $0, random: &$1, in: &$2).reply.inputs }
        try #require(inputs.count == 2)
        guard case .anomaliesFound(let session, let found) = inputs[0] else {
            Issue.record("\(inputs)")
            return
        }
        #expect(session == 7)
        #expect(found.map(\.kind) == [.outOfRight])
        #expect(found.map(\.author) == [author])
        guard case .runApplied(7, key, .durable) = inputs[1] else {
            Issue.record("\(inputs)")
            return
        }
        // When it comes again nothing is found that was not reported before.
        let again = try neighbours.change(0) { try change.perform(by: $0, random: &$1, in: &$2).reply.inputs }
        #expect(again.count == 1)
    }
}
