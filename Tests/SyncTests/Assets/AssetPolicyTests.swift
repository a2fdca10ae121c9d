import Identity
import Records
import Sync
import Testing
import Wire

@Suite struct `The policy of a zone` {
    private static let large = [UInt8](repeating: 7, count: 150_000)

    /// A content that device 0 has named in a record of the first zone, and two zones.
    private func named() throws -> (neighbours: Neighbours, zones: [ZoneID], payload: PayloadID) {
        var neighbours = try Neighbours([1, 1], seed: 1, envelopes: BoxEnvelopes())
        let zones = try (0..<2).map { _ in
            let zone = try neighbours.zone(of: 0)
            _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
            try neighbours.settle(zone)
            return zone
        }
        let payload = try neighbours.handIn(Self.large, on: 0, zone: zones[0])
        try neighbours.attach([payload], to: "photo", on: 0, zone: zones[0])
        try neighbours.settle(zones[0])
        return (neighbours, zones, payload)
    }

    @Test(
        arguments: [
            (AssetPolicy.never, false), (.onDemand, false), (.upTo(149_999), false), (.upTo(150_000), true),
            (.always, true),
        ]
    )
    func `decides about new contents, and again when it changes`(policy: AssetPolicy, isFetched: Bool) throws {
        var (neighbours, zones, payload) = try named()
        try neighbours.setPolicy(policy, on: 1, zone: zones[0])
        try neighbours.look(1)
        #expect(try neighbours.assetState(payload, on: 1) == (isFetched ? .queued : .remote))
        // The other way round, with a chunk that is here by then.
        try neighbours.setPolicy(isFetched ? .onDemand : nil, on: 1, zone: zones[0])
        if isFetched { _ = try neighbours.keepOutline(payload, from: 0, on: 1, zone: zones[0]) }
        if isFetched { _ = try neighbours.keepChunk(0, of: payload, from: 0, on: 1, zone: zones[0]) }
        let notice = try neighbours.look(1)
        #expect(try neighbours.assetState(payload, on: 1) == (isFetched ? .remote : .queued))
        #expect(notice.assets == [payload])
        #expect(notice.peers?.unwanted ?? [] == (isFetched ? [payload] : []))
        #expect(try neighbours.keepChunk(1, of: payload, from: 0, on: 1, zone: zones[0]) == .unwanted)
    }

    @Test func `is one of the device, and setting it again changes nothing`() throws {
        var (neighbours, zones, _) = try named()
        let first = try neighbours.change(1) { try Assets($0).setPolicy(.never, zone: zones[0], in: &$2) }
        let second = try neighbours.change(1) { try Assets($0).setPolicy(.never, zone: zones[0], in: &$2) }
        #expect(first.number != nil && first.needsAssetRound && second.number == nil)
        try neighbours.settle(zones[0])
        #expect(try neighbours.homes[0].store.assetPolicy(zone: zones[0]) == nil)
    }

    @Test func `drops nothing that is here`() throws {
        var (neighbours, zones, payload) = try named()
        try neighbours.look(1)
        try neighbours.fetchPayloads(from: 0, on: 1)
        for policy in [AssetPolicy.never, .onDemand, .upTo(1)] {
            try neighbours.setPolicy(policy, on: 1, zone: zones[0])
            try neighbours.look(1)
            #expect(try neighbours.assetState(payload, on: 1) == .present)
        }
    }

    @Test func `drops no sound part of a content of which another part is damaged`() throws {
        var (neighbours, zones, payload) = try named()
        try neighbours.look(1)
        try neighbours.fetchPayloads(from: 0, on: 1)
        try neighbours.setPolicy(.never, on: 1, zone: zones[0])
        try neighbours.look(1)
        let number = try #require(try neighbours.row(payload, on: 1)).number
        let notice = try neighbours.change(1) { committer, _, store in
            let chunk = try #require(try store.chunk(of: number, at: 1))
            try store.save(ChunkRow(position: 1, hash: chunk.hash, bytes: [7]), of: number)
            return try Payloads(committer).recheck(number: number, position: 1, in: &store)
        }
        #expect(notice.hasWants)
        try neighbours.setPolicy(.onDemand, on: 1, zone: zones[0])
        try neighbours.look(1)
        #expect(try neighbours.wants(1).map(\.missing) == [[1]])
        try neighbours.fetchPayloads(from: 0, on: 1)
        #expect(try neighbours.bytes(of: payload, on: 1) == Self.large)
    }

    @Test func `and nobody who cancels drop a sound part of a content that was uploaded here`() throws {
        var (neighbours, _, payload) = try named()
        try neighbours.look(0)
        let number = try #require(try neighbours.row(payload, on: 0)).number
        let cancelled = try neighbours.change(0) { committer, _, store in
            let chunk = try #require(try store.chunk(of: number, at: 1))
            try store.save(ChunkRow(position: 1, hash: chunk.hash, bytes: [7]), of: number)
            _ = try Payloads(committer).recheck(number: number, position: 1, in: &store)
            return try Assets(committer).cancel(payload, in: &store)
        }
        #expect(cancelled.number == nil)
        #expect(try neighbours.wants(0).map(\.missing) == [[1]])
    }

    @Test func `and nobody who cancels drop a sound part of a content that was here as a whole`() throws {
        var (neighbours, zones, payload) = try named()
        try neighbours.look(1)
        try neighbours.fetchPayloads(from: 0, on: 1)
        #expect(try neighbours.assetState(payload, on: 1) == .present)
        let number = try #require(try neighbours.row(payload, on: 1)).number
        try neighbours.change(1) { committer, _, store in
            let chunk = try #require(try store.chunk(of: number, at: 1))
            try store.save(ChunkRow(position: 1, hash: chunk.hash, bytes: [7]), of: number)
            _ = try Payloads(committer).recheck(number: number, position: 1, in: &store)
        }
        #expect(try neighbours.wants(1).map(\.missing) == [[1]])
        try neighbours.setPolicy(.never, on: 1, zone: zones[0])
        try neighbours.look(1)
        #expect(try neighbours.change(1) { try Assets($0).cancel(payload, in: &$2) }.number == nil)
        #expect(try neighbours.wants(1).map(\.missing) == [[1]])
        // As soon as it is whole again, it is one like any other.
        try neighbours.fetchPayloads(from: 0, on: 1)
        #expect(try neighbours.assetState(payload, on: 1) == .present)
        #expect(try neighbours.bytes(of: payload, on: 1) == Self.large)
    }

    @Test func `ends no transfer that was asked for, and a cancelled one waits for another reason`() throws {
        var (neighbours, zones, payload) = try named()
        try neighbours.setPolicy(.onDemand, on: 1, zone: zones[0])
        try neighbours.look(1)
        let asked = try neighbours.change(1) { try Assets($0).fetch(payload, zone: zones[0], in: &$2) }
        #expect(asked.assets == [payload] && asked.hasWants)
        let again = try neighbours.change(1) { try Assets($0).fetch(payload, zone: zones[0], in: &$2) }
        #expect(again.number == nil)
        try neighbours.setPolicy(.never, on: 1, zone: zones[0])
        try neighbours.look(1)
        #expect(try neighbours.wants(1).map(\.needsRoom) == [false])
        _ = try neighbours.keepOutline(payload, from: 0, on: 1, zone: zones[0])
        _ = try neighbours.keepChunk(0, of: payload, from: 0, on: 1, zone: zones[0])
        let cancelled = try neighbours.change(1) { try Assets($0).cancel(payload, in: &$2) }
        #expect(cancelled.assets == [payload] && cancelled.peers?.unwanted == [payload])
        #expect(try neighbours.assetState(payload, on: 1) == .remote)
        try neighbours.look(1)
        #expect(try neighbours.assetState(payload, on: 1) == .remote && neighbours.wants(1).isEmpty)
        #expect(try neighbours.change(1) { try Assets($0).cancel(payload, in: &$2) }.number == nil)
        try neighbours.setPolicy(nil, on: 1, zone: zones[0])
        try neighbours.look(1)
        #expect(try neighbours.assetState(payload, on: 1) == .queued)
    }

    @Test func `of another zone that names a content fetches it too`() throws {
        var (neighbours, zones, payload) = try named()
        try neighbours.setPolicy(.never, on: 1, zone: zones[0])
        try neighbours.look(1)
        try neighbours.attach([neighbours.described(payload, on: 0)], to: "copy", on: 0, zone: zones[1])
        try neighbours.settle(zones[1])
        try neighbours.look(1)
        #expect(try neighbours.assetState(payload, on: 1) == .queued)
        try neighbours.setPolicy(.onDemand, on: 1, zone: zones[0])
        try neighbours.look(1)
        #expect(try neighbours.assetState(payload, on: 1) == .queued)
        try neighbours.setPolicy(.never, on: 1, zone: zones[1])
        try neighbours.look(1)
        #expect(try neighbours.assetState(payload, on: 1) == .remote)
    }

    @Test func `keeps no message from its content, which is given up with the message`() throws {
        var (neighbours, zones, payload) = try named()
        try neighbours.setPolicy(.never, on: 1, zone: zones[0])
        try neighbours.look(1)
        let id = try neighbours.send(payload: payload, on: 0, zone: zones[0])
        try neighbours.exchangeMessages(zones[0])
        #expect(try neighbours.homes[1].store.message(id)?.state == .fetching)
        try neighbours.setPolicy(.onDemand, on: 1, zone: zones[0])
        try neighbours.look(1)
        #expect(try neighbours.change(1) { try Assets($0).cancel(payload, in: &$2) }.number == nil)
        #expect(try neighbours.wants(1).map(\.payload) == [payload])
        let message = try #require(try neighbours.homes[0].store.message(id))
        let record = try #require(try neighbours.homes[0].store.record(zone: zones[0], tag: message.tag))
        #expect(try neighbours.delete(record.name, on: 0, zone: zones[0]) == nil)
        try neighbours.exchangeMessages(zones[0])
        #expect(try neighbours.assetState(payload, on: 1) == .remote && neighbours.wants(1).isEmpty)
    }

    @Test func `is waited for by a request for a content that no round has looked at`() throws {
        var (neighbours, zones, payload) = try named()
        let other = PayloadID(Hash.zero.digest)
        #expect(try neighbours.change(1) { try Assets($0).fetch(other, zone: zones[0], in: &$2) }.number == nil)
        #expect(try neighbours.change(1) { try Assets($0).fetch(payload, zone: zones[1], in: &$2) }.number == nil)
        #expect(try neighbours.change(1) { try Assets($0).fetch(payload, zone: zones[0], in: &$2) }.hasWants == true)
        try neighbours.fetchPayloads(from: 0, on: 1)
        #expect(try neighbours.bytes(of: payload, on: 1) == Self.large)
    }
}
