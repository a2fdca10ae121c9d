import GRDB
import Node
package import Sync

/// The settings of the store's connections.
package struct StoreSettings: Sendable {
    /// The circumstances in which the database is checked at start.
    package enum Verification: Sendable {
        /// After a crash only: a database that was closed in order was checked by the process that wrote it.
        case whenUnclean
        /// At each start.
        case always
        /// Never, to reach the data that is still readable.
        case never
    }

    /// The circumstances in which the database is checked at start.
    package var verification: Verification
    /// Bytes of a page of a *new* database: a power of two, 512...65,536.
    package var pageByteCount: Int
    /// Page cache of the writing connection, in bytes.
    package var writerCacheByteCount: Int
    /// Page cache of each reading connection, in bytes.
    package var readerCacheByteCount: Int
    /// Reading connections at most; more readers wait.
    package var readerCountMax: Int
    /// Seconds for which the start waits until the reading connections are open; with 0, each opens at its first use.
    package var readerOpeningSeconds: Double
    /// The times at which the write-ahead log moves into the database.
    package var checkpoints: CheckpointSchedule
    /// The files beneath the roots of this device, which other programs keep.
    package var linkedFiles: any LinkedFiles

    /// The measured defaults; see the store's page in the operations documents.
    package init(
        verification: Verification = .whenUnclean,
        pageByteCount: Int = 4_096,
        writerCacheByteCount: Int = 64 << 20,
        readerCacheByteCount: Int = 8 << 20,
        readerCountMax: Int = 4,
        readerOpeningSeconds: Double = 5,
        checkpoints: CheckpointSchedule = CheckpointSchedule(),
        linkedFiles: any LinkedFiles = NoLinkedFiles()
    ) {
        self.verification = verification
        self.pageByteCount = pageByteCount
        self.writerCacheByteCount = writerCacheByteCount
        self.readerCacheByteCount = readerCacheByteCount
        self.readerCountMax = readerCountMax
        self.readerOpeningSeconds = readerOpeningSeconds
        self.checkpoints = checkpoints
        self.linkedFiles = linkedFiles
    }

    /// The configuration of all connections.
    ///
    /// A connection that opens another file than `file` is refused with `.displaced`: reading connections may open long after
    /// the start, when the path leads to another database.
    ///
    /// `synchronous` is missing on purpose: GRDB sets it to NORMAL *after* this has run, so the store sets it on the
    /// writing connection once the pool is open.
    /// - Parameter file: The database file of this store.
    /// - Returns: The configuration.
    func configuration(of file: FileIdentity) -> Configuration {
        var configuration = Configuration()
        configuration.label = "kairan.store"
        configuration.busyMode = .timeout(5)
        configuration.foreignKeysEnabled = true
        configuration.maximumReaderCount = readerCountMax
        configuration.persistentReadOnlyConnections = true
        let (page, writerCache, readerCache) = (pageByteCount, writerCacheByteCount, readerCacheByteCount)
        configuration.prepareDatabase { database in
            guard file.isThere else { throw StorageError(displaced: file.path) }
            let cache = database.configuration.readonly ? readerCache : writerCache
            try database.execute(
                sql: """
                    -- Also the name of a rollback journal must be gone for good before a commit is answered: one that
                    -- came back with the power would empty the database. The writing connection goes on with FULL.
                    PRAGMA synchronous = EXTRA;
                    -- Only a new database takes it.
                    PRAGMA page_size = \(page);
                    -- A mapped page that the disk cannot read would end the process.
                    PRAGMA mmap_size = 0;
                    -- Negative means KiB.
                    PRAGMA cache_size = \(-cache / 1_024);
                    -- Savepoints keep their undo pages in memory.
                    PRAGMA temp_store = MEMORY;
                    -- The store has its own schedule.
                    PRAGMA wal_autocheckpoint = 0;
                    -- Nothing in the schema of a manipulated file may call functions with side effects.
                    PRAGMA trusted_schema = OFF;
                    -- Damaged pages are noticed when read.
                    PRAGMA cell_size_check = ON;
                    -- Deleted content is overwritten where that costs no additional write.
                    PRAGMA secure_delete = FAST;
                    """
            )
        }
        return configuration
    }
}
