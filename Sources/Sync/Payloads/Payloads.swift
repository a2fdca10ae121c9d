import Identity
import Records
import Sodium
package import Wire

/// Payloads: those that programs upload, those fetched from peers, and those delivered to peers.
package struct Payloads: Sendable {
    /// The time for which a payload without a message is kept: a day, in which the program that uploaded it can send
    /// one.
    package static let unsentMilliseconds: UInt64 = 24 * 60 * 60 * 1_000
    /// The least size that an uploaded payload is counted with, in bytes: about the size of its row and its first
    /// chunk.
    package static let handedInByteCountMin: UInt64 = 4_096
    /// Chunks that one transaction forgets.
    package static let forgottenChunkCount = 256

    /// A payload that is being uploaded.
    package struct Draft: Sendable {
        /// Its number in this store.
        package let number: UInt64
        /// The zone that it is for.
        package let zone: ZoneID
        /// The secret that seals its chunks.
        package let secret: StoredSecret
        /// The bytes that it will have, as the program stated; `nil` where that stated none.
        package let announced: UInt64?

        /// Begins the chunks of the payload.
        /// - Returns: A writer for its content.
        /// - Throws: As ``PayloadSealer/init(_:)``.
        package func writer() throws -> PayloadWriter { try PayloadWriter(secret, announced: announced) }
    }

    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    // MARK: Handing in

    /// Begins a payload that a program uploads.
    /// - Parameters:
    ///   - zone: The zone that it is for.
    ///   - announced: The bytes that it will have; `nil` where that is not stated.
    ///   - transaction: The store.
    /// - Returns: The draft to upload the chunks with, those of its ``Draft/writer()``.
    /// - Throws: `ReplicaError.unknownZone`, or an error of the store.
    package func begin(
        zone: ZoneID,
        announced: UInt64?,
        in transaction: inout some NodeTransaction
    ) throws -> Draft {
        guard try transaction.zone(zone) != nil else { throw ReplicaError.unknownZone(zone) }
        let number = try nextNumber(in: &transaction)
        let drawn = committer.entropy.hash(.payloadSecret, zone.bytes + WireWriter.varint(number))
        guard let secret = StoredSecret(drawn) else {
            throw StorageError(code: .misuse, message: "a hash has another length")
        }
        let row = PayloadRow(
            number: number,
            id: nil,
            zone: zone,
            state: .uploading,
            byteCount: 0,
            secret: secret,
            begun: committer.wallMilliseconds,
            chunkByteCount: PayloadWriter.chunkByteCount(announced: announced)
        )
        try transaction.save(row)
        return Draft(number: number, zone: zone, secret: secret, announced: announced)
    }

    /// Keeps chunks of a payload that is being uploaded.
    /// - Parameters:
    ///   - chunks: The chunks.
    ///   - number: The payload's number.
    ///   - transaction: The store.
    /// - Returns: False when the payload was dropped meanwhile.
    /// - Throws: Any error of the store.
    package func add(
        _ chunks: [PayloadWriter.Chunk],
        to number: UInt64,
        in transaction: inout some NodeTransaction
    ) throws -> Bool {
        guard var payload = try transaction.payload(number: number), payload.state == .uploading else {
            return false
        }
        for chunk in chunks {
            payload.byteCount += UInt64(chunk.bytes.count)
            let row = ChunkRow(position: chunk.position, hash: chunk.hash, bytes: chunk.bytes)
            try transaction.save(row, of: number)
        }
        try transaction.save(payload)
        return true
    }

    /// Ends the upload of a payload.
    /// - Parameters:
    ///   - number: The payload's number.
    ///   - outline: The outline of its chunks.
    ///   - byteCount: Bytes of its content, without padding.
    ///   - transaction: The store.
    /// - Returns: False when the payload was dropped meanwhile.
    /// - Throws: Any error of the store.
    package func finish(
        _ number: UInt64,
        _ outline: PayloadOutline,
        byteCount: UInt64,
        in transaction: inout some NodeTransaction
    ) throws -> Bool {
        guard var row = try transaction.payload(number: number), row.state == .uploading else { return false }
        row.id = outline.id
        row.byteCount = byteCount
        row.state = .present
        assert(outline.chunkByteCount == row.chunkByteCount, "a payload is cut as its row states")
        assert(outline.byteCount == row.paddedByteCount, "readers refuse a payload whose outline has another size")
        try transaction.save(row)
        return true
    }

    /// Drops a payload whose upload was not completed.
    /// - Parameters:
    ///   - number: The payload's number.
    ///   - transaction: The store.
    /// - Throws: Any error of the store.
    package func abandon(_ number: UInt64, in transaction: inout some NodeTransaction) throws {
        guard let row = try transaction.payload(number: number), row.state == .uploading else { return }
        try release(row, in: &transaction)
    }

    // MARK: Fetching

    /// Keeps a payload's outline from a peer.
    /// - Parameters:
    ///   - outline: The outline.
    ///   - id: The payload.
    ///   - transaction: The store.
    /// - Returns: The outcome.
    /// - Throws: Any error of the store.
    package func keep(
        _ outline: PayloadOutline,
        of id: PayloadID,
        in transaction: inout some NodeTransaction
    ) throws -> Changed<PayloadOutcome> {
        guard outline.id == id else { return Changed(.mismatch) }
        guard var row = try transaction.payload(id), row.state == .wanted else { return .notNeeded }
        guard outline.byteCount == row.paddedByteCount else {
            // A message or a record stated something about the payload that is not true.
            return try fail(row, in: &transaction)
        }
        var notice = CommitNotice()
        if try transaction.chunkCounts(of: row.number).all == 0 {
            if row.chunkByteCount != outline.chunkByteCount {
                row.chunkByteCount = outline.chunkByteCount
                try transaction.save(row)
            }
            for (position, hash) in outline.chunks.enumerated() {
                try transaction.save(ChunkRow(position: UInt64(position), hash: hash), of: row.number)
            }
            notice.number = try transaction.nextCommitNumber()
        }
        return Changed(.outlined(missing: try missingChunks(of: row, transaction)), notice: notice)
    }

    /// Keeps a chunk from a peer; with the last one, the messages that refer to the payload can be delivered.
    /// - Parameters:
    ///   - chunk: The chunk.
    ///   - transaction: The store.
    /// - Returns: The outcome.
    /// - Throws: Any error of the store.
    package func keep(
        _ chunk: PayloadChunk,
        in transaction: inout some NodeTransaction
    ) throws -> Changed<PayloadOutcome> {
        guard let row = try transaction.payload(chunk.payload), row.state == .wanted,
            let known = try transaction.chunk(of: row.number, at: chunk.position)
        else { return .notNeeded }
        guard PayloadChunk.hash(of: chunk.bytes) == known.hash else { return Changed(.mismatch) }
        // It is the chunk of the outline: another length is a fault of the uploader.
        guard chunk.bytes.count == row.sealedByteCount(at: chunk.position) else {
            return try fail(row, in: &transaction)
        }
        // Only the readers can open payloads that are kept for others; here only the match with the outline can be
        // checked.
        if let secret = row.secret {
            let opened = try PayloadSealer(secret).open(chunk.bytes, at: chunk.position)
            guard opened != nil else { return try fail(row, in: &transaction) }
        }
        var notice = CommitNotice()
        if known.bytes == nil {
            let kept = ChunkRow(position: chunk.position, hash: known.hash, bytes: chunk.bytes)
            try transaction.save(kept, of: row.number)
            notice.number = try transaction.nextCommitNumber()
            notice.noteAsset(row)
        }
        let isComplete = try transaction.missingChunks(of: row.number, limit: 1).isEmpty
        guard isComplete else { return Changed(.kept, notice: notice) }
        return try complete(row, in: &transaction)
    }

    func complete(
        _ row: PayloadRow,
        in transaction: inout some NodeTransaction
    ) throws -> Changed<PayloadOutcome> {
        var row = row
        row.state = .present
        if Assertions.areActive {
            let counts = try transaction.chunkCounts(of: row.number)
            assert(
                counts.present == counts.all && counts.all > 0,
                "a payload is present when all of its chunks are here"
            )
        }
        try transaction.save(row)
        try endFetching(row, as: .waiting, in: &transaction)
        // The content that was asked for is here, and all other statements about it are known to be false.
        if let id = row.id { try transaction.setAssetNote(AssetNote(), of: id) }
        var notice = CommitNotice(number: try transaction.nextCommitNumber())
        notice.hasSettledPayloads = true
        notice.noteAsset(row)
        // Of a payload that is kept for others the chunks show only now whether a record's statement about it is true.
        if row.secret == nil, let id = row.id, try transaction.isNamed(id) {
            try transaction.markAssetReferencesUnseen(to: id)
            notice.hasUnseenAssets = true
        }
        return Changed(.complete, notice: notice)
    }

    /// Gives up a payload that differs from the statement by which it is held: no device will ever open it by that.
    ///
    /// A record may state something else, by which the payload is fetched next.
    private func fail(
        _ row: PayloadRow,
        in transaction: inout some NodeTransaction
    ) throws -> Changed<PayloadOutcome> {
        try endFetching(row, as: .failed, in: &transaction)
        var notice = CommitNotice()
        let rows = AssetRows(committer: committer)
        if row.isAsset, row.secret != nil {
            try rows.refute(row, in: &transaction)
            notice.noteAsset(row)
        } else {
            if let id = row.id { try rows.forget(id, in: &transaction) }
            try release(row, in: &transaction)
        }
        notice.hasUnseenAssets = true
        notice.number = try transaction.nextCommitNumber()
        notice.hasSettledPayloads = true
        return Changed(.unwanted, notice: notice)
    }

    func endFetching(
        _ row: PayloadRow,
        as state: MessageRow.State,
        in transaction: inout some NodeTransaction
    ) throws {
        guard let id = row.id else { return }
        for var message in try transaction.messages(with: id) where message.state == .fetching {
            message.state = state
            // It comes now, behind messages delivered meanwhile.
            if state == .waiting { message.number = try MessageRecords(committer).nextNumber(in: &transaction) }
            message.owesAnswer = true
            try transaction.save(message)
        }
    }

    // MARK: Giving

    /// Reads the part of a payload that a peer asks for.
    /// - Parameters:
    ///   - request: The peer's request.
    ///   - isOwn: Whether the peer is a device of this account, which may read all zones that are here.
    ///   - transaction: The store.
    /// - Returns: The part that is held here, as the outline has it: a peer takes a damaged chunk for a violation. Of a payload that is
    ///   complete here, the damaged chunks are named, so that they are fetched again.
    /// - Throws: Any error of the store.
    package func answer(
        _ request: PayloadRequest,
        toOwnDevice isOwn: Bool = false,
        in transaction: some NodeTransaction
    ) throws -> PayloadAnswer {
        // A relay reads no record, so it knows one zone of a payload that several name.
        guard let row = try transaction.payload(request.payload),
            try (isOwn && row.keptUntil != nil) || isGiven(row, in: request.zone, transaction)
        else { return .none }
        guard !request.positions.isEmpty else {
            let outline = PayloadOutline(
                byteCount: row.paddedByteCount,
                chunkByteCount: row.chunkByteCount,
                chunks: try transaction.chunkHashes(of: row.number)
            )
            guard let outline else { return .none }
            guard outline.hasSoleChunk else { return .outline(outline) }
            let sole = try chunks(at: [0], of: row, for: request, transaction)
            return .outline(outline, sole: sole.chunks.first, isSoleDamaged: !sole.damaged.isEmpty)
        }
        let found = try chunks(at: request.positions, of: row, for: request, transaction)
        return .chunks(found.chunks, damaged: found.damaged)
    }

    /// The chunks that are here, and the positions of those that should be and are damaged or lost.
    private func chunks(
        at positions: [UInt64],
        of row: PayloadRow,
        for request: PayloadRequest,
        _ transaction: some NodeTransaction
    ) throws -> (chunks: [PayloadChunk], damaged: [UInt64]) {
        var (chunks, damaged): ([PayloadChunk], [UInt64]) = ([], [])
        for position in positions {
            guard let chunk = try transaction.chunk(of: row.number, at: position) else { continue }
            guard let bytes = try soundBytes(of: chunk, row, in: transaction) else {
                if row.isComplete { damaged.append(position) }
                continue
            }
            chunks.append(
                PayloadChunk(zone: request.zone, payload: request.payload, position: position, bytes: bytes)
            )
        }
        return (chunks, damaged)
    }

    /// The sealed bytes of a chunk as the outline has it, stored or of a linked file; `nil` where neither has it.
    private func soundBytes(
        of chunk: ChunkRow,
        _ row: PayloadRow,
        in transaction: some NodeTransaction
    ) throws -> [UInt8]? {
        if let bytes = chunk.bytes, PayloadChunk.hash(of: bytes) == chunk.hash { return bytes }
        return try Links(committer).sealed(row, chunk, in: transaction)
    }

    /// Whether the readers of a zone may have a payload: it is here under the zone, or a record or a message of the zone names it.
    private func isGiven(
        _ row: PayloadRow,
        in zone: ZoneID,
        _ transaction: some NodeTransaction
    ) throws -> Bool {
        if row.zone == zone { return true }
        guard let id = row.id else { return false }
        return try transaction.isNamed(id, zone: zone)
            || transaction.messages(with: id).contains { $0.zone == zone && $0.needsPayload }
    }

    // MARK: Reading

    /// Returns bytes of a payload's content.
    /// - Parameters:
    ///   - row: The payload.
    ///   - byteCount: The size of the content as its record or message states it; `nil` for that by which the payload is held.
    ///   - offset: The offset of the first byte.
    ///   - transaction: The store.
    /// - Returns: The bytes from there to the end of the chunk in which they are, none at the payload's end; `nil`
    ///   where this device lacks that chunk, or it is damaged.
    /// - Throws: Any error of the store.
    package func bytes(
        of row: PayloadRow,
        byteCount: UInt64? = nil,
        from offset: UInt64,
        in transaction: some NodeTransaction
    ) throws -> [UInt8]? {
        let byteCount = min(byteCount ?? row.byteCount, row.paddedByteCount)
        guard offset < byteCount else { return [] }
        let size = UInt64(row.chunkByteCount)
        let position = offset / size
        guard let secret = row.secret, let chunk = try transaction.chunk(of: row.number, at: position) else {
            return nil
        }
        var opened = try chunk.bytes.flatMap { try PayloadSealer(secret).open($0, at: position) }
        if opened == nil, let sealed = try Links(committer).sealed(row, chunk, in: transaction) {
            opened = try PayloadSealer(secret).open(sealed, at: position)
        }
        guard let plain = opened else { return nil }
        let end = Int(clamping: min(byteCount - position * size, UInt64(plain.count)))
        return Array(plain[min(Int(clamping: offset % size), end)..<end])
    }

    // MARK: The end of payloads

    /// Whether ``drop(in:)`` has something to do.
    package func hasToDrop(in transaction: some NodeTransaction) throws -> Bool {
        try !unneeded(in: transaction).isEmpty
    }

    /// Drops chunks of a payload that nothing needs any more, at most ``forgottenChunkCount`` of them, and the
    /// payload with the last of them.
    /// - Parameter transaction: The store.
    /// - Returns: The notice; without a number when there was none.
    /// - Throws: Any error of the store.
    package func drop(in transaction: inout some NodeTransaction) throws -> CommitNotice {
        guard let row = try unneeded(in: transaction).first else { return CommitNotice() }
        var notice = CommitNotice(number: try transaction.nextCommitNumber())
        if try isNamedInQuarantine(row, in: transaction) {
            // As long again: by then it may be adopted or purged.
            var kept = row
            kept.unnamedSince = committer.sinceMilliseconds
            try transaction.save(kept)
            return notice
        }
        if row.state == .wanted { notice.noteUnwanted([row.id].compactMap(\.self), by: committer.account.account) }
        if let id = row.id {
            let rows = AssetRows(committer: committer)
            notice.custody.hasReleases = try rows.loosenCustodies(of: id, in: &transaction)
            try rows.forget(id, in: &transaction)
        }
        notice.noteAsset(row)
        if try transaction.removeChunks(of: row.number, limit: Self.forgottenChunkCount) {
            try release(row, in: &transaction)
        } else {
            try transaction.removePayload(number: row.number)
        }
        return notice
    }

    /// Whether content is here that no record names, and that one would name if an operation in quarantine became effective.
    private func isNamedInQuarantine(_ row: PayloadRow, in transaction: some NodeTransaction) throws -> Bool {
        guard row.isAsset, row.isComplete || row.state == .wanted, let id = row.id else { return false }
        return try transaction.zones().contains { zone in
            try zone.state == .live && Quarantine(of: zone.id).names(id, in: transaction)
        }
    }

    /// Releases a payload: the part that is here is delivered to no device, and no message can use it.
    func release(_ row: PayloadRow, in transaction: inout some NodeTransaction) throws {
        var released = row
        released.id = nil
        released.state = .released
        try transaction.save(released)
    }

    /// Gives up the payload that a removed message wanted, if no other message wants it, and no record.
    /// - Returns: The payload, if it is not fetched any more.
    func giveUp(of message: MessageRow, in transaction: inout some NodeTransaction) throws -> PayloadID? {
        guard let id = message.payload, let row = try transaction.payload(id), row.state == .wanted,
            try !transaction.messages(with: id).contains(where: \.needsPayload)
        else { return nil }
        if row.isAsset {
            let rows = AssetRows(committer: committer)
            guard try !rows.isDemanded(row, in: transaction), try !rows.isFetchedByPolicy(row, in: transaction)
            else { return nil }
            try rows.giveUp(row, in: &transaction)
            return id
        }
        // The next round looks at the record that names it.
        guard try !transaction.isNamed(id) else { return nil }
        try AssetRows(committer: committer).forget(id, in: &transaction)
        try release(row, in: &transaction)
        return id
    }

    private func unneeded(in transaction: some NodeTransaction) throws -> [PayloadRow] {
        let begin = max(committer.wallMilliseconds, Self.unsentMilliseconds) - Self.unsentMilliseconds
        // Payloads kept for other devices are kept for at least the promised time, by those devices' clocks too.
        let now = committer.settledMilliseconds ?? committer.soberMilliseconds
        return try transaction.unneededPayloads(begunBefore: begin, unnamedBefore: unnamedBefore, at: now, limit: 1)
    }

    /// The time since which no record may have named an asset that is dropped; 0 while no other clock confirms this one's, which would shorten
    /// the time in which a record can come.
    ///
    /// The only device of an account has no other clock to ask, and no record comes to it from its own.
    private var unnamedBefore: UInt64 {
        let isAlone = committer.account.activeDevices.count < 2
        guard let now = committer.settledMilliseconds ?? (isAlone ? committer.wallMilliseconds : nil) else { return 0 }
        return now > Assets.unnamedMilliseconds ? now - Assets.unnamedMilliseconds : 0
    }

    func nextNumber(in transaction: inout some NodeTransaction) throws -> UInt64 {
        try transaction.takePayloadNumber()
    }
}

extension Changed<PayloadOutcome> {
    /// No message needs the payload any more; waiting messages are looked at again.
    fileprivate static var notNeeded: Self {
        var notice = CommitNotice()
        notice.hasSettledPayloads = true
        return Changed(.unwanted, notice: notice)
    }
}
