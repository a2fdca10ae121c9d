import Identity
import Records
package import Wire

/// Moves the records of an account that this device has left to the present account.
package struct AccountMove: Sendable {
    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// Zones with records of an account that this device has left.
    /// - Parameter transaction: The store.
    /// - Returns: Their ids, ascending.
    /// - Throws: Any error of the store.
    package func oldZones(_ transaction: some NodeTransaction) throws -> [ZoneID] {
        try transaction.zones().filter { !committer.isCurrent($0) && $0.state == .live }.map(\.id)
    }

    /// Writes the records of a zone of an account that this device has left into a zone of the present one.
    ///
    /// The old zone is sealed in the same transaction, so each is moved once, whatever happens in between. A zone of the
    /// daemon's own is sealed and nothing of it written again.
    /// - Parameters:
    ///   - zone: The old zone.
    ///   - random: For the salt of the new one.
    ///   - transaction: The store.
    /// - Returns: The notice; nothing changed when the zone is not an old one.
    /// - Throws: `CommitError.notMoved` for a record that cannot be written again, `ReplicaError`, or an error of the store.
    package func move(
        _ zone: ZoneID,
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        guard var old = try transaction.zone(zone), !committer.isCurrent(old), old.state == .live else {
            return CommitNotice()
        }
        var whole = CommitNotice()
        // The daemon's notes for the left account mean nothing in the present one, nor do its secrets belong to it.
        if !old.isInternal, try transaction.recordCount(zone: zone) > 0 {
            whole = try copyRecords(of: old, random: &random, in: &transaction)
        }
        old.state = .sealed
        try transaction.save(old)
        whole.number = try transaction.nextCommitNumber()
        if try FeedZones(committer).note(zone, always: true, in: &transaction) {
            whole.feed.insert(.others)
            whole.zoneEvents.append((zone, true))
        }
        return whole
    }

    private func copyRecords(
        of old: ZoneRow,
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        let genesis = successor(of: old.genesis, random: &random)
        // The present account's default zone may be here already.
        var (zone, whole) = (ZoneID(genesis), CommitNotice())
        if try transaction.zone(zone) == nil {
            whole = try ZoneLifecycle(committer).create(genesis, in: &transaction).notice
        }
        let author = try MessageRecords(committer).authors(in: old.id, transaction)
        var last: String?
        whole.merge(
            try committer.tracking(zone, in: &transaction) { transaction in
                while true {
                    let page = try transaction.records(zone: old.id, after: last, limit: 1_000)
                    let writes = try page.records.compactMap { try copy(of: $0, author, in: zone, transaction) }
                    try copy(writes, to: zone, in: &transaction)
                    guard page.more, let name = page.records.last?.name else { break }
                    last = name
                }
                return CommitNotice(feed: .anything)
            }
        )
        return whole
    }

    /// Returns the write of a record in the new zone.
    ///
    /// All that this device writes there is its own work, of which no reader checks a signature. So it signs its own
    /// messages again, and leaves the signature out of records that are no messages of its own.
    /// - Returns: `nil` for other records of daemons: they are about the old zone.
    private func copy(
        of row: RecordRow,
        _ author: (ActorID) -> DeviceID?,
        in zone: ZoneID,
        _ transaction: some NodeTransaction
    ) throws -> RecordWrite? {
        guard ReservedType.isReserved(row.type) else { return try RecordWrite(copying: row) }
        guard row.type == ReservedType.message else { return nil }
        var write = try RecordWrite(copying: row)
        if let message = try Message(row, device: author), message.sender == committer.device {
            let place = StatementPlace(zone: zone, tag: try RecordTag(of: row.name, zone: zone, in: transaction))
            write.set = message.write(name: row.name, in: place, signedBy: committer.keys).set
        } else {
            write.set.removeAll { $0.field.isBytewiseEqual(to: "signature") }
        }
        return write
    }

    /// The zone in which the records continue: for a default zone the present account's own.
    private func successor(of old: ZoneGenesis, random: inout some RandomNumberGenerator) -> ZoneGenesis {
        if old.isDefault {
            return committer.keyring.defaultZoneGenesis(
                container: old.container,
                name: old.name,
                owner: committer.account.account
            )
        }
        return ZoneGenesis(
            owner: committer.account.account,
            container: old.container,
            name: old.name,
            salt: (0..<ZoneGenesis.saltByteCount).map { _ in UInt8.random(in: .min ... .max, using: &random) },
            history: old.history,
            isDefault: false
        )
    }

    private func copy(_ writes: [RecordWrite], to zone: ZoneID, in transaction: inout some NodeTransaction) throws {
        guard !writes.isEmpty else { return }
        let commit = try committer.write([WriteRequest(writes, isAtomic: false)], zone: zone, in: &transaction)
        for (write, result) in zip(writes, commit.results.first ?? []) {
            // The old zone is sealed behind this: a record that was left out would be lost for its readers.
            if case .failure(let refusal) = result { throw CommitError.notMoved(record: write.name, refusal) }
        }
    }
}

extension RecordWrite {
    /// Writes a record's visible state once more, in another zone.
    fileprivate init(copying row: RecordRow) throws {
        let body = try row.content()
        self.init(name: row.name, type: row.type)
        parent = body.parent.map { .set($0) } ?? .keep
        for (name, value) in body.shownFields {
            switch value {
            case .counter(let state):
                let total = state.entries.reduce(Int64(0)) { $0 &+ $1.total }
                increments.append(CounterIncrement(field: name, amount: total))
            case .set(let state):
                insertions.append(SetElements(field: name, values: state.entries.map(\.element)))
            default:
                set.append(FieldAssignment(field: name, value: value))
            }
        }
    }
}
