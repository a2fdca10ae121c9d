import GRDB
import Glibc
import Logging
import Sync

// The directory of the files of payloads when a store is opened.
extension PayloadDirectory {
    /// Opens the directory of a database, which the random bytes name that were made with it.
    /// - Parameters:
    ///   - database: The database, with its tables.
    ///   - state: The state directory.
    ///   - logger: As of ``prepared(in:for:isUnused:_:)``.
    /// - Returns: As there.
    /// - Throws: As there; `.corrupt` for a database without its own row.
    static func opened(
        of database: Database,
        in state: StateDirectory,
        _ logger: Logger
    ) throws -> PayloadDirectory {
        guard let name = try String.fetchOne(database, sql: "SELECT lower(hex(feed_identity)) FROM store"),
            let newest = try Int64.fetchOne(database, sql: "SELECT payload_number FROM store")
        else { throw StorageError(code: .corrupt, message: "the store's own row is missing") }
        return try prepared(in: state, for: name, isUnused: newest == 0, logger)
    }

    /// Opens the directory of a database, and makes the one that is missing.
    ///
    /// A directory is made with the file that names the database in it, so that there is none without it after a crash. One that is there is
    /// taken as it is, except by a database that has had no payload: its directory gets that file, and one with files of payloads, which are
    /// those of a database that was lost, is moved aside before.
    /// - Parameters:
    ///   - state: The state directory.
    ///   - database: The text that names the database.
    ///   - isUnused: Whether the database has had no payload.
    ///   - logger: For a directory that was moved aside.
    /// - Returns: The directory; it need not be that of the database (``isOwn()``).
    /// - Throws: The error of the system.
    static func prepared(
        in state: StateDirectory,
        for database: String,
        isUnused: Bool,
        _ logger: Logger
    ) throws -> PayloadDirectory {
        let path = state.payloadsPath
        if !FileSystem.hasName(path) { try make(in: state, for: database) }
        let found = try PayloadDirectory(path, of: database)
        guard isUnused, FileSystem.exists(path), !found.isOwn() else { return found }
        guard try found.hasFiles() else {
            try found.mark()
            return found
        }
        do {
            try state.setPayloadsAside()
        } catch {
            logger.info("the directory of another database stays", metadata: ["error": "\(error)"])
            return found
        }
        logger.notice("files of payloads of another database moved aside", metadata: ["store.path": "\(path)"])
        try make(in: state, for: database)
        return try PayloadDirectory(path, of: database)
    }

    private static func make(in state: StateDirectory, for database: String) throws(StorageError) {
        let temporary = state.payloadsPath + ".new"
        try FileSystem.makeDirectory(temporary)
        try PayloadDirectory(temporary, of: database).mark()
        guard rename(temporary, state.payloadsPath) == 0 else {
            throw FileSystem.failure("cannot make directory \(state.payloadsPath)", errno)
        }
        try FileSystem.synchronize(state.storePath)
    }

    /// Removes the files of payloads that the database has had, and of which it has neither a row nor a chunk: a crash between a commit and
    /// the removal of a file leaves it.
    ///
    /// A number that the database has not given is that of a later state of it. A person may have restored an older one by mistake, and
    /// mean to put the later one back.
    ///
    /// The database must be intact and durable. A failure is noted in the log, and the next start looks at the files again.
    /// - Parameters:
    ///   - statements: Those of the writing connection.
    ///   - logger: For the number of removed files, and for a failure.
    func removeLeftOvers(_ statements: StatementCache, _ logger: Logger) {
        do {
            try requireOwn()
            let newest = try statements.statement("SELECT payload_number FROM store").first { try $0.unsigned(0) } ?? 0
            let count = try removeFiles { number in
                guard number <= newest else { return true }
                return try statements.statement(
                    """
                    SELECT 1 WHERE EXISTS (SELECT 1 FROM chunk WHERE payload = ?1)
                        OR EXISTS (SELECT 1 FROM payload WHERE number = ?1)
                    """
                ).first(number) { _ in true } ?? false
            }
            guard count > 0 else { return }
            logger.info("left-over files of payloads removed", metadata: ["store.files": "\(count)"])
        } catch {
            logger.info("left-over files of payloads not removed", metadata: ["error": "\(error)"])
        }
    }
}
