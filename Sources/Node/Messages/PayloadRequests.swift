import Records
import Sync
import Wire

/// Answers requests about the content of messages.
struct PayloadRequests: PayloadAPI {
    /// The number of chunks of an upload that one transaction stores: a megabyte.
    private static let chunkCount = 16

    let store: CallerStore

    func handIn<Bytes: AsyncSequence & Sendable>(
        _ bytes: Bytes,
        zone reference: String
    ) async throws(NodeError) -> PayloadView where Bytes.Element == [UInt8] {
        try await DefaultZones(store).make(namedBy: reference)
        let payload = try await store.write { transaction in
            try store.limit.check(adding: Payloads.handedInByteCountMin, in: transaction)
            let zone = try store.zones.row(of: reference, in: transaction).id
            return Changed(try Payloads(store.committer).begin(zone: zone, in: &transaction))
        }
        do {
            return try await take(bytes, into: payload)
        } catch {
            // After a crash, the rest of the upload is deleted after a day.
            _ = try? await store.commits.perform { [store] in
                try Payloads(store.committer).abandon(payload.number, in: &$0)
            }
            throw (error as? NodeError) ?? store.told(error)
        }
    }

    private func take<Bytes: AsyncSequence & Sendable>(
        _ bytes: Bytes,
        into payload: Payloads.Draft
    ) async throws -> PayloadView where Bytes.Element == [UInt8] {
        var writer = try PayloadWriter(payload.secret, zone: payload.zone)
        var chunks: [PayloadWriter.Chunk] = []
        for try await piece in bytes {
            guard writer.append(piece) else { throw NodeError.payloadTooLarge }
            while let chunk = writer.nextChunk() {
                chunks.append(chunk)
                if chunks.count == Self.chunkCount { try await keep(&chunks, of: payload) }
            }
        }
        writer.finish()
        while let chunk = writer.nextChunk() {
            chunks.append(chunk)
            if chunks.count == Self.chunkCount { try await keep(&chunks, of: payload) }
        }
        try await keep(&chunks, of: payload)
        guard let outline = writer.outline() else {
            throw NodeError(.internalError, "A payload is not complete.", fix: "Report this with the log.")
        }
        let byteCount = writer.byteCount
        let isKept = try await store.commits.perform { [store] in
            try Payloads(store.committer).finish(payload.number, outline, byteCount: byteCount, in: &$0)
        }
        guard isKept else { throw NodeError.payloadForgotten }
        return PayloadView(id: outline.id, zone: payload.zone, byteCount: byteCount)
    }

    private func keep(_ chunks: inout [PayloadWriter.Chunk], of payload: Payloads.Draft) async throws {
        guard !chunks.isEmpty else { return }
        let kept = chunks
        chunks.removeAll(keepingCapacity: true)
        let isKept = try await store.commits.perform { [store] transaction in
            let isKept = try Payloads(store.committer).add(kept, to: payload.number, in: &transaction)
            try store.limit.check(in: transaction)
            return isKept
        }
        guard isKept else { throw NodeError.payloadForgotten }
    }

    func content(ofMessage id: String, from offset: UInt64) async throws(NodeError) -> ContentPart {
        try await store.read { transaction in
            let row = try store.zones.message(id, in: transaction)
            let committer = store.committer
            guard row.state != .hidden,
                let message = try MessageRecords(committer).message(of: row, in: transaction),
                !message.isOver(at: committer.wallMilliseconds)
            else { throw NodeError.messageUnknown(id) }
            var bytes: [UInt8]?
            if let payload = message.payload {
                // A device that may not read the message has no secret of its payload, and so no such row.
                if row.needsPayload, let held = try transaction.payload(payload.id), held.state == .present {
                    bytes = try Payloads(committer).bytes(of: held, from: offset, in: transaction)
                }
            } else {
                bytes = MessageRecords(committer).content(of: message, row).map {
                    Array($0.dropFirst(Int(clamping: offset)))
                }
            }
            guard let bytes else {
                throw row.state == .fetching ? NodeError.messageIncomplete(id) : NodeError.contentUnreadable(id)
            }
            return ContentPart(bytes: bytes, byteCount: message.byteCount, contentType: message.contentType)
        }
    }
}
