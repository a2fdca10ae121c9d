import Records
import Wire

/// A replica in memory that counts the rows a transaction reads and writes.
struct CountingReplica: ReplicaTransaction {
    /// The number of rows; shared, since reading changes it too.
    final class Rows {
        var count = 0
    }

    var replica: MemoryReplica
    let rows = Rows()

    init(_ replica: MemoryReplica) { self.replica = replica }

    /// Runs a transaction.
    /// - Returns: Its result, and the number of rows that it reads and writes.
    mutating func counting<Value>(_ body: (inout Self) throws -> Value) rethrows -> (value: Value, rowCount: Int) {
        rows.count = 0
        let value = try body(&self)
        return (value, rows.count)
    }

    private func counted<Row>(_ found: [Row]) -> [Row] {
        rows.count += found.count
        return found
    }

    private func counted<Row>(_ found: Row?) -> Row? {
        rows.count += 1
        return found
    }

    var keyring: EpochKeyring {
        get { replica.keyring }
        set { replica.keyring = newValue }
    }

    func zone(_ id: ZoneID) throws -> ZoneRow? { counted(try replica.zone(id)) }

    func zones() throws -> [ZoneRow] { counted(try replica.zones()) }

    mutating func save(_ zone: ZoneRow) throws {
        rows.count += 1
        try replica.save(zone)
    }

    func log(_ key: LogKey) throws -> LogRow? { counted(try replica.log(key)) }

    func logs(zone: ZoneID) throws -> [LogRow] { counted(try replica.logs(zone: zone)) }

    mutating func save(_ log: LogRow) throws {
        rows.count += 1
        try replica.save(log)
    }

    func heads(_ key: LogKey, above size: UInt64, limit: Int) throws -> [HeadRow] {
        counted(try replica.heads(key, above: size, limit: limit))
    }

    func head(_ key: LogKey, atOrBelow size: UInt64) throws -> HeadRow? {
        counted(try replica.head(key, atOrBelow: size))
    }

    mutating func insert(_ head: HeadRow, key: LogKey) throws {
        rows.count += 1
        try replica.insert(head, key: key)
    }

    mutating func deleteHeads(_ key: LogKey, sizes: [UInt64]) throws {
        rows.count += sizes.count
        try replica.deleteHeads(key, sizes: sizes)
    }

    mutating func append(_ items: [StoredItem], key: LogKey) throws {
        rows.count += items.count
        try replica.append(items, key: key)
    }

    func items(_ key: LogKey, from: UInt64, to: UInt64) throws -> [StoredItem] {
        counted(try replica.items(key, from: from, to: to))
    }

    mutating func replace(_ key: LogKey, first: [UInt64], with gaps: [SubtreeGap]) throws {
        rows.count += first.count + gaps.count
        try replica.replace(key, first: first, with: gaps)
    }

    func operations(zone: ZoneID, tags: [RecordTag], states: Set<OperationState>) throws -> [StoredOperation] {
        counted(try replica.operations(zone: zone, tags: tags, states: states))
    }

    func summaries(zone: ZoneID, after: RecordTag?, limit: Int) throws -> [OperationSummary] {
        counted(try replica.summaries(zone: zone, after: after, limit: limit))
    }

    func summaries(zone: ZoneID, tags: [RecordTag]) throws -> [OperationSummary] {
        counted(try replica.summaries(zone: zone, tags: tags))
    }

    mutating func setStates(_ changes: [StateChange]) throws {
        rows.count += changes.count
        try replica.setStates(changes)
    }

    func record(zone: ZoneID, tag: RecordTag) throws -> RecordRow? { counted(try replica.record(zone: zone, tag: tag)) }

    func records(zone: ZoneID, tags: [RecordTag]) throws -> [RecordRow] {
        counted(try replica.records(zone: zone, tags: tags))
    }

    func anchoredRecords(zone: ZoneID, to name: String, after: RecordTag?, limit: Int) throws -> [RecordTag] {
        counted(try replica.anchoredRecords(zone: zone, to: name, after: after, limit: limit))
    }

    func lockedRecords(zone: ZoneID, after: RecordTag?, limit: Int) throws -> [RecordTag] {
        counted(try replica.lockedRecords(zone: zone, after: after, limit: limit))
    }

    mutating func save(_ records: [RecordRow], bySync: Bool) throws {
        rows.count += records.count
        try replica.save(records, bySync: bySync)
    }

    mutating func saveUnchanged(_ records: [RecordRow]) throws {
        rows.count += records.count
        try replica.saveUnchanged(records)
    }

    mutating func nextCommitNumber() throws -> UInt64 { try replica.nextCommitNumber() }

    func commitNumber() throws -> UInt64 { try replica.commitNumber() }

    func clock() throws -> HybridClock { try replica.clock() }

    mutating func save(_ clock: HybridClock) throws { try replica.save(clock) }

    func incarnation() throws -> Incarnation? { try replica.incarnation() }

    mutating func save(_ incarnation: Incarnation) throws { try replica.save(incarnation) }
}
