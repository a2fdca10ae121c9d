import Identity
import Records
import Wire

// Chunks that are not as they were, and those that are again.
extension Payloads {
    /// Chunks that one transaction holds again.
    private static let regainedChunkCount: UInt64 = 64

    /// Makes sure that a chunk of a payload is here as the outline has it, and fetches it again where it is not.
    ///
    /// A file may have been lost or damaged, and another device may have the payload. The damaged chunks that follow it are fetched with
    /// it, up to the first sound one, at most ``forgottenChunkCount`` of them. No policy ends that: the content was here.
    ///
    /// A chunk that is fetched is held again where its bytes are in the file after all, as where a person has put a lost file back; and so are
    /// the chunks that follow it, up to the first of which that is not so.
    /// - Parameters:
    ///   - number: The payload's number.
    ///   - position: The position of the chunk.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number where the chunk is as it should be, or is fetched and not here, or the payload is neither
    ///   complete here nor fetched.
    /// - Throws: Any error of the store.
    package func recheck(
        number: UInt64,
        position: UInt64,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        guard let row = try transaction.payload(number: number) else { return CommitNotice() }
        switch row.state {
        case .present: return try miss(row, at: [position], in: &transaction)
        case .wanted: return try regain(row, from: position, in: &transaction)
        case .linked: return try Links(committer).recheck(row, at: [position], in: &transaction)
        case .uploading, .released, .remote, .evicted: return CommitNotice()
        }
    }

    /// Makes sure that chunks of a complete payload are here as the outline has them, each as ``recheck(number:position:in:)`` does.
    /// - Parameters:
    ///   - payload: The payload.
    ///   - positions: The positions of the chunks.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number where they are, or the payload is not complete here.
    /// - Throws: Any error of the store.
    func recheck(
        _ payload: PayloadID,
        at positions: [UInt64],
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        guard let row = try transaction.payload(payload), row.isComplete else { return CommitNotice() }
        if row.state == .linked { return try Links(committer).recheck(row, at: positions, in: &transaction) }
        return try miss(row, at: positions, in: &transaction)
    }

    /// Whether the bytes of a chunk that is fetched are in the payload's file after all.
    /// - Parameters:
    ///   - row: The payload.
    ///   - position: The position of the chunk.
    ///   - transaction: The store.
    /// - Returns: Whether ``recheck(number:position:in:)`` holds the chunk again.
    /// - Throws: Any error of the store.
    package func isBack(
        _ row: PayloadRow,
        at position: UInt64,
        in transaction: some NodeTransaction
    ) throws -> Bool {
        try row.state == .wanted && leftChunk(of: row, at: position, in: transaction) != nil
    }

    private func miss(
        _ row: PayloadRow,
        at positions: [UInt64],
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        var row = row
        var count = 0
        for position in positions {
            var next = position
            while count < Self.forgottenChunkCount,
                let chunk = try transaction.chunk(of: row.number, at: next),
                chunk.bytes.map({ PayloadChunk.hash(of: $0) }) != chunk.hash
            {
                try transaction.save(ChunkRow(position: next, hash: chunk.hash), of: row.number)
                next += 1
                count += 1
            }
        }
        guard count > 0 else { return CommitNotice() }
        row.state = .wanted
        try transaction.save(row)
        // A policy that fetches nothing, or a person, would else drop the sound chunks, and no other device may have them.
        if let id = row.id {
            var note = try transaction.assetNote(of: id)
            (note.isAsked, note.wasWhole) = (true, true)
            try transaction.setAssetNote(note, of: id)
        }
        var notice = CommitNotice(number: try transaction.nextCommitNumber())
        notice.hasSettledPayloads = true
        notice.hasWants = true
        notice.noteAsset(row)
        return notice
    }

    private func regain(
        _ row: PayloadRow,
        from position: UInt64,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        var next = position
        while next - position < Self.regainedChunkCount,
            let chunk = try leftChunk(of: row, at: next, in: transaction)
        {
            try transaction.save(chunk, of: row.number)
            next += 1
        }
        guard next > position else { return CommitNotice() }
        var notice = CommitNotice()
        if try transaction.missingChunks(of: row.number, limit: 1).isEmpty {
            notice = try complete(row, in: &transaction).notice
        } else {
            notice.number = try transaction.nextCommitNumber()
        }
        notice.noteAsset(row)
        // The core looks for it again, and asks for the chunks that are missing still.
        if let id = row.id { notice.noteUnwanted([id], by: committer.account.account) }
        notice.hasWants = true
        return notice
    }

    /// A chunk that is not held, with its bytes; `nil` where they are not in its place.
    private func leftChunk(
        of row: PayloadRow,
        at position: UInt64,
        in transaction: some NodeTransaction
    ) throws -> ChunkRow? {
        guard var chunk = try transaction.chunk(of: row.number, at: position), chunk.bytes == nil,
            let count = row.sealedByteCount(at: position),
            let bytes = try transaction.unheldBytes(of: row.number, at: position, count: count),
            PayloadChunk.hash(of: bytes) == chunk.hash
        else { return nil }
        chunk.bytes = bytes
        return chunk
    }
}
