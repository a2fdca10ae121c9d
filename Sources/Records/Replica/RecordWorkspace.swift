import Wire

/// The records that one transaction changes, with the operations it applies to them.
///
/// An operation is live unless another effective one covers its dot. The row's `context`, the join of all effective
/// vectors, answers that for an arriving operation; the live ones it covers in turn are superseded. Both together
/// give the maximal elements of the set, whatever the order of arrival. Merging waits until all operations are
/// applied.
struct RecordWorkspace {
    let zone: ZoneID
    private let forks: ForkPoints
    private let latestTypes: Set<BytewiseString>
    private var rows: [RecordTag: RecordRow] = [:]
    /// The rows as they were stored; nil for a tag that had none.
    private var stored: [RecordTag: RecordRow?] = [:]
    /// Tags in the order of their first change.
    private var touched: [RecordTag] = []
    private var isTouched: Set<RecordTag> = []
    /// Rows whose live operations changed but whose visible state is not computed yet.
    private var unmerged: Set<RecordTag> = []
    /// The operations applied here, which storage does not hold yet or holds as pending; `nil` for an unreadable one.
    private var fresh: [Dot: Sibling?] = [:]
    /// Everything that became superseded here, fresh or stored.
    private var superseded: [Dot: RecordTag] = [:]

    init(_ logs: ZoneLogs) {
        zone = logs.zone.id
        forks = logs.forkPoints
        latestTypes = logs.latestTypes
    }

    // MARK: Reading

    /// Reads the rows of tags that were not read yet.
    mutating func load(_ tags: some Sequence<RecordTag>, in transaction: some ReplicaTransaction) throws {
        var missing: [RecordTag] = []
        for tag in tags where stored[tag] == nil {
            stored[tag] = .some(nil)
            missing.append(tag)
        }
        guard !missing.isEmpty else { return }
        for row in try transaction.records(zone: zone, tags: missing) {
            stored[row.tag] = .some(row)
            rows[row.tag] = row
        }
    }

    /// The record as it is now; its tag must have been loaded.
    ///
    /// Visible state only once merged.
    func row(_ tag: RecordTag) -> RecordRow? { rows[tag] }

    /// The record's live operations merged; nil when it has none.
    /// - Complexity: reads the siblings from storage when there is more than one.
    func merged(_ tag: RecordTag, in transaction: some ReplicaTransaction) throws -> MergedRecord? {
        guard let row = rows[tag] else { return nil }
        if row.live.isEmpty {
            // The record is visible although its operation was pruned under a checkpoint: the successor has yet to
            // arrive. Until then a write builds on the visible state, else it would drop values that the successor
            // carries on.
            return row.isDeleted ? nil : merge([try row.onlySibling(row.creation)])
        }
        if let merged = merge(try siblings(of: [row], in: transaction)[tag] ?? []) { return merged }
        // No live operation can be read: the state is the one that readers see, which was readable before.
        return row.isDeleted ? nil : merge([try row.onlySibling(row.creation)])
    }

    private func merge(_ siblings: [Sibling]) -> MergedRecord? {
        Merge.merge(siblings, forks: forks, latestTypes: latestTypes)
    }

    /// Whether all live operations of a record can be read here; only then may a write build on them.
    /// - Complexity: reads the siblings from storage when something of the record is locked.
    func isReadable(_ tag: RecordTag, in transaction: some ReplicaTransaction) throws -> Bool {
        guard let row = rows[tag], row.isLocked else { return true }
        return try live(tag, in: transaction).count == row.live.count
    }

    /// The record's live operations that can be read here; none when its tag is unknown.
    func live(_ tag: RecordTag, in transaction: some ReplicaTransaction) throws -> [Sibling] {
        guard let row = rows[tag], !row.live.isEmpty else { return [] }
        return try siblings(of: [row], in: transaction)[tag] ?? []
    }

    /// The records that are deleted with the record of a name, without deleted ones, ascending by tag.
    /// - Parameters:
    ///   - name: The name.
    ///   - limit: The number that suffices; there may be more than are returned.
    ///   - transaction: The store.
    /// - Returns: Their rows in their present state, including the operations applied here.
    /// - Throws: The store's error.
    mutating func anchored(
        to name: String,
        limit: Int,
        in transaction: some ReplicaTransaction
    ) throws -> [RecordRow] {
        var found: Set<RecordTag> = Set(touched.filter { isAnchored($0, to: name) })
        var page: [RecordTag] = []
        repeat {
            page = try transaction.anchoredRecords(zone: zone, to: name, after: page.last, limit: limit)
            try load(page, in: transaction)
            // Records that changed here since they were stored are judged by their present state.
            found.formUnion(page.filter { isAnchored($0, to: name) })
        } while page.count == limit && found.count < limit
        return found.sorted().compactMap { rows[$0] }
    }

    private func isAnchored(_ tag: RecordTag, to name: String) -> Bool {
        guard let row = rows[tag], !row.isDeleted else { return false }
        return row.isAnchored(to: name)
    }

    // MARK: Applying

    /// Applies an effective operation.
    ///
    /// Its tag must have been loaded.
    /// - Parameters:
    ///   - operation: The operation.
    ///   - opened: Its body; `nil` for one that cannot be read here.
    ///   - actor: Its log's actor.
    mutating func apply(_ operation: Operation, _ opened: OpenedBody?, actor: ActorID) {
        let header = operation.header
        let tag = header.tag
        let dot = Dot(actor: actor, counter: header.counter)
        assert(stored[tag] != nil, "the row of a record is loaded before an operation changes it")
        assert(fresh[dot] == nil, "an operation is applied once")
        let sibling = opened.map { Sibling(actor: actor, header: header, body: $0.body) }
        fresh[dot] = .some(sibling)
        guard var row = rows[tag] else {
            touch(tag)
            rows[tag] = state(of: tag, only: sibling, opened, dot: dot, before: nil, context: header.vector)
            return
        }
        // An author who wrote on top of all effective operations has overridden any effect of the unread part.
        let isSettled = sibling != nil && header.vector.covers(row.context)
        let staysLocked = row.isLocked && !isSettled
        defer { if staysLocked { rows[tag]?.isLocked = true } }
        let isCovered = row.context.covers(dot)
        // A covered operation also supersedes the operations that it covers: honest authors' successors cover those
        // too, but the result must depend neither on that nor on the order.
        let covered = row.live.filter { header.vector.covers($0) }
        if isCovered, covered.isEmpty, row.context.covers(header.vector) {
            superseded[dot] = tag
            return
        }
        row.context.merge(header.vector)
        for old in covered {
            superseded[old] = tag
        }
        if isCovered { superseded[dot] = tag }
        if !isCovered, covered.count == row.live.count {
            row = state(of: tag, only: sibling, opened, dot: dot, before: row, context: row.context)
            unmerged.remove(tag)
        } else if !isCovered || !covered.isEmpty {
            row.live = row.live.filter { !covered.contains($0) }
            if !isCovered { row.live = (row.live + [dot]).sorted() }
            unmerged.insert(tag)
        }
        if sibling == nil { row.isLocked = true }
        assert(
            row.live.contains(dot) == (superseded[dot] == nil),
            "an operation is live unless another effective one covers it"
        )
        touch(tag)
        rows[tag] = row
    }

    /// The row of a record with one live operation.
    private func state(
        of tag: RecordTag,
        only sibling: Sibling?,
        _ opened: OpenedBody?,
        dot: Dot,
        before: RecordRow?,
        context: VersionVector
    ) -> RecordRow {
        guard let sibling, let opened else {
            return RecordRow(locked: before, zone: zone, tag: tag, live: [dot], context: context)
        }
        return RecordRow(zone: zone, tag: tag, only: sibling, body: opened.bytes, context: context)
    }

    /// Replaces the state of a record after its effective operations were evaluated again.
    mutating func replace(_ row: RecordRow) {
        touch(row.tag)
        rows[row.tag] = row
    }

    /// The state of an operation that was applied here.
    func state(of dot: Dot) -> OperationState {
        superseded[dot] == nil ? .live : .superseded
    }

    // MARK: Writing

    /// Computes the visible state of every record whose live operations changed.
    mutating func mergeAll(in transaction: some ReplicaTransaction) throws {
        guard !unmerged.isEmpty else { return }
        let waiting = unmerged.sorted().compactMap { rows[$0] }
        let siblings = try siblings(of: waiting, in: transaction)
        for row in waiting {
            let (tag, context) = (row.tag, row.context)
            if let merged = merge(siblings[tag] ?? []) {
                rows[tag] = RecordRow(zone: zone, tag: tag, merged: merged, live: row.live, context: context)
            } else if row.live.isEmpty {
                rows[tag] = RecordRow(vanished: row, context: context)
            } else {
                rows[tag] = RecordRow(locked: row, zone: zone, tag: tag, live: row.live, context: context)
            }
            if row.isLocked { rows[tag]?.isLocked = true }
        }
        unmerged.removeAll()
    }

    /// The new states of operations that storage already holds under another state.
    ///
    /// Fresh ones are left out.
    func changesOfStored(lane: Lane) -> [StateChange] {
        superseded.keys.lazy.filter { fresh[$0] == nil }.sorted().map {
            StateChange(key: LogKey(zone: zone, actor: $0.actor, lane: lane), counter: $0.counter, state: .superseded)
        }
    }

    /// Saves the changed rows; call after `mergeAll`.
    /// - Returns: The rows whose visible state changed, in the order of their first change.
    func save(bySync: Bool, in transaction: inout some ReplicaTransaction) throws -> [RecordRow] {
        assert(unmerged.isEmpty, "records are merged before they are saved")
        var visible: [RecordRow] = []
        var unchanged: [RecordRow] = []
        for tag in touched {
            guard let row = rows[tag], let before = stored[tag], row != before else { continue }
            row.assertValid()
            assert(row.tag == tag && row.zone == zone, "a row is that of the record that was changed")
            if row.looksDifferent(from: before) { visible.append(row) } else { unchanged.append(row) }
        }
        if !visible.isEmpty { try transaction.save(visible, bySync: bySync) }
        if !unchanged.isEmpty { try transaction.saveUnchanged(unchanged) }
        return visible
    }

    private mutating func touch(_ tag: RecordTag) {
        if isTouched.insert(tag).inserted { touched.append(tag) }
    }

    /// The live operations of rows, from here, from the row itself, or from storage.
    private func siblings(
        of rows: [RecordRow],
        in transaction: some ReplicaTransaction
    ) throws -> [RecordTag: [Sibling]] {
        var found: [RecordTag: [Sibling]] = [:]
        var missing: [RecordTag: Set<Dot>] = [:]
        for row in rows {
            if row.live.count == 1, let dot = row.live.first, fresh[dot] == nil, !unmerged.contains(row.tag),
                !row.isLocked
            {
                found[row.tag] = [try row.onlySibling(dot)]
                continue
            }
            for dot in row.live {
                if let known = fresh[dot] {
                    if let sibling = known { found[row.tag, default: []].append(sibling) }
                } else {
                    missing[row.tag, default: []].insert(dot)
                }
            }
        }
        guard !missing.isEmpty else { return found }
        for operation in try transaction.operations(zone: zone, tags: missing.keys.sorted(), states: [.live]) {
            let header = operation.operation.header
            guard missing[header.tag]?.remove(operation.dot) != nil else { continue }
            guard let sibling = try transaction.sibling(operation, zone: zone) else { continue }
            found[header.tag, default: []].append(sibling)
        }
        guard missing.values.allSatisfy(\.isEmpty) else {
            throw ReplicaError.damaged("a live operation of a record is missing")
        }
        return found
    }
}

extension RecordRow {
    /// The row of a record with one live operation.
    init(zone: ZoneID, tag: RecordTag, only sibling: Sibling, body: [UInt8], context: VersionVector) {
        self.init(
            zone: zone,
            tag: tag,
            name: sibling.body.name,
            type: sibling.body.type,
            isDeleted: sibling.body.isDeleted,
            version: RecordVersion(sibling.vector),
            vector: sibling.vector,
            context: context,
            live: [sibling.dot],
            creation: sibling.creation,
            time: sibling.time,
            body: body,
            anchors: sibling.body.anchors,
            assets: sibling.body.assets.map(\.payload)
        )
    }

    /// The row of a record with several live operations, of which at least one can be read.
    init(zone: ZoneID, tag: RecordTag, merged: MergedRecord, live: [Dot], context: VersionVector) {
        let body = merged.body
        self.init(
            zone: zone,
            tag: tag,
            name: merged.name,
            type: merged.type,
            isDeleted: merged.isDeleted,
            version: merged.version,
            vector: merged.vector,
            context: context,
            live: live,
            creation: merged.creation,
            time: merged.time,
            body: body.encoded,
            anchors: body.anchors,
            assets: body.assets.map(\.payload),
            isLocked: live.count > merged.live.count
        )
    }

    /// The row of a record of which no live operation can be read.
    ///
    /// Its readers see the previous state, or nothing if the record was never read.
    init(locked before: RecordRow?, zone: ZoneID, tag: RecordTag, live: [Dot], context: VersionVector) {
        let unread = RecordBody(
            name: Self.unreadName,
            type: Self.vanishedType,
            isDeleted: true,
            parent: nil,
            creator: .zero,
            modifier: .zero,
            fields: []
        )
        self.init(
            zone: zone,
            tag: tag,
            name: before?.name ?? Self.unreadName,
            type: before?.type ?? Self.vanishedType,
            isDeleted: before?.isDeleted ?? true,
            version: before?.version ?? RecordVersion(VersionVector()),
            vector: before?.vector ?? VersionVector(),
            context: context,
            live: live,
            creation: before?.creation ?? context.entries.first ?? Dot(actor: .zero, counter: 1),
            time: before?.time ?? .zero,
            body: before?.body ?? unread.encoded,
            anchors: before?.anchors ?? [],
            assets: before?.assets ?? [],
            isLocked: true
        )
    }

    /// A name has at least one byte, and which one the record has is sealed.
    private static let unreadName = "-"

    /// The row of a record without a live operation: all effective ones were cut off, or their authors claim to have
    /// superseded one another.
    ///
    /// Its readers see it as deleted; it has the same bytes on all replicas.
    init(vanished row: RecordRow, context: VersionVector) {
        let body = RecordBody(
            name: row.name,
            type: Self.vanishedType,
            isDeleted: true,
            parent: nil,
            creator: .zero,
            modifier: .zero,
            fields: []
        )
        self.init(
            zone: row.zone,
            tag: row.tag,
            name: row.name,
            type: Self.vanishedType,
            isDeleted: true,
            version: RecordVersion(VersionVector()),
            vector: VersionVector(),
            context: context,
            live: [],
            creation: context.entries.first ?? Dot(actor: .zero, counter: 1),
            time: .zero,
            body: body.encoded
        )
    }

    /// The type of a vanished record: a type has at least one byte, and the record's former type depends on the
    /// operations seen.
    private static let vanishedType = "-"

    /// The one live operation, which the row holds whole.
    fileprivate func onlySibling(_ dot: Dot) throws -> Sibling {
        Sibling(dot: dot, vector: vector, creation: creation, time: time, body: try content())
    }

    /// Whether a reader sees another record than before; deleted and never there look the same.
    fileprivate func looksDifferent(from before: RecordRow?) -> Bool {
        guard let before else { return !isDeleted }
        if isDeleted, before.isDeleted { return false }
        return isDeleted != before.isDeleted || version != before.version || body != before.body
    }
}
