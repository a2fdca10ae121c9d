import Identity
import Records
import Wire

/// A look at new references, in one transaction: the facts that they share, and the changes that they lead to.
struct AssetLook {
    private let assets: Assets
    /// The policies of zones that were read; `nil` for a zone that cannot be used.
    private var policies: [ZoneID: AssetPolicy?] = [:]
    /// The record that was read last: the references of one record often follow each other.
    private var record: (row: RecordRow, assets: [AssetDescriptor])?
    /// The bytes of the contents that arrive, by their zones; `nil` until the first policy fetches something.
    private var arriving: [ZoneID: UInt64]?
    private var leavesOut = false
    /// Whether something changed that no notice names.
    var hasChanged = false
    /// The assets whose states changed, and whether payloads are wanted now.
    private(set) var notice = CommitNotice()

    init(_ assets: Assets) { self.assets = assets }

    private var rows: AssetRows { assets.rows }

    /// Looks at a reference.
    mutating func take(_ reference: AssetReference, in transaction: inout some NodeTransaction) throws {
        // A zone that cannot be used keeps no content here.
        guard let policy = try policy(of: reference.zone, in: transaction),
            let found = try find(reference, in: transaction)
        else { return }
        let note = try transaction.assetNote(of: reference.payload)
        guard !note.excludes(found.statement, of: reference.zone) else { return }
        guard let row = try transaction.payload(reference.payload) else {
            let byteCount = found.statement.byteCount
            let isWanted = try policy.fetches(byteCount) && hasRoom(for: byteCount, of: reference.zone, transaction)
            let row = try rows.begin(
                reference.payload,
                found.statement,
                zone: reference.zone,
                sender: assets.sender(of: found.record, in: transaction),
                as: isWanted ? .wanted : .remote,
                in: &transaction
            )
            return changed(row)
        }
        if row.statement == found.statement {
            try agree(row, reference, policy, note, in: &transaction)
        } else {
            try differ(row, reference, found, policy, note, in: &transaction)
        }
    }

    /// Ends the look.
    mutating func finish(in transaction: inout some NodeTransaction) throws {
        if leavesOut { try assets.noteLeftOut(in: &transaction) }
    }

    /// A record states about a payload the same as what it is held by.
    private mutating func agree(
        _ row: PayloadRow,
        _ reference: AssetReference,
        _ policy: AssetPolicy,
        _ note: AssetNote,
        in transaction: inout some NodeTransaction
    ) throws {
        var new = row
        new.isAsset = true
        try rows.moveIfNeeded(&new, to: reference.zone, in: transaction)
        let isFetched = policy.fetches(row.byteCount)
        switch row.state {
        case .remote:
            if try note.isAsked || (isFetched && hasRoom(for: row.byteCount, of: reference.zone, transaction)) {
                new.state = .wanted
            }
        case .wanted:
            // Another zone's policy may fetch it, or a message wait for it.
            let isKept =
                try isFetched || rows.isDemanded(new, in: transaction)
                || rows.isFetchedByPolicy(new, in: transaction)
            guard isKept else {
                try rows.giveUp(new, in: &transaction)
                forget(reference.payload)
                notice.assets.insert(reference.payload)
                return
            }
            if try isFirst(reference, of: row, in: transaction) {
                // The core looks for it again: it may ask other devices from now on.
                forget(reference.payload)
                notice.hasWants = true
            }
        case .present, .linked: notice.custody.contents.insert(reference.payload)
        // Content that was dropped on request comes back on request alone.
        case .evicted: break
        case .uploading, .released: assertionFailure("such a payload has no id, by which it was found")
        }
        guard new != row else { return }
        try transaction.save(new)
        if new.state != row.state || !row.isAsset { changed(new) }
    }

    /// A record states about a payload something else than what it is held by: one of the two is false.
    private mutating func differ(
        _ row: PayloadRow,
        _ reference: AssetReference,
        _ found: Found,
        _ policy: AssetPolicy,
        _ note: AssetNote,
        in transaction: inout some NodeTransaction
    ) throws {
        guard let held = row.statement else { return try adopt(row, reference, found, note, in: &transaction) }
        // Content that is, or was, here shows that its statement is true.
        guard row.state == .remote else { return }
        let isFetched = policy.fetches(found.statement.byteCount)
        let isWanted =
            try note.isAsked
            || (isFetched && hasRoom(for: found.statement.byteCount, of: reference.zone, transaction))
        // One that nothing is fetched by gives way to one that is, and a false one to any other.
        guard isWanted || note.isFalse(held) else { return }
        let new = try rows.replace(
            row,
            by: found.statement,
            zone: reference.zone,
            sender: assets.sender(of: found.record, in: transaction),
            as: isWanted ? .wanted : .remote,
            in: &transaction
        )
        changed(new)
    }

    /// A record states something about a payload that is kept for others, and that nothing here can open: it is held by that, if it is true.
    ///
    /// While a part is missing that cannot be found out; the references are looked at again when all of it is here.
    private mutating func adopt(
        _ row: PayloadRow,
        _ reference: AssetReference,
        _ found: Found,
        _ note: AssetNote,
        in transaction: inout some NodeTransaction
    ) throws {
        guard row.state == .present, let isTrue = try rows.confirms(row, found.statement, in: transaction) else {
            return
        }
        guard isTrue else {
            var note = note
            note.refute(found.statement, of: reference.zone)
            hasChanged = true
            return try transaction.setAssetNote(note, of: reference.payload)
        }
        changed(try rows.adopt(row, found.statement, in: &transaction))
    }

    /// Whether a reference is the first one of another zone than that under which a payload is asked for.
    private func isFirst(
        _ reference: AssetReference,
        of row: PayloadRow,
        in transaction: some NodeTransaction
    ) throws -> Bool {
        guard reference.zone != row.zone else { return false }
        return try transaction.assetReferences(to: reference.payload, zone: reference.zone, limit: 2).count == 1
    }

    private mutating func forget(_ payload: PayloadID) {
        notice.noteUnwanted([payload], by: assets.committer.account.account)
    }

    private mutating func changed(_ row: PayloadRow) {
        guard let id = row.id else { return }
        notice.assets.insert(id)
        if row.state == .wanted { notice.hasWants = true }
    }

    // MARK: Facts

    /// A record with its statement about a payload.
    private struct Found {
        let record: RecordRow
        let statement: PayloadStatement
    }

    private mutating func find(_ reference: AssetReference, in transaction: some NodeTransaction) throws -> Found? {
        if record?.row.zone != reference.zone || record?.row.tag != reference.tag {
            record = nil
            do {
                guard let row = try transaction.record(zone: reference.zone, tag: reference.tag) else { return nil }
                record = (row, try row.content().assets)
            } catch {
                guard error is ReplicaError || (error as? StorageError)?.code == .corrupt else { throw error }
                // Its readers report the damage; here it would keep all other assets waiting.
                return nil
            }
        }
        guard let known = record, let value = known.assets.first(where: { $0.payload == reference.payload }),
            let statement = PayloadStatement(value)
        else { return nil }
        return Found(record: known.row, statement: statement)
    }

    private mutating func policy(of zone: ZoneID, in transaction: some NodeTransaction) throws -> AssetPolicy? {
        if let known = policies[zone] { return known }
        let policy = try rows.isUsable(zone, in: transaction) ? rows.policy(of: zone, in: transaction) : nil
        policies[zone] = .some(policy)
        return policy
    }

    /// Whether there is room for content that a policy fetches; where there is none, the asset is left out.
    ///
    /// Content of which nothing has come takes none: perhaps no device has it. While the file system is full, the core does not ask for it.
    private mutating func hasRoom(
        for byteCount: UInt64,
        of zone: ZoneID,
        _ transaction: some NodeTransaction
    ) throws -> Bool {
        guard assets.room.byteCount != nil else { return true }
        let known = try arriving ?? transaction.arrivingByteCounts()
        arriving = known
        guard let left = assets.room.byteCount(for: zone, arriving: known), left < byteCount else { return true }
        leavesOut = true
        return false
    }
}
