import GRDBSQLite
import Records
import Sync
import Wire

/// The context of a transaction: the connection's statements, and values that need not be read repeatedly.
///
/// A reading transaction has its own. The writing connection keeps one for its life, so that interned identifiers and
/// log numbers stay known from one transaction to the next, and so do rows (``KnownRows``); any code that undoes a write
/// must call `forget()`, because what is remembered may have been undone with it.
final class TransactionContext {
    /// The connection's statements.
    let statements: StatementCache
    /// The sealing of the secrets in the database.
    let secrets: StoredSecrets
    /// The directory with the files of payloads.
    let payloads: PayloadDirectory
    /// The files of payloads as the writing connection changes them; `nil` for a reading transaction.
    let payloadFiles: PayloadFiles?
    /// The files beneath the roots of this device.
    let linkedFiles: any LinkedFiles
    /// Whether this is the writing connection, inside a transaction.
    var isWritable: Bool
    /// The keys of epochs that are open; those of the process once the transaction is committed.
    var keyring: EpochKeyring
    /// The row of store-wide facts, once it was read or changed; written at the end of the transaction.
    var ledger: Ledger?
    /// The change of each zone's totals in this transaction.
    var recordChanges: [Int64: RecordTotals] = [:]

    /// Row ids of interned values, and back.
    var numbers: [Digest32: Int64] = [:]
    var digests: [Int64: Digest32] = [:]
    /// Row ids of logs.
    var logNumbers: [LogPlace: Int64] = [:]
    /// Row ids of record tags met in this transaction; `nil` inside for a tag that is not there.
    var tagNumbers: [TagPlace: Int64?] = [:]
    /// Row ids of tags that this transaction made and that have no record yet.
    var newTags: Set<Int64> = []
    /// The indexes of the zones' containers, by the zones' row ids.
    var zoneIndexes: [Int64: [StoredIndex]] = [:]
    /// The rows of zones and logs, and the newest heads.
    var rows = KnownRows()
    /// The leaf behind the last item of each log that this connection appended to, by the logs' row ids.
    var ends: [Int64: UInt64] = [:]
    /// Operations appended in this transaction, so that a record can point to its body without a look-up.
    var appended: [ItemPlace: AppendedItem] = [:]

    /// Makes an empty context of the writing connection, outside of any transaction.
    init(
        writing statements: StatementCache,
        secrets: StoredSecrets,
        payloadFiles: PayloadFiles,
        linkedFiles: any LinkedFiles
    ) {
        self.linkedFiles = linkedFiles
        self.statements = statements
        self.secrets = secrets
        payloads = payloadFiles.directory
        self.payloadFiles = payloadFiles
        keyring = secrets.keyring
        isWritable = false
    }

    /// Makes an empty context of a reading transaction.
    init(
        reading statements: StatementCache,
        secrets: StoredSecrets,
        payloads: PayloadDirectory,
        linkedFiles: any LinkedFiles
    ) {
        self.linkedFiles = linkedFiles
        self.statements = statements
        self.secrets = secrets
        self.payloads = payloads
        payloadFiles = nil
        keyring = secrets.keyring
        isWritable = false
    }

    /// More entries than this are dropped between transactions: a bound on memory, reached by no ordinary store.
    private static let rememberedCountMax = 65_536

    /// Prepares for the next transaction after one that was committed.
    func transactionEnded() {
        recordChanges.removeAll(keepingCapacity: true)
        tagNumbers.removeAll(keepingCapacity: tagNumbers.count <= 4_096)
        newTags.removeAll(keepingCapacity: newTags.count <= 4_096)
        appended.removeAll(keepingCapacity: appended.count <= 4_096)
        ledger?.isChanged = false
        if isWritable { secrets.keyring = keyring }
        if numbers.count > Self.rememberedCountMax || logNumbers.count > Self.rememberedCountMax {
            numbers.removeAll()
            digests.removeAll()
            logNumbers.removeAll()
            zoneIndexes.removeAll()
            ends.removeAll()
        }
    }

    /// Forgets all rows and row ids, because some of those rows may have been undone.
    func forget() {
        numbers.removeAll(keepingCapacity: true)
        digests.removeAll(keepingCapacity: true)
        logNumbers.removeAll(keepingCapacity: true)
        tagNumbers.removeAll(keepingCapacity: true)
        newTags.removeAll(keepingCapacity: true)
        appended.removeAll(keepingCapacity: true)
        zoneIndexes.removeAll()
        ends.removeAll(keepingCapacity: true)
        rows = KnownRows()
    }

    /// The state that a savepoint has to restore besides SQLite's own rows.
    struct Mark {
        var ledger: Ledger?
        var recordChanges: [Int64: RecordTotals]
        var keyring: EpochKeyring
        var payloadFiles: PayloadFiles.Mark?
    }

    /// Notes the state at a savepoint.
    var mark: Mark {
        Mark(
            ledger: ledger,
            recordChanges: recordChanges,
            keyring: keyring,
            payloadFiles: payloadFiles?.mark
        )
    }

    /// Goes back to a savepoint.
    func restore(_ mark: Mark) {
        ledger = mark.ledger
        recordChanges = mark.recordChanges
        keyring = mark.keyring
        if let files = mark.payloadFiles { payloadFiles?.restore(files) }
        forget()
    }
}

/// The row of store-wide facts.
struct Ledger {
    var commitNumber: UInt64
    var changePosition: UInt64
    var clock: [UInt8]?
    var incarnation: [UInt8]?
    var inboxPosition: UInt64
    var messageNumber: UInt64
    var payloadNumber: UInt64
    /// Whether the row on disk is behind.
    var isChanged = false
}

/// One log by row ids.
struct LogPlace: Hashable {
    var zone: Int64
    var actor: Int64
    var lane: UInt8
}

/// One record tag of a zone.
struct TagPlace: Hashable {
    var zone: Int64
    var tag: RecordTag
}

/// One leaf by its log's row id.
struct ItemPlace: Hashable {
    var log: Int64
    var first: UInt64
}

/// An operation that this transaction appended.
struct AppendedItem {
    var id: Int64
    var tag: Int64
    var body: [UInt8]
}
