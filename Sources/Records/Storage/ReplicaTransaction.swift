package import Wire

/// The durable storage of the replication core, inside one transaction that is already open.
///
/// The core decides, the implementation stores: no requirement carries a rule of the protocol. Everything is
/// synchronous; the caller opens the transaction, hands it to the core's types, and commits it when they return or
/// rolls it back when they throw. A read sees every earlier write of the same transaction.
///
/// The core keeps no state outside of a transaction. It reads no clock, signs with no key of its own and does not know
/// the connected peers, so two replicas that hold the same operations are in the same state. It throws `ReplicaError`.
///
/// Implementations may intern identifiers and may store the same bytes once (see `RecordRow.body`). All methods may
/// throw the implementation's own storage error, which passes through the core unchanged.
package protocol ReplicaTransaction {
    /// The keys of epochs that are open in this process; they are not stored.
    var keyring: EpochKeyring { get set }

    /// The bounds of control logs: those of the protocol, except in a simulation that states lower ones, so that its
    /// logs are soon full.
    var controlBounds: ControlBudget.Bounds { get }

    // MARK: Zones

    /// The row of a zone, or nil when this replica does not know the zone.
    func zone(_ id: ZoneID) throws -> ZoneRow?

    /// Every known zone, ascending by id.
    func zones() throws -> [ZoneRow]

    /// Inserts or replaces the row of a zone.
    mutating func save(_ zone: ZoneRow) throws

    // MARK: Logs

    /// The row of a log, or nil when this replica holds nothing of it.
    func log(_ key: LogKey) throws -> LogRow?

    /// Every log of a zone, both lanes, ascending by key.
    func logs(zone: ZoneID) throws -> [LogRow]

    /// Inserts or replaces the row of a log. It is saved before a head or an item of the log is first stored.
    mutating func save(_ log: LogRow) throws

    // MARK: Signed tree heads

    /// Retained heads of a log with `size > above`, ascending by size, at most `limit` of them.
    func heads(_ key: LogKey, above size: UInt64, limit: Int) throws -> [HeadRow]

    /// The retained head with the greatest size that is `<= size`, or nil.
    func head(_ key: LogKey, atOrBelow size: UInt64) throws -> HeadRow?

    /// Inserts a head; its size is not yet present for this log.
    mutating func insert(_ head: HeadRow, key: LogKey) throws

    /// Deletes the heads of these sizes; sizes that are absent are ignored.
    mutating func deleteHeads(_ key: LogKey, sizes: [UInt64]) throws

    // MARK: Items (leaves) of a log

    /// Appends items at the end of a log, in leaf order. They continue exactly where the stored ones end.
    mutating func append(_ items: [StoredItem], key: LogKey) throws

    /// The items that cover at least one leaf index in `from ..< to`, ascending. A gap may reach over either edge.
    func items(_ key: LogKey, from: UInt64, to: UInt64) throws -> [StoredItem]

    /// Removes operations and gaps whose first leaf index is in `first`, and stores `gaps` in their place.
    /// The new gaps cover exactly the leaves that were removed; or there are none, and the log's last leaves go.
    mutating func replace(_ key: LogKey, first: [UInt64], with gaps: [SubtreeGap]) throws

    // MARK: Operations by record

    /// Retained operations of the data lane that carry one of the tags and are in one of the states, ordered by
    /// (tag, actor, counter). Gaps are not returned.
    func operations(zone: ZoneID, tags: [RecordTag], states: Set<OperationState>) throws -> [StoredOperation]

    /// Operations of the data lane without their bodies, ordered by (tag, actor, counter).
    ///
    /// Pages end at a tag's boundary: starts behind `after` (nil: at the beginning) and returns all of one tag's rows
    /// or none, so the page may exceed `limit` by the rows of its last tag. Empty means there are no more.
    func summaries(zone: ZoneID, after: RecordTag?, limit: Int) throws -> [OperationSummary]

    /// Operations of the data lane that carry one of the tags, without their bodies, ordered by (tag, actor, counter).
    func summaries(zone: ZoneID, tags: [RecordTag]) throws -> [OperationSummary]

    /// Changes the state of stored operations.
    mutating func setStates(_ changes: [StateChange]) throws

    // MARK: Visible records

    /// The visible state of one record, deleted ones included, or nil when it never existed here.
    func record(zone: ZoneID, tag: RecordTag) throws -> RecordRow?

    /// The rows of these tags, in any order; absent ones are left out.
    func records(zone: ZoneID, tags: [RecordTag]) throws -> [RecordRow]

    /// The tags of records whose `anchors` have a name, ascending behind `after` (nil: from the beginning), at most
    /// `limit` of them.
    func anchoredRecords(zone: ZoneID, to name: String, after: RecordTag?, limit: Int) throws -> [RecordTag]

    /// The tags of records with `isLocked`, ascending behind `after` (nil: from the beginning), at most `limit` of them.
    func lockedRecords(zone: ZoneID, after: RecordTag?, limit: Int) throws -> [RecordTag]

    /// Inserts or replaces records. Each gets the next change position, in the order given; a row is never removed.
    /// - Parameters:
    ///   - records: The new states, at most one for each (zone, tag).
    ///   - bySync: True when a peer's operation caused the change, false when a local commit did.
    /// - Throws: The implementation's storage error.
    mutating func save(_ records: [RecordRow], bySync: Bool) throws

    /// Inserts or replaces rows without giving them a new change position.
    ///
    /// Only their bookkeeping (live operations, context) changed, not the content that a reader sees. A row inserted
    /// here belongs to a record that this replica first learns of as deleted.
    mutating func saveUnchanged(_ records: [RecordRow]) throws

    // MARK: Store-wide state

    /// Adds one to the number of commits made by this store and returns it; the first one is 1.
    mutating func nextCommitNumber() throws -> UInt64

    /// The number of commits made by this store; 0 in a new one.
    func commitNumber() throws -> UInt64

    /// The hybrid logical clock as last saved; a fresh clock in a new store.
    func clock() throws -> HybridClock

    /// Saves the clock.
    mutating func save(_ clock: HybridClock) throws

    /// The incarnation under which this store writes, or nil in a new store.
    func incarnation() throws -> Incarnation?

    /// Saves the incarnation.
    mutating func save(_ incarnation: Incarnation) throws
}

extension ReplicaTransaction {
    /// The bounds of the protocol.
    package var controlBounds: ControlBudget.Bounds { .ofProtocol }
}
