package import Records
package import Wire

// The part of a store that the replica needs; the store in memory passes it on to the replica in memory.
extension MemoryStore {
    // MARK: Zones

    package func zone(_ id: ZoneID) throws -> ZoneRow? { try replica.zone(id) }

    package func zones() throws -> [ZoneRow] { try replica.zones() }

    package func zones(named name: String) throws -> [ZoneRow] {
        try replica.zones().filter { $0.genesis.name.isBytewiseEqual(to: name) }
    }

    package func zones(in range: ClosedRange<ZoneID>) throws -> [ZoneRow] {
        try replica.zones().filter { range.contains($0.id) }
    }

    package mutating func save(_ zone: ZoneRow) throws {
        let before = try replica.zone(zone.id)?.state
        try replica.save(zone)
        if let before, before != .live, zone.state == .live { assets.markUnseen(zone: zone.id) }
    }

    // MARK: Logs

    package func log(_ key: LogKey) throws -> LogRow? { try replica.log(key) }

    package func logs(zone: ZoneID) throws -> [LogRow] { try replica.logs(zone: zone) }

    package mutating func save(_ log: LogRow) throws { try replica.save(log) }

    // MARK: Heads

    package func heads(_ key: LogKey, above size: UInt64, limit: Int) throws -> [HeadRow] {
        try replica.heads(key, above: size, limit: limit)
    }

    package func head(_ key: LogKey, atOrBelow size: UInt64) throws -> HeadRow? {
        try replica.head(key, atOrBelow: size)
    }

    package mutating func insert(_ head: HeadRow, key: LogKey) throws { try replica.insert(head, key: key) }

    package mutating func deleteHeads(_ key: LogKey, sizes: [UInt64]) throws {
        try replica.deleteHeads(key, sizes: sizes)
    }

    // MARK: Items

    package mutating func append(_ items: [StoredItem], key: LogKey) throws { try replica.append(items, key: key) }

    package func items(_ key: LogKey, from: UInt64, to: UInt64) throws -> [StoredItem] {
        try replica.items(key, from: from, to: to)
    }

    package mutating func replace(_ key: LogKey, first: [UInt64], with gaps: [SubtreeGap]) throws {
        try replica.replace(key, first: first, with: gaps)
    }

    // MARK: Operations by record

    package func operations(
        zone: ZoneID,
        tags: [RecordTag],
        states: Set<OperationState>
    ) throws -> [StoredOperation] {
        try replica.operations(zone: zone, tags: tags, states: states)
    }

    package func summaries(zone: ZoneID, after: RecordTag?, limit: Int) throws -> [OperationSummary] {
        try replica.summaries(zone: zone, after: after, limit: limit)
    }

    package func summaries(zone: ZoneID, tags: [RecordTag]) throws -> [OperationSummary] {
        try replica.summaries(zone: zone, tags: tags)
    }

    package mutating func setStates(_ changes: [StateChange]) throws { try replica.setStates(changes) }

    // MARK: Visible records

    package func record(zone: ZoneID, tag: RecordTag) throws -> RecordRow? {
        try replica.record(zone: zone, tag: tag)
    }

    package func lockedRecords(zone: ZoneID, after: RecordTag?, limit: Int) throws -> [RecordTag] {
        try replica.lockedRecords(zone: zone, after: after, limit: limit)
    }

    package func anchoredRecords(
        zone: ZoneID,
        to name: String,
        after: RecordTag?,
        limit: Int
    ) throws -> [RecordTag] {
        try replica.anchoredRecords(zone: zone, to: name, after: after, limit: limit)
    }

    package func records(zone: ZoneID, tags: [RecordTag]) throws -> [RecordRow] {
        try replica.records(zone: zone, tags: tags)
    }

    // MARK: Store-wide state

    package mutating func nextCommitNumber() throws -> UInt64 { try replica.nextCommitNumber() }

    package func commitNumber() throws -> UInt64 { try replica.commitNumber() }

    package func clock() throws -> HybridClock { try replica.clock() }

    package mutating func save(_ clock: HybridClock) throws { try replica.save(clock) }

    package func incarnation() throws -> Incarnation? { try replica.incarnation() }

    package mutating func save(_ incarnation: Incarnation) throws { try replica.save(incarnation) }
}
