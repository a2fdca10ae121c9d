package import Wire

/// A store in memory: the store of tests and the simulator, and the reference for durable stores.
///
/// A value: a copy taken before a transaction is the rollback of that transaction.
package struct MemoryReplica: ReplicaTransaction, Sendable {
    private struct Log: Sendable {
        var row: LogRow
        var heads: [HeadRow] = []
        /// Ascending by first leaf, without holes.
        var items: [StoredItem] = []

        /// The index of the item that covers a leaf, or of the first one behind it.
        func index(of leaf: UInt64) -> Int {
            items.partitioningIndex { $0.first &+ $0.leafCount <= leaf }
        }

        /// The index of the first head that is larger.
        func headIndex(above size: UInt64) -> Int {
            heads.partitioningIndex { $0.size <= size }
        }
    }

    /// The logs of a zone.
    private struct Logs: Sendable {
        /// The logs ascending by key, the order in which they are returned.
        var all: [Log] = []

        subscript(key: ActorLane) -> Log? { index(of: key).map { all[$0] } }

        func index(of key: ActorLane) -> Int? {
            let place = place(of: key)
            return place < all.count && all[place].row.key.actorLane == key ? place : nil
        }

        mutating func save(_ row: LogRow) {
            if let index = index(of: row.key.actorLane) {
                all[index].row = row
            } else {
                all.insert(Log(row: row), at: place(of: row.key.actorLane))
            }
        }

        /// The index of a log, or the one at which it would be inserted.
        private func place(of key: ActorLane) -> Int {
            all.partitioningIndex { $0.row.key.actorLane < key }
        }
    }

    /// One entry of the change feed.
    package struct Change: Equatable, Sendable {
        /// The entry's position, ascending from 1.
        package var position: UInt64
        /// The record.
        package var tag: RecordTag
        /// True when a peer's operation caused it.
        package var bySync: Bool
    }

    private struct TagKey: Hashable {
        var zone: ZoneID
        var tag: RecordTag
    }

    /// The keys of epochs that are open.
    package var keyring = EpochKeyring()
    /// The bounds of control logs; they are not stored.
    package var controlBounds = ControlBudget.Bounds.ofProtocol
    private var zoneRows: [ZoneID: ZoneRow] = [:]
    private var logsByZone: [ZoneID: Logs] = [:]
    /// The data operations of each record.
    private var dots: [TagKey: Set<Dot>] = [:]
    private var records: [TagKey: RecordRow] = [:]
    /// The records that are deleted with another one, by its name.
    private var anchored: [ZoneID: [BytewiseString: Set<RecordTag>]] = [:]
    private var position: UInt64 = 0
    private var savedCommitNumber: UInt64 = 0
    private var savedClock = HybridClock()
    private var savedIncarnation: Incarnation?
    /// The change feed, one entry for each saved change, oldest first.
    package private(set) var changes: [Change] = []

    /// An empty store.
    package init() {}

    /// Every visible record row of a zone, deleted ones included, ascending by tag.
    package func allRecords(zone: ZoneID) -> [RecordRow] {
        records.filter { $0.key.zone == zone }.values.sorted { $0.tag < $1.tag }
    }

    // MARK: Zones

    package func zone(_ id: ZoneID) throws -> ZoneRow? { zoneRows[id] }

    package func zones() throws -> [ZoneRow] { zoneRows.values.sorted { $0.id < $1.id } }

    package mutating func save(_ zone: ZoneRow) throws {
        try zone.requireStorable()
        zoneRows[zone.id] = zone
    }

    // MARK: Logs

    private func stored(_ key: LogKey) -> Log? { logsByZone[key.zone]?[key.actorLane] }

    package func log(_ key: LogKey) throws -> LogRow? { stored(key)?.row }

    package func logs(zone: ZoneID) throws -> [LogRow] {
        logsByZone[zone]?.all.map(\.row) ?? []
    }

    package mutating func save(_ log: LogRow) throws {
        try log.requireStorable()
        logsByZone[log.key.zone, default: Logs()].save(log)
    }

    private mutating func change(_ key: LogKey, _ body: (inout Log) throws -> Void) throws {
        guard let index = logsByZone[key.zone]?.index(of: key.actorLane) else {
            throw ReplicaError.unknownLog(key)
        }
        try body(&logsByZone[key.zone, default: Logs()].all[index])
    }

    // MARK: Heads

    package func heads(_ key: LogKey, above size: UInt64, limit: Int) throws -> [HeadRow] {
        guard let log = stored(key) else { return [] }
        return Array(log.heads[log.headIndex(above: size)...].prefix(limit))
    }

    package func head(_ key: LogKey, atOrBelow size: UInt64) throws -> HeadRow? {
        guard let log = stored(key) else { return nil }
        let index = log.headIndex(above: size)
        return index > 0 ? log.heads[index - 1] : nil
    }

    package mutating func insert(_ head: HeadRow, key: LogKey) throws {
        try head.requireStorable()
        try change(key) { log in
            let index = log.headIndex(above: head.size)
            guard index == 0 || log.heads[index - 1].size < head.size else {
                throw ReplicaError.damaged("a log has a head of this size already")
            }
            log.heads.insert(head, at: index)
        }
    }

    package mutating func deleteHeads(_ key: LogKey, sizes: [UInt64]) throws {
        let sizes = Set(sizes)
        try change(key) { log in
            log.heads.removeAll { sizes.contains($0.size) }
        }
    }

    // MARK: Items

    package mutating func append(_ items: [StoredItem], key: LogKey) throws {
        for item in items { try item.requireStorable(in: key) }
        try change(key) { log in
            for item in items {
                let end = log.items.last.map { $0.first &+ $0.leafCount } ?? 0
                guard item.first == end else { throw ReplicaError.damaged("items do not continue the log") }
                log.items.append(item)
            }
        }
        guard key.lane == .data else { return }
        for item in items {
            guard let tag = item.recordTag else { continue }
            let dot = Dot(actor: key.actor, counter: item.first &+ 1)
            dots[TagKey(zone: key.zone, tag: tag), default: []].insert(dot)
        }
    }

    package func items(_ key: LogKey, from: UInt64, to: UInt64) throws -> [StoredItem] {
        guard let log = stored(key), from < to else { return [] }
        return Array(log.items[log.index(of: from)...].prefix { $0.first < to })
    }

    package mutating func replace(_ key: LogKey, first: [UInt64], with gaps: [SubtreeGap]) throws {
        let removed = Set(first)
        var lost: [(RecordTag, Dot)] = []
        try change(key) { log in
            var items: [StoredItem] = []
            for item in log.items {
                guard removed.contains(item.first) else {
                    items.append(item)
                    continue
                }
                guard let tag = item.recordTag else { continue }
                lost.append((tag, Dot(actor: key.actor, counter: item.first &+ 1)))
            }
            items += gaps.map { StoredItem(first: $0.firstLeaf, content: .gap($0)) }
            log.items = items.sorted { $0.first < $1.first }
            assert(
                zip(log.items, log.items.dropFirst()).allSatisfy { $0.first &+ $0.leafCount == $1.first },
                "new gaps cover exactly the leaves that were removed"
            )
        }
        for (tag, dot) in lost {
            dots[TagKey(zone: key.zone, tag: tag)]?.remove(dot)
        }
    }

    // MARK: Operations

    private func item(_ dot: Dot, zone: ZoneID) -> StoredItem? {
        guard dot.counter > 0, let log = logsByZone[zone]?[ActorLane(actor: dot.actor, lane: .data)] else { return nil }
        let index = log.index(of: dot.counter &- 1)
        return index < log.items.count ? log.items[index] : nil
    }

    package func operations(
        zone: ZoneID,
        tags: [RecordTag],
        states: Set<OperationState>
    ) throws -> [StoredOperation] {
        tags.sorted().flatMap { tag in
            (dots[TagKey(zone: zone, tag: tag)] ?? []).sorted().compactMap { dot in
                guard case .operation(let stored) = item(dot, zone: zone)?.content, states.contains(stored.state) else {
                    return nil
                }
                return stored
            }
        }
    }

    package func summaries(zone: ZoneID, after: RecordTag?, limit: Int) throws -> [OperationSummary] {
        let tags = dots.filter { $0.key.zone == zone && !$0.value.isEmpty }.map(\.key.tag).sorted()
        var page: [OperationSummary] = []
        for tag in tags where after.map({ $0 < tag }) ?? true {
            if page.count >= limit { break }
            page += summaries(zone: zone, tag: tag)
        }
        return page
    }

    package func summaries(zone: ZoneID, tags: [RecordTag]) throws -> [OperationSummary] {
        Set(tags).sorted().flatMap { summaries(zone: zone, tag: $0) }
    }

    private func summaries(zone: ZoneID, tag: RecordTag) -> [OperationSummary] {
        (dots[TagKey(zone: zone, tag: tag)] ?? []).sorted().compactMap { dot in
            item(dot, zone: zone).flatMap { OperationSummary($0, tag: tag, dot: dot) }
        }
    }

    package mutating func setStates(_ changes: [StateChange]) throws {
        for change in changes {
            try self.change(change.key) { log in
                let index = log.index(of: change.counter &- 1)
                guard index < log.items.count, case .operation(var stored) = log.items[index].content else {
                    throw ReplicaError.damaged("the operation to change is not stored")
                }
                stored.state = change.state
                log.items[index].content = .operation(stored)
                PlacedItem(log.items[index], in: change.key).assertValid()
            }
        }
    }

    // MARK: Records

    package func record(zone: ZoneID, tag: RecordTag) throws -> RecordRow? { records[TagKey(zone: zone, tag: tag)] }

    package func records(zone: ZoneID, tags: [RecordTag]) throws -> [RecordRow] {
        tags.compactMap { records[TagKey(zone: zone, tag: $0)] }
    }

    package mutating func save(_ records: [RecordRow], bySync: Bool) throws {
        for record in records { try record.requireStorable() }
        for record in records {
            position += 1
            changes.append(Change(position: position, tag: record.tag, bySync: bySync))
        }
        try saveUnchanged(records)
    }

    package mutating func saveUnchanged(_ records: [RecordRow]) throws {
        for record in records { try record.requireStorable() }
        for record in records {
            let key = TagKey(zone: record.zone, tag: record.tag)
            for name in self.records[key]?.anchors ?? [] {
                anchored[record.zone]?[BytewiseString(name)]?.remove(record.tag)
            }
            for name in record.anchors {
                anchored[record.zone, default: [:]][BytewiseString(name), default: []].insert(record.tag)
            }
            self.records[key] = record
        }
    }

    package func lockedRecords(zone: ZoneID, after: RecordTag?, limit: Int) throws -> [RecordTag] {
        let tags = records.filter { $0.key.zone == zone && $0.value.isLocked }.map(\.key.tag)
        return Array(tags.filter { tag in after.map { $0 < tag } ?? true }.sorted().prefix(limit))
    }

    package func anchoredRecords(
        zone: ZoneID,
        to name: String,
        after: RecordTag?,
        limit: Int
    ) throws -> [RecordTag] {
        let tags = (anchored[zone]?[BytewiseString(name)] ?? []).filter { tag in after.map { $0 < tag } ?? true }
        return Array(tags.sorted().prefix(limit))
    }

    // MARK: Store-wide state

    package mutating func nextCommitNumber() throws -> UInt64 {
        savedCommitNumber += 1
        return savedCommitNumber
    }

    package func commitNumber() throws -> UInt64 { savedCommitNumber }

    package func clock() throws -> HybridClock { savedClock }

    package mutating func save(_ clock: HybridClock) throws {
        savedClock = clock
    }

    package func incarnation() throws -> Incarnation? { savedIncarnation }

    package mutating func save(_ incarnation: Incarnation) throws {
        savedIncarnation = incarnation
    }
}

extension StoredItem {
    /// The record's tag; nil for a gap.
    fileprivate var recordTag: RecordTag? {
        switch content {
        case .operation(let stored): stored.operation.header.tag
        case .gap: nil
        }
    }
}

extension OperationSummary {
    /// The summary of an item; nil for a gap.
    fileprivate init?(_ item: StoredItem, tag: RecordTag, dot: Dot) {
        switch item.content {
        case .operation(let stored):
            self.init(
                tag: tag,
                dot: dot,
                vector: stored.operation.header.vector,
                state: stored.state,
                isTombstone: stored.isTombstone
            )
        case .gap:
            return nil
        }
    }
}
