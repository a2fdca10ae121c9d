package import Records
package import Wire

/// A page of records in the order of their names.
package struct RecordPage: Sendable {
    /// The rows, ascending by name.
    package var records: [RecordRow]
    /// Whether more follow.
    package var more: Bool

    /// Makes a page.
    package init(records: [RecordRow], more: Bool) {
        self.records = records
        self.more = more
    }
}

/// One entry of the change feed: a record at its newest position.
package struct ChangeRow: Sendable {
    /// Where in the store's feed; grows with each change, never reused.
    package var position: UInt64
    /// The record as it is now.
    package var record: RecordRow
    /// Whether the newest change came from a peer.
    package var bySync: Bool

    /// Makes an entry.
    package init(position: UInt64, record: RecordRow, bySync: Bool) {
        self.position = position
        self.record = record
        self.bySync = bySync
    }
}

/// What is remembered of a device that was met.
package struct PeerRow: Sendable {
    /// Which device.
    package var device: DeviceID
    /// Its last known addresses, newest first, at most 4.
    package var addresses: [String]
    /// When it was last connected, in milliseconds since 1970; 0 = never.
    package var lastSeenMilliseconds: UInt64

    /// Makes a row.
    package init(device: DeviceID, addresses: [String], lastSeenMilliseconds: UInt64) {
        self.device = device
        self.addresses = addresses
        self.lastSeenMilliseconds = lastSeenMilliseconds
    }
}

/// One log of a zone as a device last acknowledged it.
package struct AcknowledgementRow: Sendable {
    /// Who acknowledged.
    package var device: DeviceID
    /// Which log.
    package var key: LogKey
    /// Up to which size it is durable there.
    package var size: UInt64

    /// Makes a row.
    package init(device: DeviceID, key: LogKey, size: UInt64) {
        self.device = device
        self.key = key
        self.size = size
    }
}

/// One transaction of the store: what the replica needs, and what the node keeps beside it.
///
/// Reading functions may be called in a reading transaction too; the mutating ones throw there.
package protocol NodeTransaction: ReplicaTransaction {
    /// Records of a zone that are not deleted, by name.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - name: Start behind this name; `nil` from the beginning.
    ///   - limit: 1...10,000.
    /// - Returns: The rows, and whether more follow.
    /// - Throws: `StorageError`.
    func records(zone: ZoneID, after name: String?, limit: Int) throws -> RecordPage

    /// How many records of a zone are not deleted. O(1).
    func recordCount(zone: ZoneID) throws -> UInt64

    /// The records with conflicts; all zones when `zone` is `nil`.
    func conflictedRecords(zone: ZoneID?, limit: Int) throws -> [RecordRow]

    /// Changes behind a position, ascending by position, deleted records included; all zones when `zone` is `nil`.
    func changes(zone: ZoneID?, after position: UInt64, limit: Int) throws -> [ChangeRow]

    /// The feed's newest position; 0 when nothing has changed yet.
    func newestPosition() throws -> UInt64

    /// 16 random bytes made with the store: a token of another store is thereby known as foreign.
    func feedIdentity() throws -> [UInt8]

    /// All entries of the account log with parents before children; empty when no account is stored.
    func accountEntries() throws -> [[UInt8]]

    /// Appends entries of the account log (bytes as signed).
    mutating func appendAccountEntries(_ entries: [[UInt8]]) throws

    /// Drops the account log, for a device that joins another account.
    mutating func removeAccountEntries() throws

    /// What is remembered of met devices.
    func peers() throws -> [PeerRow]
    /// Remembers a device; replaces its row.
    mutating func save(_ peer: PeerRow) throws

    /// What devices acknowledged in a zone.
    func acknowledgements(zone: ZoneID) throws -> [AcknowledgementRow]
    /// Remembers acknowledgements; a smaller size never replaces a larger one.
    mutating func save(_ acknowledgements: [AcknowledgementRow]) throws

    /// A small named value of the node's own; `nil` when it was never set.
    func value(named name: String) throws -> [UInt8]?
    /// Sets (or with `nil` removes) a small named value.
    mutating func setValue(_ value: [UInt8]?, named name: String) throws
}

/// One unit of work inside a group commit.
///
/// It runs inside a savepoint: when it throws, what it did is undone and the other jobs of the group stand.
package typealias StorageJob = @Sendable (inout any NodeTransaction) throws -> any Sendable

/// Durable storage; implemented by the SQLite store.
package protocol StoragePort: Sendable {
    /// Runs jobs in one transaction and returns when it is durable (one fsync for all).
    /// - Parameter jobs: At least one; run in order on the writing connection.
    /// - Returns: One result a job, in order.
    /// - Throws: `StorageError` when the transaction as a whole failed; then no job took effect.
    func commit(_ jobs: [StorageJob]) async throws -> [Result<any Sendable, any Error>]

    /// Reads one consistent snapshot; runs beside a writer.
    func read<Value: Sendable>(_ body: @Sendable (any NodeTransaction) throws -> Value) async throws -> Value

    /// Moves the write-ahead log into the database file, off the commit path; called when idle and when stopping.
    func checkpoint() async throws

    /// Closes all files. Further calls throw `StorageError(.closed)`.
    func close() async throws
}

/// Why storage refused or failed.
package struct StorageError: Error, Sendable, CustomStringConvertible {
    /// The kinds that the layers above tell apart.
    package enum Code: String, Sendable {
        /// No space left: writes are refused, reads go on, it recovers when there is space again.
        case diskFull = "disk_full"
        /// The device reported an I/O error.
        case inputOutput = "io_error"
        /// The database file is damaged.
        case corrupt
        /// Another process holds the state directory.
        case locked
        /// The store was written by a newer version.
        case newerFormat = "newer_format"
        /// The store is closed.
        case closed
        /// A reading transaction tried to write, or another mistake of ours.
        case misuse
    }

    /// Which kind.
    package var code: Code
    /// What happened, for the log.
    package var message: String

    /// Makes an error.
    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// Code and message.
    package var description: String { "\(code.rawValue): \(message)" }
}
