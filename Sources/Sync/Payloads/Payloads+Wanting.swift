import Records
package import Wire

// The payloads that this device wants to have.
extension Payloads {
    /// Zones under which one payload is asked for.
    private static let zoneCountMax = 4

    // MARK: Messages

    /// Returns the state of a message whose content opened, and is the secret of a payload.
    func want(
        _ payload: Message.Payload,
        of message: Message,
        _ row: MessageRow,
        in transaction: inout some NodeTransaction
    ) throws -> MessageRow.State {
        guard let secret = MessageRecords(committer).content(of: message, row).flatMap(StoredSecret.init) else {
            return .failed
        }
        let statement = PayloadStatement(byteCount: payload.byteCount, secret: secret)
        if let known = try transaction.payload(payload.id) {
            // Messages and records may name one payload, and all have to be right about it.
            guard known.statement == statement else {
                return try want(known, by: statement, of: message, row, in: &transaction)
            }
            return try want(known, in: row.zone, &transaction)
        }
        try transaction.save(
            PayloadRow(
                number: nextNumber(in: &transaction),
                id: payload.id,
                zone: row.zone,
                state: .wanted,
                byteCount: payload.byteCount,
                secret: secret,
                begun: committer.wallMilliseconds,
                sender: message.sender
            )
        )
        return .fetching
    }

    /// Wants a payload that is known by the same statement.
    private func want(
        _ known: PayloadRow,
        in zone: ZoneID,
        _ transaction: inout some NodeTransaction
    ) throws -> MessageRow.State {
        switch known.state {
        case .present, .linked: return .waiting
        case .wanted: return .fetching
        case .remote, .evicted:
            // The bytes have shown that nothing opens by this statement.
            if try AssetRows(committer: committer).isRefuted(known, in: transaction) { return .failed }
            var wanted = known
            (wanted.state, wanted.zone) = (.wanted, zone)
            try transaction.save(wanted)
            return .fetching
        case .uploading, .released:
            assertionFailure("such a payload has no id, by which it was found")
            return .failed
        }
    }

    /// Wants a payload that is held by another statement.
    ///
    /// A record may have stated something false before the message came. It must not keep the message from being delivered, so the message's
    /// statement is tried first; of two messages the first one stands. A part that is here shows that the message's is the false one.
    private func want(
        _ known: PayloadRow,
        by statement: PayloadStatement,
        of message: Message,
        _ row: MessageRow,
        in transaction: inout some NodeTransaction
    ) throws -> MessageRow.State {
        let rows = AssetRows(committer: committer)
        guard known.isAsset, known.secret != nil, known.keptUntil == nil, let id = known.id else { return .failed }
        switch known.state {
        case .remote, .wanted: break
        case .present, .linked, .evicted, .uploading, .released: return .failed
        }
        guard try !transaction.assetNote(of: id).isFalse(statement), try !rows.isAwaited(id, in: transaction),
            try !rows.isProven(known, in: transaction)
        else { return .failed }
        _ = try rows.replace(
            known,
            by: statement,
            zone: row.zone,
            sender: message.sender,
            as: .wanted,
            in: &transaction
        )
        return .fetching
    }

    // MARK: The search

    /// Returns payloads to fetch.
    /// - Parameters:
    ///   - search: The place from which to look, and the payloads that are known already.
    ///   - transaction: The store.
    /// - Returns: The payloads, and how far the search has come.
    /// - Throws: Any error of the store.
    /// - Complexity: O(limit + known payloads + missing chunks of those returned).
    package func wants(_ search: PayloadSearch, in transaction: some NodeTransaction) throws -> PayloadSearch.Found {
        var found = PayloadSearch.Found()
        for id in search.urged {
            guard let row = try transaction.payload(id), row.state == .wanted else { continue }
            if let want = try want(row, transaction) { found.wants.append(want) }
        }
        guard search.limit > 0 else { return found }
        var left = search.limit
        let countMax = search.limit + search.known.count
        let rows = try transaction.wantedPayloads(after: search.after, limit: countMax)
        for row in rows {
            guard left > 0 else { return found }
            found.through = row.number
            guard let id = row.id, !search.known.contains(id), !search.urged.contains(id),
                let want = try want(row, transaction), !(search.isShort && want.needsRoom)
            else { continue }
            found.wants.append(want)
            left -= 1
        }
        found.isAtEnd = rows.count < countMax
        return found
    }

    /// Returns the first payloads to fetch.
    /// - Parameters:
    ///   - isKnown: The payloads that the caller knows already.
    ///   - limit: The most payloads to return.
    ///   - transaction: The store.
    /// - Returns: The first of them, in the order in which they came to be known.
    /// - Throws: Any error of the store.
    /// - Complexity: As ``wants(_:in:)``.
    package func wants(
        except isKnown: Set<PayloadID>,
        limit: Int,
        in transaction: some NodeTransaction
    ) throws -> [PayloadWant] {
        try wants(PayloadSearch(known: isKnown, limit: limit), in: transaction).wants
    }

    private func want(_ row: PayloadRow, _ transaction: some NodeTransaction) throws -> PayloadWant? {
        guard let id = row.id else { return nil }
        let rows = AssetRows(committer: committer)
        let zones = try rows.zones(of: row, limit: Self.zoneCountMax, in: transaction)
        let hasOutline = try transaction.chunkCounts(of: row.number).all > 0
        return PayloadWant(
            zone: zones.first ?? row.zone,
            others: Array(zones.dropFirst()),
            payload: id,
            sender: row.sender,
            missing: try hasOutline ? missingChunks(of: row, transaction) : nil,
            chunkByteCount: row.chunkByteCount,
            needsRoom: try row.isAsset && !rows.isDemanded(row, in: transaction)
        )
    }

    func missingChunks(of row: PayloadRow, _ transaction: some NodeTransaction) throws -> [UInt64] {
        try transaction.missingChunks(of: row.number, limit: Limits.payloadChunkCountMax)
    }
}
