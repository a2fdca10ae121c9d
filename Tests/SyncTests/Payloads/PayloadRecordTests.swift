import Identity
import Records
import Sync
import TestSupport
import Testing
import Wire

/// Payloads that records name, and chunks that are no longer as they were.
@Suite struct `A payload` {
    private static let large = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    private func neighbours() throws -> (neighbours: Neighbours, zone: ZoneID) {
        var neighbours = try Neighbours([1, 1], seed: 1, envelopes: BoxEnvelopes())
        let zone = try neighbours.zone(of: 0)
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        try neighbours.settle(zone)
        return (neighbours, zone)
    }

    /// Names a payload that a device has in a record of a zone.
    private func name(
        _ payload: PayloadID,
        _ neighbours: inout Neighbours,
        on index: Int,
        zone: ZoneID
    ) throws -> WriteRefusal? {
        let row = try #require(try neighbours.homes[index].store.payload(payload))
        let descriptor = AssetDescriptor(
            payload: payload,
            size: row.byteCount,
            secret: try #require(row.secret.flatMap { AssetSecret($0.bytes) }),
            mediaType: "image/png",
            fileName: "",
            modified: nil,
            thumbnail: []
        )
        return try write(.asset(descriptor), &neighbours, on: index, zone: zone)
    }

    private func write(
        _ value: FieldValue,
        _ neighbours: inout Neighbours,
        on index: Int,
        zone: ZoneID
    ) throws -> WriteRefusal? {
        let write = RecordWrite(name: "photo", type: "note", set: [.init(field: "picture", value: value)])
        let commit = try neighbours.change(index) {
            try $0.commit([WriteRequest([write])], zone: zone, in: &$2).reply
        }
        guard case .failure(let refusal) = commit.results[0][0] else { return nil }
        return refusal
    }

    private func answer(
        _ request: PayloadRequest,
        _ neighbours: Neighbours,
        on index: Int
    ) throws -> PayloadAnswer {
        try Payloads(neighbours.committer(index)).answer(request, in: neighbours.homes[index].store)
    }

    /// Replaces the bytes of a chunk by others, as a damaged file would.
    private func damage(
        _ position: UInt64,
        of payload: PayloadID,
        to bytes: [UInt8]?,
        _ neighbours: inout Neighbours,
        on index: Int
    ) throws -> UInt64 {
        try neighbours.change(index) { _, _, store in
            let number = try #require(try store.payload(payload)).number
            var chunk = try #require(try store.chunk(of: number, at: position))
            chunk.bytes = bytes
            try store.save(chunk, of: number)
            return number
        }
    }

    @Test func `is given to the readers of each zone with a record that names it, as long as it does`() throws {
        var (neighbours, zone) = try neighbours()
        let other = try neighbours.zone(of: 0)
        let payload = try neighbours.handIn(Self.large, on: 0, zone: zone)
        let requests = [zone, other].map { PayloadRequest(zone: $0, outlineOf: payload) }
        #expect(try answer(requests[0], neighbours, on: 0) != PayloadAnswer.none)
        #expect(try answer(requests[1], neighbours, on: 0) == PayloadAnswer.none)
        #expect(try name(payload, &neighbours, on: 0, zone: other) == nil)
        let chunks = PayloadRequest(zone: other, payload: payload, positions: [0])
        #expect(try answer(requests[1], neighbours, on: 0) == answer(requests[0], neighbours, on: 0))
        guard case .chunks(let given, _) = try answer(chunks, neighbours, on: 0) else {
            Issue.record("it has no chunk")
            return
        }
        #expect(given.map(\.zone) == [other])
        #expect(try neighbours.delete("photo", on: 0, zone: other) == nil)
        #expect(try answer(requests[1], neighbours, on: 0) == PayloadAnswer.none)
    }

    @Test func `is named by no record before the device knows its secret`() throws {
        var (neighbours, zone) = try neighbours()
        let bare = AssetDescriptor(
            payload: PayloadID(Hash.zero.digest),
            size: 0,
            secret: .unknown,
            mediaType: "",
            fileName: "",
            modified: nil,
            thumbnail: []
        )
        #expect(
            try write(.asset(bare), &neighbours, on: 0, zone: zone) == .invalid(.invalidValue("secret"))
        )
    }

    @Test func `is not dropped while a record names it, and is a week later`() throws {
        var (neighbours, zone) = try neighbours()
        let payload = try neighbours.handIn(Self.large, on: 0, zone: zone)
        #expect(try name(payload, &neighbours, on: 0, zone: zone) == nil)
        func hasToDrop(after milliseconds: UInt64) throws -> Bool {
            neighbours.homes[0].wall += milliseconds
            return try Payloads(neighbours.committer(0)).hasToDrop(in: neighbours.homes[0].store)
        }
        #expect(try !hasToDrop(after: Payloads.unsentMilliseconds + 1))
        #expect(try neighbours.delete("photo", on: 0, zone: zone) == nil)
        try neighbours.change(0) { committer, _, store in
            var row = try #require(try store.payload(payload))
            (row.isAsset, row.unnamedSince) = (true, committer.wallMilliseconds)
            try store.save(row)
        }
        #expect(try !hasToDrop(after: Assets.unnamedMilliseconds - 1))
        #expect(try hasToDrop(after: 1))
    }

    @Test func `that is damaged is given to no peer, and is fetched again`() throws {
        var (neighbours, zone) = try neighbours()
        let payload = try neighbours.handIn(Self.large, on: 0, zone: zone)
        _ = try neighbours.send(payload: payload, on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        try neighbours.fetchPayloads(from: 0, on: 1)
        let request = PayloadRequest(zone: zone, payload: payload, positions: [0, 1, 2])
        for bytes in [[7], nil] as [[UInt8]?] {
            let number = try damage(1, of: payload, to: bytes, &neighbours, on: 1)
            guard case .chunks(let given, let damaged) = try answer(request, neighbours, on: 1) else {
                Issue.record("it has no chunk")
                return
            }
            #expect(given.map(\.position) == [0, 2] && damaged == [1])
            #expect(try neighbours.bytes(of: payload, on: 1) == nil)
            let sound = try neighbours.change(1) { try Payloads($0).recheck(number: number, position: 0, in: &$2) }
            #expect(try sound.number == nil && neighbours.homes[1].store.payload(payload)?.state == .present)
            let notice = try neighbours.change(1) { try Payloads($0).recheck(number: number, position: 1, in: &$2) }
            #expect(notice.number != nil && notice.hasSettledPayloads)
            #expect(try neighbours.wants(1).map(\.missing) == [[1]])
            let again = try neighbours.change(1) { try Payloads($0).recheck(number: number, position: 1, in: &$2) }
            #expect(again.number == nil)
            try neighbours.fetchPayloads(from: 0, on: 1)
            #expect(try neighbours.bytes(of: payload, on: 1) == Self.large && neighbours.wants(1).isEmpty)
        }
    }

    @Test func `of which a peer was to be given damaged chunks is fetched again, without a reader`() throws {
        var (neighbours, zone) = try neighbours()
        let payload = try neighbours.handIn(Self.large, on: 0, zone: zone)
        _ = try neighbours.send(payload: payload, on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        try neighbours.fetchPayloads(from: 0, on: 1)
        for position in [0, 2] as [UInt64] { _ = try damage(position, of: payload, to: nil, &neighbours, on: 1) }
        func recheck(_ positions: [UInt64]) throws -> CommitNotice {
            try neighbours.change(1) { committer, random, store in
                try StoreWrite.recheck(payload, at: positions).perform(by: committer, random: &random, in: &store)
                    .notice
            }
        }
        #expect(try recheck([1]).number == nil)
        let notice = try recheck([0, 2])
        #expect(notice.number != nil && notice.hasWants)
        #expect(try neighbours.wants(1).map(\.missing) == [[0, 2]])
        // A chunk that is fetched is not damaged.
        let request = PayloadRequest(zone: zone, payload: payload, positions: [0, 1, 2])
        guard case .chunks(let given, let damaged) = try answer(request, neighbours, on: 1) else {
            Issue.record("it has no chunk")
            return
        }
        #expect(try given.map(\.position) == [1] && damaged.isEmpty && recheck([0, 2]).number == nil)
        try neighbours.fetchPayloads(from: 0, on: 1)
        #expect(try neighbours.bytes(of: payload, on: 1) == Self.large)
    }

    @Test(arguments: [PayloadRow.State.remote, .evicted])
    func `that records alone did not make wanted is wanted for a message`(state: PayloadRow.State) throws {
        var (neighbours, zone) = try neighbours()
        let other = try neighbours.zone(of: 0)
        let payload = try neighbours.handIn(Self.large, on: 0, zone: zone)
        let known = try #require(try neighbours.homes[0].store.payload(payload))
        try neighbours.change(1) { committer, _, store in
            try store.save(
                PayloadRow(
                    number: try store.takePayloadNumber(),
                    id: payload,
                    zone: other,
                    state: state,
                    byteCount: known.byteCount,
                    secret: known.secret,
                    begun: committer.wallMilliseconds,
                    isAsset: true
                )
            )
        }
        let id = try neighbours.send(payload: payload, on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.homes[1].store.message(id)?.state == .fetching)
        #expect(try neighbours.wants(1).map(\.zone) == [zone])
        try neighbours.fetchPayloads(from: 0, on: 1)
        #expect(try neighbours.homes[1].store.message(id)?.state == .waiting)
    }

    @Test func `in large chunks is fetched as one in small chunks is`() throws {
        var (neighbours, zone) = try neighbours()
        let row = try neighbours.change(0) { try Payloads($0).begin(zone: zone, announced: nil, in: &$2) }
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        var writer = try row.writer()
        let isTaken = writer.append(bytes)
        #expect(isTaken)
        writer.finish()
        var chunks: [PayloadWriter.Chunk] = []
        while let chunk = writer.nextChunk() { chunks.append(chunk) }
        let made = writer.outline()
        let outline = try #require(made)
        try neighbours.change(0) { [chunks] committer, _, store in
            let payloads = Payloads(committer)
            let isKept = try payloads.add(chunks, to: row.number, in: &store)
            let isFinished = try payloads.finish(row.number, outline, byteCount: 300_000, in: &store)
            #expect(isKept && isFinished)
        }
        _ = try neighbours.send(payload: outline.id, on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        try neighbours.fetchPayloads(from: 0, on: 1)
        #expect(try neighbours.homes[1].store.payload(outline.id)?.chunkByteCount == Limits.chunkByteCountMax)
        #expect(try neighbours.bytes(of: outline.id, on: 1) == bytes)
        let held = try #require(try neighbours.homes[1].store.payload(outline.id))
        let part = try Payloads(neighbours.committer(1)).bytes(of: held, from: 262_140, in: neighbours.homes[1].store)
        #expect(part == Array(bytes[262_140..<262_144]))
    }

    @Test func `whose uploader cut it otherwise than the outline says is given up`() throws {
        var (neighbours, zone) = try neighbours()
        let secret = try #require(StoredSecret([UInt8](repeating: 9, count: StoredSecret.byteCount)))
        let sealer = try PayloadSealer(secret)
        let sealed = [sealer.seal([1, 2, 3], at: 0), sealer.seal([4], at: 1)]
        let hashes = sealed.map { PayloadChunk.hash(of: $0) }
        let size = PayloadWriter.paddedByteCount(100_000)
        let outline = try #require(
            PayloadOutline(byteCount: size, chunkByteCount: Limits.chunkByteCount, chunks: hashes)
        )
        try neighbours.change(1) { committer, _, store in
            try store.save(
                PayloadRow(
                    number: try store.takePayloadNumber(),
                    id: outline.id,
                    zone: zone,
                    state: .wanted,
                    byteCount: 100_000,
                    secret: secret,
                    begun: committer.wallMilliseconds
                )
            )
            let outlined = try Payloads(committer).keep(outline, of: outline.id, in: &store).reply
            #expect(outlined == .outlined(missing: [0, 1]))
            let chunk = PayloadChunk(zone: zone, payload: outline.id, position: 0, bytes: sealed[0])
            let kept = try Payloads(committer).keep(chunk, in: &store).reply
            #expect(try kept == .unwanted && store.payload(outline.id) == nil)
        }
    }
}
