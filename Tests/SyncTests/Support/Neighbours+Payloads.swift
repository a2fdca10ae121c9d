import Records
import Sync
import Testing
import Wire

extension Neighbours {
    /// Uploads a payload, in small chunks.
    mutating func handIn(_ bytes: [UInt8], on index: Int, zone: ZoneID) throws -> PayloadID {
        let announced = UInt64(bytes.count)
        let row = try change(index) { try Payloads($0).begin(zone: zone, announced: announced, in: &$2) }
        var writer = try row.writer()
        let isTaken = writer.append(bytes)
        #expect(isTaken)
        writer.finish()
        while let chunk = writer.nextChunk() {
            #expect(try change(index) { try Payloads($0).add([chunk], to: row.number, in: &$2) })
        }
        let outline = writer.outline()
        let known = try #require(outline)
        let count = UInt64(bytes.count)
        #expect(try change(index) { try Payloads($0).finish(row.number, known, byteCount: count, in: &$2) })
        return known.id
    }

    /// Sends a message with the uploaded content.
    mutating func send(
        payload: PayloadID,
        to recipients: [AccountID] = [],
        on index: Int,
        zone: ZoneID
    ) throws -> MessageID {
        let draft = SentMessages.Draft(
            content: .bytes([]),
            payload: payload,
            contentType: "application/octet-stream",
            recipients: recipients
        )
        homes[index].wall += 1
        return try change(index) { try SentMessages($0).send([draft], zone: zone, in: &$2).reply.get()[0].id }
    }

    /// Keeps the outline of a payload as another device serves it.
    mutating func keepOutline(_ id: PayloadID, from other: Int, on index: Int, zone: ZoneID) throws -> PayloadOutcome? {
        let request = PayloadRequest(zone: zone, outlineOf: id)
        guard case .outline(let outline, _, _) = try Payloads(committer(other)).answer(request, in: homes[other].store)
        else {
            return nil
        }
        return try change(index) { try Payloads($0).keep(outline, of: id, in: &$2) }.reply
    }

    /// Keeps a chunk of a payload as another device serves it.
    mutating func keepChunk(
        _ position: UInt64,
        of id: PayloadID,
        from other: Int,
        on index: Int,
        zone: ZoneID,
        changing change: (inout [UInt8]) -> Void = { _ in }
    ) throws -> PayloadOutcome? {
        let request = PayloadRequest(zone: zone, payload: id, positions: [position])
        guard case .chunks(let chunks, _) = try Payloads(committer(other)).answer(request, in: homes[other].store),
            let chunk = chunks.first
        else { return nil }
        var bytes = chunk.bytes
        change(&bytes)
        let given = PayloadChunk(zone: zone, payload: id, position: position, bytes: bytes)
        return try self.change(index) { try Payloads($0).keep(given, in: &$2) }.reply
    }

    /// Fetches all parts of payloads that a device wants from another one.
    mutating func fetchPayloads(from other: Int, on index: Int) throws {
        for want in try wants(index) {
            if want.missing == nil { _ = try keepOutline(want.payload, from: other, on: index, zone: want.zone) }
            for position in try wants(index).first(where: { $0.payload == want.payload })?.missing ?? [] {
                _ = try keepChunk(position, of: want.payload, from: other, on: index, zone: want.zone)
            }
        }
    }

    func wants(_ index: Int) throws -> [PayloadWant] {
        try Payloads(committer(index)).wants(except: [], limit: 10, in: homes[index].store)
    }

    /// Returns the bytes of a payload, as far as they are here and can be opened.
    func bytes(of id: PayloadID, on index: Int) throws -> [UInt8]? {
        guard let row = try homes[index].store.payload(id) else { return nil }
        var read: [UInt8] = []
        while UInt64(read.count) < row.byteCount {
            let part = try Payloads(committer(index)).bytes(of: row, from: UInt64(read.count), in: homes[index].store)
            guard let part, !part.isEmpty else { return nil }
            read += part
        }
        return read
    }
}
