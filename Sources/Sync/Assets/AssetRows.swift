import Records
import Wire

/// The rows of payloads that records name: how they begin, give up their chunks, and give way to another statement.
///
/// ``Assets`` and ``Payloads`` share it: a payload may be both a message's and an asset's, and obeys both.
struct AssetRows {
    /// Zones that are examined for one payload.
    static let zoneCountMax = 64

    let committer: Committer

    // MARK: Zones

    /// Whether a zone is live, and one in which this account takes part: only such a zone keeps content here, or lets it be asked for.
    func isUsable(_ zone: ZoneID, in transaction: some NodeTransaction) throws -> Bool {
        guard let row = try transaction.zone(zone) else { return false }
        return row.state == .live && committer.isCurrent(row)
    }

    /// The policy of a zone.
    func policy(of zone: ZoneID, in transaction: some NodeTransaction) throws -> AssetPolicy {
        try transaction.assetPolicy(zone: zone) ?? Assets.policyDefault
    }

    /// The zone whose setting has a payload that records name kept at the relays of this account: its own one first; `nil` for none.
    func zoneKeptAtRelays(
        _ row: PayloadRow,
        _ settings: inout [ZoneID: Bool],
        in transaction: some NodeTransaction
    ) throws -> ZoneID? {
        guard let id = row.id, row.isAsset else { return nil }
        let named = try transaction.assetZones(of: id, limit: Self.zoneCountMax)
        let isAtHome = named.contains(row.zone)
        for zone in (isAtHome ? [row.zone] : []) + named {
            let isKept =
                try settings[zone]
                ?? (transaction.keepsAssetsAtRelays(zone: zone) && isUsable(zone, in: transaction)
                    // A relay serves no zone that this account only visits.
                    && transaction.zone(zone)?.role != .unknown)
            settings[zone] = isKept
            if isKept { return zone }
        }
        return nil
    }

    /// The zones under which a payload may be asked for: its own first, then those of the records and messages that name it.
    func zones(of row: PayloadRow, limit: Int, in transaction: some NodeTransaction) throws -> [ZoneID] {
        guard let id = row.id else { return [] }
        var candidates = [row.zone]
        if row.isAsset { candidates += try transaction.assetZones(of: id, limit: Self.zoneCountMax) }
        candidates += try transaction.messages(with: id).filter(\.needsPayload).map(\.zone)
        var zones: [ZoneID] = []
        for zone in candidates where zones.count < limit && !zones.contains(zone) {
            if try isUsable(zone, in: transaction) { zones.append(zone) }
        }
        return zones
    }

    /// Gives a payload the zone of a record that names it, where nothing in the payload's own zone refers to it any more, or that zone
    /// cannot be used.
    func moveIfNeeded(_ row: inout PayloadRow, to zone: ZoneID, in transaction: some NodeTransaction) throws {
        if row.zone != zone, try !isAtHome(row, in: transaction) { row.zone = zone }
    }

    private func isAtHome(_ row: PayloadRow, in transaction: some NodeTransaction) throws -> Bool {
        guard let id = row.id, try isUsable(row.zone, in: transaction) else { return false }
        // An upload may be named there yet.
        let isUpload = row.isHandedIn || row.state == .linked
        let isFresh = isUpload && row.begun &+ Payloads.unsentMilliseconds > committer.wallMilliseconds
        if isFresh || row.keptUntil != nil { return true }
        if try !transaction.assetReferences(to: id, zone: row.zone, limit: 1).isEmpty { return true }
        return try transaction.messages(with: id).contains { $0.zone == row.zone && $0.needsPayload }
    }

    // MARK: Reasons

    /// Whether a message waits for a payload.
    func isAwaited(_ id: PayloadID, in transaction: some NodeTransaction) throws -> Bool {
        try transaction.messages(with: id).contains { $0.state == .fetching }
    }

    /// Whether a payload is to be had regardless of policies: a message waits for it, it is kept for others, or it was asked for.
    func isDemanded(_ row: PayloadRow, in transaction: some NodeTransaction) throws -> Bool {
        guard let id = row.id else { return false }
        if row.keptUntil != nil { return true }
        return try transaction.assetNote(of: id).isAsked || isAwaited(id, in: transaction)
    }

    /// Whether the policy of any zone with a record that names a payload fetches it.
    func isFetchedByPolicy(_ row: PayloadRow, in transaction: some NodeTransaction) throws -> Bool {
        guard let id = row.id, row.isAsset else { return false }
        return try transaction.assetZones(of: id, limit: Self.zoneCountMax).contains { zone in
            try isUsable(zone, in: transaction) && policy(of: zone, in: transaction).fetches(row.byteCount)
        }
    }

    /// Whether the statement by which a payload is held was found to be false: nothing here will ever open it.
    func isRefuted(_ row: PayloadRow, in transaction: some NodeTransaction) throws -> Bool {
        guard row.isAsset, row.state == .remote, let id = row.id, let statement = row.statement else { return false }
        return try transaction.assetNote(of: id).isFalse(statement)
    }

    /// Whether a part of a payload is here, which opened by the statement by which it is held: then all others are false.
    func isProven(_ row: PayloadRow, in transaction: some NodeTransaction) throws -> Bool {
        try row.secret != nil && transaction.chunkCounts(of: row.number).present > 0
    }

    // MARK: Rows

    /// Begins the row of a payload that a record names.
    func begin(
        _ id: PayloadID,
        _ statement: PayloadStatement,
        zone: ZoneID,
        sender: DeviceID,
        as state: PayloadRow.State,
        in transaction: inout some NodeTransaction
    ) throws -> PayloadRow {
        let row = PayloadRow(
            number: try transaction.takePayloadNumber(),
            id: id,
            zone: zone,
            state: state,
            byteCount: statement.byteCount,
            secret: statement.secret,
            begun: committer.wallMilliseconds,
            // Only an upload has none.
            sender: sender,
            isAsset: true
        )
        try transaction.save(row)
        return row
    }

    /// Makes a payload one that is not wanted; its chunks are dropped.
    func giveUp(_ row: PayloadRow, in transaction: inout some NodeTransaction) throws {
        assert(row.id != nil && row.isAsset, "the payload of an asset keeps its row when it is not wanted")
        guard try transaction.chunkCounts(of: row.number).all > 0 else {
            var row = row
            row.state = .remote
            return try transaction.save(row)
        }
        // There may be many chunks: they are dropped under the old number, some at a time.
        try Payloads(committer).release(row, in: &transaction)
        try transaction.save(try renewed(row, row.statement, as: .remote, in: &transaction))
    }

    /// Makes a payload one that was here and was dropped on request.
    /// - Parameters:
    ///   - row: The payload, which is here.
    ///   - holder: A device that has it, and is asked first when it is wanted again.
    ///   - transaction: The store.
    /// - Throws: Any error of the store.
    func evict(_ row: PayloadRow, holder: DeviceID, in transaction: inout some NodeTransaction) throws {
        assert(row.state == .present && row.id != nil, "a payload is evicted that is here")
        try Payloads(committer).release(row, in: &transaction)
        var evicted = try renewed(row, row.statement, as: .evicted, sender: holder, in: &transaction)
        evicted.isAsset = true
        try transaction.save(evicted)
    }

    /// Holds a payload by another statement than before.
    func replace(
        _ row: PayloadRow,
        by statement: PayloadStatement,
        zone: ZoneID,
        sender: DeviceID,
        as state: PayloadRow.State,
        in transaction: inout some NodeTransaction
    ) throws -> PayloadRow {
        assert(!row.isComplete, "a payload that is here shows that its statement is true")
        try discard(row, in: &transaction)
        var new = try renewed(row, statement, as: state, sender: sender, in: &transaction)
        new.zone = zone
        try transaction.save(new)
        return new
    }

    /// Whether a payload that is kept for others is as a record states: its size shows that, and its first chunk, which opens by the secret.
    /// - Returns: `nil` where that chunk cannot be read now.
    func confirms(
        _ row: PayloadRow,
        _ statement: PayloadStatement,
        in transaction: some NodeTransaction
    ) throws -> Bool? {
        guard statement.paddedByteCount == row.paddedByteCount else { return false }
        do {
            guard let chunk = try transaction.chunk(of: row.number, at: 0), let bytes = chunk.bytes,
                PayloadChunk.hash(of: bytes) == chunk.hash
            else { return nil }
            return try PayloadSealer(statement.secret).open(bytes, at: 0) != nil
        } catch let error as StorageError where error.code == .payloadsMissing {
            // All other assets would wait for the disk.
            return nil
        }
    }

    /// Holds a payload that is kept for others by what a record states, which is true: programs of this device can open it then, and it stays
    /// when the keeping ends.
    func adopt(
        _ row: PayloadRow,
        _ statement: PayloadStatement,
        in transaction: inout some NodeTransaction
    ) throws -> PayloadRow {
        assert(row.secret == nil && row.state == .present, "a payload is held by one statement at a time")
        let new = PayloadRow(
            number: row.number,
            id: row.id,
            zone: row.zone,
            state: row.state,
            byteCount: statement.byteCount,
            secret: statement.secret,
            begun: row.begun,
            sender: row.sender,
            keptUntil: row.keptUntil,
            keeping: row.keeping,
            isAsset: true,
            unnamedSince: row.unnamedSince,
            chunkByteCount: row.chunkByteCount
        )
        try transaction.save(new)
        return new
    }

    /// Removes a row, and its chunks with it or some at a time.
    private func discard(_ row: PayloadRow, in transaction: inout some NodeTransaction) throws {
        if try transaction.chunkCounts(of: row.number).all > 0 {
            try Payloads(committer).release(row, in: &transaction)
        } else {
            try transaction.removePayload(number: row.number)
        }
    }

    private func renewed(
        _ row: PayloadRow,
        _ statement: PayloadStatement?,
        as state: PayloadRow.State,
        sender: DeviceID? = nil,
        in transaction: inout some NodeTransaction
    ) throws -> PayloadRow {
        PayloadRow(
            number: try transaction.takePayloadNumber(),
            id: row.id,
            zone: row.zone,
            state: state,
            byteCount: statement?.byteCount ?? row.byteCount,
            secret: statement?.secret ?? row.secret,
            begun: row.begun,
            sender: sender ?? row.sender,
            keptUntil: row.keptUntil,
            keeping: row.keeping,
            isAsset: row.isAsset,
            unnamedSince: row.unnamedSince
        )
    }

    /// Forgets all about a payload that is dropped, and lets no record keep it at relays any more.
    ///
    /// References that are left are looked at once more: those of zones which cannot be used when such a zone is live again, and others at
    /// once, where the payload was held by what a message stated, or for other devices.
    func forget(_ id: PayloadID, in transaction: inout some NodeTransaction) throws {
        try transaction.setAssetNote(AssetNote(), of: id)
        try transaction.removeRetention(of: id)
        try transaction.removeEviction(of: id)
        try transaction.removeHolders(of: id)
        try transaction.removeAssetLinks(of: id)
        try transaction.markAssetReferencesUnseen(to: id)
        try loosenCustodies(of: id, in: &transaction)
    }

    /// Ends the keeping of a payload at relays by records: they get a release, unless a message keeps it.
    /// - Returns: Whether a record has kept it.
    @discardableResult
    func loosenCustodies(of id: PayloadID, in transaction: inout some NodeTransaction) throws -> Bool {
        let custodies = try transaction.custodies(of: id).filter { $0.kind == .record }
        for var custody in custodies {
            custody.kind = .message
            try transaction.save(custody)
        }
        return !custodies.isEmpty
    }

    // MARK: False statements

    /// Notes that the bytes of a payload have shown the statement about it to be false: it is not fetched by that one again, and the records
    /// that name it are looked at for another one.
    func refute(_ row: PayloadRow, in transaction: inout some NodeTransaction) throws {
        guard let id = row.id, let statement = row.statement else { return }
        var note = try transaction.assetNote(of: id)
        note.refute(statement, of: row.zone)
        // A request was for the content, which this statement cannot open.
        assert(note.excludes(statement, of: row.zone), "a false statement is not tried again")
        try giveUp(row, in: &transaction)
        try transaction.setAssetNote(note, of: id)
        try transaction.markAssetReferencesUnseen(to: id)
    }
}
