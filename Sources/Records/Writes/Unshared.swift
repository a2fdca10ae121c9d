package import Wire

/// The writes of the local device in an earlier log of its own that no other device is known to hold.
///
/// They are read before the log is truncated, and written again afterwards
/// (``writeAgain(author:sign:in:)``).
package struct Unshared: Sendable {
    /// The log.
    package let key: LogKey
    /// The right that it was written under.
    package let right: Hash
    /// The size up to which others hold it as well.
    let sharedSize: UInt64
    /// The last state of each record that was written behind that, ascending by tag.
    let records: [(tag: RecordTag, state: MergedRecord)]
}

extension Unshared {
    /// Finds the operations of the local device's own log that a run would truncate, and that no other device is
    /// known to hold.
    ///
    /// A store that was rolled back unnoticed and wrote on has another history than its peers. Where the peers have
    /// pruned their history under a checkpoint, no leaves are left that could prove a fork; the log is truncated to
    /// the gap. Only its author can tell that the operations which stood there may be in no gap of a peer.
    ///
    /// Nil when the run truncates nothing, or nothing that could be lost.
    /// - Parameters:
    ///   - run: A run of the log.
    ///   - key: The log, of an earlier or the present incarnation of the local device.
    ///   - sharedSize: The size up to which some peer is known to hold the log as it is held here.
    ///   - transaction: The store.
    /// - Throws: `.unknownZone`.
    package init?(
        truncatedBy run: Run,
        key: LogKey,
        sharedSize: UInt64,
        in transaction: some ReplicaTransaction
    ) throws {
        guard key.lane == .data, let row = try transaction.log(key), !row.isForked, let gap = run.gap(over: row.size)
        else { return nil }
        let zone = try transaction.knownZone(key.zone)
        let sharedSize = max(sharedSize, gap.firstLeaf)
        guard zone.state == .live, sharedSize < row.size else { return nil }
        let logs = try ZoneLogs(zone: zone, in: transaction)
        var last: [RecordTag: StoredOperation] = [:]
        for item in try transaction.items(key, from: sharedSize, to: row.size) {
            guard case .operation(let stored) = item.content else { continue }
            last[stored.operation.header.tag] = stored
        }
        // The root names this history, so increments are counted once even if a copy of the machine holds the same
        // history.
        let counters = RestatedCounter(actor: key.actor, size: sharedSize, leaf: row.frontier.root)
        let records = try last.sorted { $0.key < $1.key }.compactMap { tag, stored in
            try Self.state(of: stored, device: row.device, counters, logs: logs, in: transaction).map { (tag, $0) }
        }
        self.init(key: key, right: row.right, sharedSize: sharedSize, records: records)
    }

    /// The state that an operation left, or that the local device made of it since it writes under another name.
    private static func state(
        of stored: StoredOperation,
        device: DeviceID,
        _ counters: RestatedCounter,
        logs: ZoneLogs,
        in transaction: some ReplicaTransaction
    ) throws -> MergedRecord? {
        let held = try transaction.operations(
            zone: logs.zone.id,
            tags: [stored.operation.header.tag],
            states: [.live, .superseded]
        )
        // A sealed operation without a key is not from this device, which has had the keys of everything that it
        // wrote.
        let readable = try held.compactMap { operation in
            try transaction.sibling(operation, zone: logs.zone.id).map { (operation, $0) }
        }
        let counting = readable.map(\.1)
        let written = readable.compactMap { operation, sibling -> Sibling? in
            let key = LogKey(zone: logs.zone.id, actor: operation.actor, lane: .data)
            guard operation.state == .live, operation.actor != stored.actor, logs[key]?.device == device,
                sibling.vector.covers(stored.dot)
            else { return nil }
            return sibling
        }
        guard let own = try transaction.sibling(stored, zone: logs.zone.id) else { return nil }
        let earlier = counters.earlier(in: counting)
        let siblings = (written.isEmpty ? [own] : written).map { sibling in
            var sibling = sibling
            sibling.body = counters.restated(sibling.body, earlier: earlier)
            return sibling
        }
        return Merge.merge(siblings, forks: logs.forkPoints)
    }

    /// Writes again, as operations of the local author, the operations of an own log that was truncated.
    ///
    /// Unlike operations behind a proven fork they get dots of the new log: the old dots name other operations at all
    /// peers, and an operation that carried or named them would replace those, or be replaced with them. The time
    /// stays, so that later writes of others are shown rather than these. An author who wrote to such a record
    /// meanwhile had not seen them: both values stand as siblings.
    ///
    /// Writes outside of the author's present right are written all the same and have no effect on any replica: they
    /// are quarantined, and an author with the right to write them can adopt them.
    /// - Parameters:
    ///   - author: The local author, in a later incarnation.
    ///   - sign: Signs the bytes of a tree head with the device's key for the purpose of tree heads.
    ///   - transaction: The store.
    /// - Returns: The records whose visible state changed, each once.
    /// - Throws: `.unknownZone`, `.ownLogClosed`; `.noRoom` when a record has none for another author. The log must
    ///   not be truncated then either.
    package func writeAgain(
        author: Author,
        sign: (_ headBytes: [UInt8]) throws -> Signature64,
        in transaction: inout some ReplicaTransaction
    ) throws -> [RecordRow] {
        let logs = try ZoneLogs(zone: try transaction.knownZone(key.zone), in: transaction)
        var log = try OwnLog(author, .data, logs: logs, in: transaction)
        var workspace = RecordWorkspace(logs)
        try workspace.load(records.map(\.tag), in: transaction)
        var void: Set<Dot> = []
        for (tag, state) in records {
            let renaming = DotRenaming(actor: key.actor, above: sharedSize, to: log.dot(), state.time)
            let (operation, body) = try renaming.operation(state, tag: tag, author: author, logs.controlHeads)
            if logs.allows(operation.header, body.body, in: log.row) {
                workspace.apply(operation, body, actor: author.actor)
            } else {
                void.insert(log.dot())
            }
            try log.add([(operation, body.body.isDeleted)])
        }
        try workspace.mergeAll(in: transaction)
        try transaction.setStates(workspace.changesOfStored(lane: .data))
        try log.finish(state: { void.contains($0) ? .void : workspace.state(of: $0) }, sign: sign, in: &transaction)
        return try workspace.save(bySync: true, in: &transaction)
    }
}
