import Records
import Sync
import Wire

/// Answers requests about the content of messages.
struct PayloadRequests: PayloadAPI {
    /// The sealed bytes of chunks of an upload that one transaction stores: a megabyte.
    private static let byteCount = 16 * Limits.chunkByteCount

    let store: CallerStore

    func handIn<Bytes: AsyncSequence & Sendable>(
        _ bytes: Bytes,
        zone reference: String,
        announced: UInt64?
    ) async throws(NodeError) -> PayloadView where Bytes.Element == [UInt8] {
        try await DefaultZones(store).make(namedBy: reference)
        let payload = try await store.write { transaction in
            try store.limit.check(adding: Payloads.handedInByteCountMin, in: transaction)
            let zone = try store.zones.row(of: reference, in: transaction).id
            let payloads = Payloads(store.committer)
            return Changed(try payloads.begin(zone: zone, announced: announced, in: &transaction))
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
        var writer = try payload.writer()
        let chunkCount = max(1, Self.byteCount / writer.chunkByteCount)
        var chunks: [PayloadWriter.Chunk] = []
        for try await piece in bytes {
            guard writer.append(piece) else { throw NodeError.payloadTooLarge }
            while let chunk = writer.nextChunk() {
                chunks.append(chunk)
                if chunks.count == chunkCount { try await keep(&chunks, of: payload) }
            }
        }
        writer.finish()
        while let chunk = writer.nextChunk() {
            chunks.append(chunk)
            if chunks.count == chunkCount { try await keep(&chunks, of: payload) }
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
        let found = try await read(id, from: offset)
        if let part = found.part { return part }
        guard let chunk = found.damaged else {
            throw found.isComing ? NodeError.messageIncomplete(id) : NodeError.contentUnreadable(id)
        }
        // Another device may have what was lost here, or the file that had it is back.
        let notice = try await store.keep({ [store] transaction in
            try Payloads(store.committer).recheck(number: chunk.payload, position: chunk.position, in: &transaction)
        }) { [store] in store.commitService.announce($0) }
        if found.isBack, let part = try await read(id, from: offset).part { return part }
        throw notice.number == nil ? NodeError.contentUnreadable(id) : NodeError.messageIncomplete(id)
    }

    /// A part of a message's content, or the reason why there is none.
    private struct Found {
        var part: ContentPart?
        /// The chunk of a complete payload that cannot be read, or one that was lost and is back.
        var damaged: (payload: UInt64, position: UInt64)?
        /// Whether it is back.
        var isBack = false
        /// Whether the payload is on its way.
        var isComing = false
    }

    private func read(_ id: String, from offset: UInt64) async throws(NodeError) -> Found {
        try await store.read { transaction in
            let row = try store.zones.message(id, in: transaction)
            let committer = store.committer
            guard row.state != .hidden,
                let message = try MessageRecords(committer).message(of: row, in: transaction),
                !message.isOver(at: committer.wallMilliseconds)
            else { throw NodeError.messageUnknown(id) }
            var found = Found(isComing: row.state == .fetching)
            var bytes: [UInt8]?
            if let payload = message.payload {
                // A device that may not read the message has no secret of its payload, and so no such row.
                let held = row.needsPayload ? try transaction.payload(payload.id) : nil
                if let held, held.isComplete {
                    bytes = try Payloads(committer).bytes(
                        of: held,
                        byteCount: payload.byteCount,
                        from: offset,
                        in: transaction
                    )
                    if bytes == nil { found.damaged = (held.number, offset / UInt64(held.chunkByteCount)) }
                }
                if let held, held.state == .wanted {
                    found.isComing = true
                    let position = offset / UInt64(held.chunkByteCount)
                    found.isBack = try Payloads(committer).isBack(held, at: position, in: transaction)
                    if found.isBack { found.damaged = (held.number, position) }
                }
            } else {
                bytes = MessageRecords(committer).content(of: message, row).map {
                    Array($0.dropFirst(Int(clamping: offset)))
                }
            }
            found.part = bytes.map {
                ContentPart(bytes: $0, byteCount: message.byteCount, contentType: message.contentType)
            }
            return found
        }
    }
}
