import Records
package import Wire

/// Links: contents that are in files which other programs keep, in place of the store.
///
/// The store has the outline and the secret of such a content, and seals a chunk again from the file each time that it is needed. A chunk is
/// used when it hashes to the outline's value, and not else, whatever is noted about the file. See `docs/protocol/links.md`.
package struct Links: Sendable {
    /// The most links of one payload.
    package static let countMax = 64

    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) { self.committer = committer }

    // MARK: Reading

    /// Returns a chunk as the outline has it, sealed again from a linked file.
    /// - Parameters:
    ///   - row: The payload.
    ///   - chunk: The chunk.
    ///   - transaction: The store.
    /// - Returns: The sealed bytes; `nil` where no linked file has the chunk.
    /// - Throws: Any error of the store.
    func sealed(_ row: PayloadRow, _ chunk: ChunkRow, in transaction: some NodeTransaction) throws -> [UInt8]? {
        guard let id = row.id, row.secret != nil else { return nil }
        let files = transaction.linkedFiles
        for link in try transaction.assetLinks(of: id) where link.state == .sound {
            if let bytes = try? Self.sealed(row, chunk, from: link, files) { return bytes }
        }
        return nil
    }

    /// Returns a chunk as the outline has it, sealed again from one linked file.
    /// - Throws: ``LinkFault`` where the file does not have it.
    static func sealed(
        _ row: PayloadRow,
        _ chunk: ChunkRow,
        from link: AssetLinkRow,
        _ files: any LinkedFiles
    ) throws(LinkFault) -> [UInt8] {
        guard let secret = row.secret, let sealedCount = row.sealedByteCount(at: chunk.position),
            link.facts.byteCount == row.byteCount
        else { throw .changed }
        // There is such a chunk, so the product does not overflow.
        let begin = chunk.position * UInt64(row.chunkByteCount)
        let plainCount = sealedCount - Limits.chunkTagByteCount
        let count = begin < row.byteCount ? Int(clamping: min(row.byteCount - begin, UInt64(plainCount))) : 0
        var plain = try files.read(link.place, expecting: link.facts, from: min(begin, row.byteCount), count: count)
        guard plain.count == count else { throw .changed }
        plain += repeatElement(0, count: plainCount - count)
        guard let sealed = try? PayloadSealer(secret).seal(plain, at: chunk.position) else { throw .changed }
        // Facts may be reset, and a file system may not keep them: the content decides.
        guard PayloadChunk.hash(of: sealed) == chunk.hash else { throw .changed }
        return sealed
    }

    /// Whether a link of a payload is sound, as far as is known.
    /// - Parameters:
    ///   - payload: The payload.
    ///   - transaction: The store.
    /// - Returns: Whether there is one.
    /// - Throws: Any error of the store.
    package func isSound(_ payload: PayloadID, in transaction: some NodeTransaction) throws -> Bool {
        try transaction.assetLinks(of: payload).contains { $0.state == .sound }
    }

    // MARK: Linking

    /// Ends the making of an asset from a file that is linked; its outline was computed from the file.
    /// - Parameters:
    ///   - number: The number of the payload that was begun for it.
    ///   - outline: The outline.
    ///   - place: The file.
    ///   - facts: The facts about it while it was read.
    ///   - transaction: The store.
    /// - Returns: False when the payload was dropped meanwhile.
    /// - Throws: Any error of the store.
    /// - Complexity: O(chunks).
    package func finish(
        _ number: UInt64,
        _ outline: PayloadOutline,
        at place: LinkedPlace,
        _ facts: FileFacts,
        in transaction: inout some NodeTransaction
    ) throws -> Bool {
        guard var row = try transaction.payload(number: number), row.state == .uploading else { return false }
        row.id = outline.id
        row.byteCount = facts.byteCount
        row.state = .linked
        assert(outline.chunkByteCount == row.chunkByteCount, "a payload is cut as its row states")
        assert(outline.byteCount == row.paddedByteCount, "readers refuse a payload whose outline has another size")
        try transaction.save(row)
        try keep(outline, of: number, in: &transaction)
        try transaction.save(AssetLinkRow(payload: outline.id, place: place, facts: facts))
        return true
    }

    private func keep(
        _ outline: PayloadOutline,
        of number: UInt64,
        in transaction: inout some NodeTransaction
    ) throws {
        for (position, hash) in outline.chunks.enumerated() {
            try transaction.save(ChunkRow(position: UInt64(position), hash: hash), of: number)
        }
    }

    /// The statement by which a copy of an asset's content can be linked.
    /// - Parameters:
    ///   - payload: The payload.
    ///   - zone: The zone whose record names it.
    ///   - transaction: The store.
    /// - Returns: The statement, with the size of the chunks where the outline is known here; `nil` where no record of the zone names the
    ///   payload by a statement that may be true.
    /// - Throws: Any error of the store.
    package func target(
        _ payload: PayloadID,
        zone: ZoneID,
        in transaction: some NodeTransaction
    ) throws -> LinkTarget? {
        let row = try transaction.payload(payload)
        guard try transaction.isNamed(payload, zone: zone),
            let statement = try Assets(committer).statement(about: payload, zone: zone, in: transaction)
        else { return nil }
        let isOutlined = try row.map { try transaction.chunkCounts(of: $0.number).all > 0 } ?? false
        return LinkTarget(statement: statement, chunkByteCount: isOutlined ? row?.chunkByteCount : nil)
    }

    /// Links a copy of an asset's content, which is here from then on.
    /// - Parameters:
    ///   - outline: The outline, as computed from the file by the statement: that it has the payload's id shows that the file has the content.
    ///   - statement: The statement.
    ///   - zone: The zone whose record names the payload.
    ///   - place: The file.
    ///   - facts: The facts about it while it was read.
    ///   - transaction: The store.
    /// - Returns: Whether it is linked, and the notice; no where the payload is kept for others, is held by another statement, or has as many
    ///   links as may be.
    /// - Throws: Any error of the store.
    /// - Complexity: O(chunks).
    package func link(
        _ outline: PayloadOutline,
        by statement: PayloadStatement,
        zone: ZoneID,
        at place: LinkedPlace,
        _ facts: FileFacts,
        in transaction: inout some NodeTransaction
    ) throws -> Changed<Bool> {
        guard var row = try row(of: outline.id, statement, zone: zone, in: &transaction),
            outline.byteCount == row.paddedByteCount
        else { return Changed(false) }
        let known = try transaction.assetLinks(of: outline.id)
        guard known.count < Self.countMax || known.contains(where: { $0.place == place }) else { return Changed(false) }
        if try transaction.chunkCounts(of: row.number).all == 0 {
            row.chunkByteCount = outline.chunkByteCount
            try transaction.save(row)
            try keep(outline, of: row.number, in: &transaction)
        }
        try transaction.save(AssetLinkRow(payload: outline.id, place: place, facts: facts))
        var notice = CommitNotice(number: try transaction.nextCommitNumber())
        notice.merge(try review(outline.id, in: &transaction))
        notice.assets.insert(outline.id)
        return Changed(true, notice: notice)
    }

    /// The row of a payload that is linked by a statement which its bytes have shown to be true.
    private func row(
        of payload: PayloadID,
        _ statement: PayloadStatement,
        zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> PayloadRow? {
        let rows = AssetRows(committer: committer)
        guard let row = try transaction.payload(payload) else {
            return try rows.begin(
                payload,
                statement,
                zone: zone,
                sender: committer.device,
                as: .remote,
                in: &transaction
            )
        }
        guard row.keptUntil == nil else { return nil }
        if row.statement == statement { return row }
        guard row.state == .remote || row.state == .wanted, row.isAsset else { return nil }
        return try rows.replace(
            row,
            by: statement,
            zone: zone,
            sender: row.sender ?? committer.device,
            as: .remote,
            in: &transaction
        )
    }

    /// Removes links of a payload; the files stay as they are.
    /// - Parameters:
    ///   - payload: The payload.
    ///   - place: The file; `nil` for all.
    ///   - transaction: The store.
    /// - Returns: The number of links that were removed, and the notice.
    /// - Throws: Any error of the store.
    package func unlink(
        _ payload: PayloadID,
        at place: LinkedPlace?,
        in transaction: inout some NodeTransaction
    ) throws -> Changed<Int> {
        let gone = try transaction.assetLinks(of: payload).filter { place == nil || $0.place == place }
        guard !gone.isEmpty else { return Changed(0) }
        for link in gone { try transaction.removeAssetLink(of: payload, at: link.place) }
        var notice = CommitNotice(number: try transaction.nextCommitNumber())
        notice.merge(try review(payload, in: &transaction))
        notice.assets.insert(payload)
        return Changed(gone.count, notice: notice)
    }
}

/// The facts by which a copy of a content can be linked.
package struct LinkTarget: Sendable {
    /// The statement of a record about the content.
    package let statement: PayloadStatement
    /// Plain bytes of each chunk but the last; `nil` where the outline is not known here.
    package let chunkByteCount: Int?
}
