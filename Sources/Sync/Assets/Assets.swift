import Identity
import Records
package import Wire

/// The assets of records, as this device has them: the contents that records name, which are payloads.
///
/// A record names a payload by an asset. The store keeps each such *reference* with the record; a round (``round(in:)``) looks at the new
/// ones, and gives each payload a row that is wanted, or is not wanted here, by the policies of the zones in which it is named.
package struct Assets: Sendable {
    /// The policy of a zone for which none is set on this device: all content is fetched, so that it is here when it is needed.
    package static let policyDefault = AssetPolicy.always
    /// The time for which content is kept that no record names any more: seven days, in which a record that names it may come.
    package static let unnamedMilliseconds: UInt64 = 7 * 24 * 60 * 60 * 1_000
    /// References of one payload in one zone that are examined for a true statement about it.
    private static let statementCountMax = 16

    let committer: Committer
    let room: AssetRoom

    /// Works within one transaction.
    /// - Parameters:
    ///   - committer: The device, its account and the time.
    ///   - room: The room for content that only a policy fetches; the default leaves nothing out.
    package init(_ committer: Committer, room: AssetRoom = .unknown) {
        (self.committer, self.room) = (committer, room)
    }

    var rows: AssetRows { AssetRows(committer: committer) }

    // MARK: Writing

    /// Fills in the size and the secret of an asset that a write names by its payload alone.
    ///
    /// The payload becomes an asset's in the same transaction: it is kept from then on as long as a record names it.
    /// - Parameters:
    ///   - descriptor: The value; a resolved one is returned as it is.
    ///   - zone: The zone that is written to.
    ///   - transaction: The store.
    /// - Returns: The resolved value; `nil` for a payload that nothing here lets a record of the zone name: it was not uploaded here for the
    ///   zone, no record of the zone names it, and none did whose content is still here.
    /// - Throws: Any error of the store.
    package func resolve(
        _ descriptor: AssetDescriptor,
        zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> AssetDescriptor? {
        guard !descriptor.isResolved else { return descriptor }
        let payload = descriptor.payload
        guard let statement = try statement(about: payload, zone: zone, in: transaction),
            let secret = AssetSecret(statement.secret.bytes)
        else { return nil }
        if var row = try transaction.payload(payload), !row.isAsset, row.statement == statement {
            row.isAsset = true
            try transaction.save(row)
        }
        var resolved = descriptor
        (resolved.size, resolved.secret) = (statement.byteCount, secret)
        assert(resolved.isResolved, "the secret of a payload is not the one that stands for none")
        return resolved
    }

    /// Returns the statement about a payload that a record of a zone may make.
    func statement(
        about payload: PayloadID,
        zone: ZoneID,
        in transaction: some NodeTransaction
    ) throws -> PayloadStatement? {
        let row = try transaction.payload(payload)
        // Content is kept for some days after the last record that named it, and can be named again: bytes that are here show that the
        // statement about them is true.
        if let row, row.zone == zone, row.isHandedIn || row.state == .linked || (row.isAsset && row.state == .present),
            let held = row.statement
        {
            return held
        }
        let statements = try statements(about: payload, zone: zone, in: transaction).map { $0.statement }
        if let own = row?.statement, let stated = statements.first(where: { $0 == own }) { return stated }
        let note = try transaction.assetNote(of: payload)
        return statements.first { !note.isFalse($0) } ?? statements.first
    }

    /// Returns the statement that a message in a zone may make about a payload that is held here.
    ///
    /// The device may hold the payload by the record of another zone, whose secret a false statement of this zone must not disclose.
    func statement(
        of row: PayloadRow,
        zone: ZoneID,
        in transaction: some NodeTransaction
    ) throws -> PayloadStatement? {
        guard let id = row.id, let held = row.statement else { return nil }
        if let stated = try statement(about: id, zone: zone, in: transaction), stated == held { return stated }
        return row.zone == zone ? held : nil
    }

    /// The statement of a record about a payload that it names; `nil` where it has none (any more).
    func statement(of reference: AssetReference, in transaction: some NodeTransaction) throws -> PayloadStatement? {
        guard let record = try transaction.record(zone: reference.zone, tag: reference.tag) else { return nil }
        return try record.content().assets.first { $0.payload == reference.payload }.flatMap(PayloadStatement.init)
    }

    // MARK: Requests

    /// Fetches content that a person or a program asks for, whatever the policy.
    ///
    /// It is remembered, so that no policy ends the transfer.
    /// - Parameters:
    ///   - payload: The payload.
    ///   - zone: The zone whose record names it.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when nothing changed, as where the content is here, or no record of the zone names it by a
    ///   statement that may be true.
    /// - Throws: Any error of the store.
    package func fetch(
        _ payload: PayloadID,
        zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        guard let row = try rowToFetch(payload, zone: zone, in: &transaction) else { return CommitNotice() }
        var note = try transaction.assetNote(of: payload)
        guard row.state != .wanted || !note.isAsked else { return CommitNotice() }
        note.isAsked = true
        try transaction.setAssetNote(note, of: payload)
        var wanted = row
        wanted.state = .wanted
        try rows.moveIfNeeded(&wanted, to: zone, in: transaction)
        if wanted != row { try transaction.save(wanted) }
        var notice = CommitNotice(number: try transaction.nextCommitNumber())
        notice.assets = [payload]
        notice.hasWants = true
        // The core looks for it again: from now on it is fetched also where there is no room.
        if row.state == .wanted { notice.noteUnwanted([payload], by: committer.account.account) }
        return notice
    }

    /// The row of a payload that can be fetched.
    private func rowToFetch(
        _ payload: PayloadID,
        zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> PayloadRow? {
        if let row = try transaction.payload(payload) {
            switch row.state {
            case .remote: return try rowToFetch(row, payload, zone: zone, in: &transaction)
            case .wanted, .evicted: return row
            case .present, .linked, .uploading, .released: return nil
            }
        }
        // No round has looked at the reference yet.
        guard let found = try statements(about: payload, zone: zone, in: transaction).first else { return nil }
        return try rows.begin(
            payload,
            found.statement,
            zone: zone,
            sender: sender(of: found.reference, in: transaction),
            as: .remote,
            in: &transaction
        )
    }

    /// The row of a payload that nothing was fetched of: by the statement of the zone, which the request is about.
    private func rowToFetch(
        _ row: PayloadRow,
        _ payload: PayloadID,
        zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> PayloadRow? {
        let note = try transaction.assetNote(of: payload)
        let stated = try statements(about: payload, zone: zone, in: transaction).filter { !note.isFalse($0.statement) }
        let isHeldByOne = stated.isEmpty || stated.contains { $0.statement == row.statement }
        guard !isHeldByOne, let found = stated.first else {
            return try rows.isRefuted(row, in: transaction) ? nil : row
        }
        return try rows.replace(
            row,
            by: found.statement,
            zone: zone,
            sender: sender(of: found.reference, in: transaction),
            as: .remote,
            in: &transaction
        )
    }

    /// The statements of some records of a zone about a payload.
    private func statements(
        about payload: PayloadID,
        zone: ZoneID,
        in transaction: some NodeTransaction
    ) throws -> [(reference: AssetReference, statement: PayloadStatement)] {
        let references = try transaction.assetReferences(to: payload, zone: zone, limit: Self.statementCountMax)
        return try references.compactMap { reference in
            try statement(of: reference, in: transaction).map { (reference: reference, statement: $0) }
        }
    }

    /// Ends the transfer of content, and drops the chunks that are here.
    ///
    /// Content that a message waits for, or that is kept for others, is fetched all the same. A policy fetches it again when it is set anew,
    /// or another record names the payload. Of content that was uploaded here, or was here as a whole, and is damaged nothing is dropped, and
    /// neither of content that this device has promised to keep: its sound chunks may be the only ones.
    /// - Parameters:
    ///   - payload: The payload.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when nothing changed.
    /// - Throws: Any error of the store.
    package func cancel(_ payload: PayloadID, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        guard let row = try transaction.payload(payload), row.isAsset, row.state == .wanted, row.keptUntil == nil,
            row.sender != nil, try !rows.isAwaited(payload, in: transaction),
            try Evictions(committer).promise(of: payload, in: transaction) == nil
        else { return CommitNotice() }
        var note = try transaction.assetNote(of: payload)
        guard !note.wasWhole else { return CommitNotice() }
        note.isAsked = false
        try transaction.setAssetNote(note, of: payload)
        try rows.giveUp(row, in: &transaction)
        var notice = CommitNotice(number: try transaction.nextCommitNumber())
        notice.assets = [payload]
        notice.noteUnwanted([payload], by: committer.account.account)
        return notice
    }

    /// Sets the policy of a zone on this device; the following rounds look at all references of the zone by it.
    ///
    /// No policy drops content that is here.
    /// - Parameters:
    ///   - policy: The policy; `nil` for ``policyDefault``.
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when it was the policy before.
    /// - Throws: Any error of the store.
    package func setPolicy(
        _ policy: AssetPolicy?,
        zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        guard try transaction.assetPolicy(zone: zone) != policy else { return CommitNotice() }
        try transaction.setAssetPolicy(policy, zone: zone)
        try transaction.markAssetReferencesUnseen(zone: zone)
        var notice = CommitNotice(number: try transaction.nextCommitNumber())
        notice.hasUnseenAssets = true
        return notice
    }

    /// Sets whether the contents of a zone that are here are kept at the relays of this account.
    /// - Parameters:
    ///   - isKept: Whether they are; true at first.
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when it was so before.
    /// - Throws: Any error of the store.
    /// - Complexity: O(promises of relays) where they are not kept any more.
    package func setKeptAtRelays(
        _ isKept: Bool,
        zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        guard try transaction.keepsAssetsAtRelays(zone: zone) != isKept else { return CommitNotice() }
        try transaction.setKeepsAssetsAtRelays(isKept, zone: zone)
        // Relays get a release of those that neither a message nor another zone keeps.
        if !isKept { try transaction.loosenCustodies(zone: zone) }
        var notice = CommitNotice(number: try transaction.nextCommitNumber())
        notice.custody.hasSettings = true
        return notice
    }

    // MARK: States

    /// Returns the state of a payload, by the store alone.
    /// - Parameters:
    ///   - row: The row of the payload; `nil` where it has none.
    ///   - hasProgress: Whether the state says how much is here of content on its way; without that it is `queued`.
    ///   - transaction: The store.
    /// - Returns: The state; `missing` where the only known statement about the payload was found to be false.
    /// - Throws: Any error of the store.
    /// - Complexity: O(missing chunks) for content on its way, whose progress is asked for.
    package func state(
        of row: PayloadRow?,
        withProgress hasProgress: Bool = true,
        in transaction: some NodeTransaction
    ) throws -> AssetState {
        guard let row else { return .remote }
        switch row.state {
        case .present, .linked: return .present
        case .evicted: return .evicted
        case .remote: return try rows.isRefuted(row, in: transaction) ? .missing : .remote
        case .wanted:
            guard hasProgress else { return .queued }
            let counts = try transaction.chunkCounts(of: row.number)
            guard counts.present > 0, counts.all > 0 else { return .queued }
            return .partial(percent: min(counts.present * 100 / counts.all, 99))
        case .uploading, .released: return .remote
        }
    }

    /// Returns the state of an asset, by the store alone.
    /// - Parameters:
    ///   - descriptor: The value of the record.
    ///   - hasProgress: As of ``state(of:withProgress:in:)`` of a row.
    ///   - transaction: The store.
    /// - Returns: The state of its payload; `missing` for a value whose size, as it is padded, or secret is not that by which the payload is
    ///   held here.
    /// - Throws: Any error of the store.
    package func state(
        of descriptor: AssetDescriptor,
        withProgress hasProgress: Bool = true,
        in transaction: some NodeTransaction
    ) throws -> AssetState {
        let row = try transaction.payload(descriptor.payload)
        guard let row, row.secret != nil, row.statement != PayloadStatement(descriptor) else {
            return try state(of: row, withProgress: hasProgress, in: transaction)
        }
        return .missing
    }
}
