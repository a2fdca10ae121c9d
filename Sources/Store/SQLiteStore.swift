import Dispatch
import GRDB
package import Logging
package import Node
import Records
package import Sync
import Synchronization

/// Durable storage in one SQLite database.
///
/// One connection writes and moves the write-ahead log; a few others read snapshots beside it. Every blocking call
/// runs on a thread of the store's or on the queues of these connections, never on the threads of Swift's concurrency. A
/// commit is answered after the sync that makes it durable.
package final class SQLiteStore: StoragePort {
    private let directory: StateDirectory
    private let logger: Logger
    private let pool: DatabasePool
    private let group: GroupCommit
    private let readers: ReaderStatements
    private let payloads: PayloadDirectory
    private let linkedFiles: any LinkedFiles
    private let secrets: StoredSecrets
    /// For opening and closing, which use the pool's blocking calls.
    private let control: DispatchQueue
    private let phase: Mutex<Phase>
    /// The database file that is open; writes to a file that no path leads to any more are lost.
    private let database: FileIdentity
    private let waitingCount = Atomic<Int>(0)
    private let thread = WriterThread()
    /// Reads that have, or wait for, a connection.
    private let readCount = Atomic<Int>(0)
    private let readerCountMax: Int

    /// Whether the database was there before, and how it had been left.
    package let origin: Origin

    /// The condition of a store when it was opened.
    package enum Origin: Sendable, Equatable {
        /// There was none; an empty one was made.
        case new
        /// It had been closed in order.
        case clean
        /// The last process that had it ended without closing it.
        case unclean
    }

    private struct Phase {
        /// Held while the store is open.
        var lock: DirectoryLock?
        var isClosed = false
    }

    /// Opens the store of a state directory, making the missing parts.
    /// - Parameters:
    ///   - directory: The state directory; this process has it alone from now on until `close()`.
    ///   - settings: The settings.
    ///   - logger: For facts that help to explain events; at `info` and below.
    /// - Returns: The open store.
    /// - Throws: `StorageError`: `.locked` names the process that has it; `.otherFormat`; `.corrupt` when the file is
    ///   no database or the check after a crash found damage; `.diskFull`; `.inputOutput`.
    /// - Complexity: O(1) after an orderly close; O(size) after a crash, for the check.
    package static func open(
        _ directory: StateDirectory,
        settings: StoreSettings = StoreSettings(),
        logger: Logger = Logger(label: "kairan.store")
    ) async throws -> SQLiteStore {
        let control = DispatchQueue(label: "kairan.store.control")
        return try await run(on: control) {
            do {
                return try SQLiteStore(directory, settings: settings, logger: logger, control: control)
            } catch {
                throw StorageError(error)
            }
        }
    }

    private init(
        _ directory: StateDirectory,
        settings: StoreSettings,
        logger: Logger,
        control: DispatchQueue
    ) throws {
        try directory.create()
        let lock = try DirectoryLock(path: directory.lockPath)
        let isMarkedClean = FileSystem.exists(directory.cleanMarkerPath)
        let header = try DatabaseHeader.read(directory.databasePath)
        try header?.check()
        // SQLite would take the log of a lost database for left-overs and delete it.
        guard header != nil || FileSystem.byteCount(directory.databasePath + "-wal") == 0 else {
            throw StorageError(
                code: .corrupt,
                message: "the database file is lost, only its write-ahead log is there; restore"
                    + " \(directory.databasePath). If it is lost for good, `kairand accept-loss --state"
                    + " \(directory.path)` moves the log aside"
            )
        }
        try FileSystem.makeFile(directory.databasePath)
        if header == nil {
            try FileSystem.synchronize(directory.storePath)
            try FileSystem.synchronize(directory.path)
        }
        guard let file = FileIdentity(directory.databasePath) else {
            throw StorageError(code: .displaced, message: "\(directory.databasePath) is gone")
        }
        let origin: Origin = header == nil ? .new : isMarkedClean ? .clean : .unclean
        let secrets = StoredSecrets()
        let pool = try DatabasePool(path: directory.databasePath, configuration: settings.configuration(of: file))
        (group, payloads) = try pool.writeWithoutTransaction { database in
            // GRDB has just set NORMAL, under which a power failure undoes acknowledged commits.
            try database.execute(sql: "PRAGMA synchronous = FULL")
            if Self.needsCheck(origin, settings.verification) {
                try Self.check(database)
            }
            // From here on the database may change, so it is unclean until it is closed: a crash within a migration too
            // is followed by a check.
            try FileSystem.remove(directory.cleanMarkerPath, in: directory.storePath)
            try Schema.prepare(database)
            let payloads = try PayloadDirectory.opened(of: database, in: directory, logger)
            guard let connection = database.sqliteConnection else {
                throw StorageError(code: .closed, message: "the database did not open")
            }
            let log = WriteAheadLog(
                connection: connection,
                path: directory.databasePath + "-wal",
                schedule: settings.checkpoints
            )
            try Self.makeDurable(log)
            let statements = StatementCache(connection: connection)
            // A new database may stand in for one that a person means to restore, and an unchecked one may lack rows.
            if origin != .new, settings.verification != .never { payloads.removeLeftOvers(statements, logger) }
            let files = PayloadFiles(payloads)
            let group = GroupCommit(
                statements: statements,
                secrets: secrets,
                payloadFiles: files,
                linkedFiles: settings.linkedFiles,
                log: log
            )
            return (group, payloads)
        }
        Self.openReaders(of: pool, count: settings.readerCountMax, within: settings.readerOpeningSeconds)
        self.origin = origin
        self.pool = pool
        database = file
        readers = ReaderStatements()
        linkedFiles = settings.linkedFiles
        readerCountMax = settings.readerCountMax
        self.secrets = secrets
        phase = Mutex(Phase(lock: lock))
        self.directory = directory
        self.logger = logger
        self.control = control
        logger.debug("store opened", metadata: ["store.origin": "\(origin)"])
    }

    /// Runs jobs in one transaction with one sync; answered when it is durable.
    ///
    /// Cancelling the calling task does not undo it: the caller could not know whether it had become durable.
    /// - Parameter jobs: Run in order; none is a commit of nothing.
    /// - Returns: One result a job, in order.
    /// - Throws: `StorageError` when the transaction as a whole failed; then no job took effect.
    package func commit<Value: Sendable>(_ jobs: [StorageJob<Value>]) async throws -> [Result<Value, any Error>] {
        guard !jobs.isEmpty else { return [] }
        if thread.isCurrent { return try commitHere(jobs) }
        return try await withCheckedThrowingContinuation { continuation in
            waitingCount.add(1, ordering: .relaxed)
            write { [self] in
                let outcome = refusalOfPlace.map { .failure($0) } ?? group.run(jobs)
                continuation.resume(with: outcome)
                // Callers that wait for this commit resume before the log is checked.
                let others = waitingCount.subtract(1, ordering: .relaxed).newValue
                checkpointIfDue(isQuiet: others == 0)
            } orElse: { [self] error in
                waitingCount.subtract(1, ordering: .relaxed)
                continuation.resume(throwing: error)
            }
        }
    }

    /// Runs jobs on the calling thread, the store's own.
    private func commitHere<Value: Sendable>(_ jobs: [StorageJob<Value>]) throws -> [Result<Value, any Error>] {
        typealias Outcome = Result<[Result<Value, any Error>], any Error>
        let (outcome, isDue) = pool.writeWithoutTransaction { _ -> (Outcome, Bool) in
            // Closing waits for the connection, and detaches the group then.
            if phase.withLock(\.isClosed) { return (.failure(Self.closedError), false) }
            let outcome = refusalOfPlace.map { Outcome.failure($0) } ?? group.run(jobs)
            return (outcome, group.log.isCheckpointDue(isQuiet: waitingCount.load(ordering: .relaxed) == 0))
        }
        // The caller answers first.
        if isDue {
            write { [self] in
                checkpointIfDue(isQuiet: waitingCount.load(ordering: .relaxed) == 0)
            } orElse: { _ in
                // The store is closing, which moves the whole log.
            }
        }
        return try outcome.get()
    }

    /// The executor of the thread that commits.
    package var writer: (any TaskExecutor)? { thread }

    /// Reads one consistent snapshot beside a writer.
    /// - Parameter body: Runs on the queue of a reading connection; may block it, must not keep the transaction.
    /// - Returns: The result of `body`.
    /// - Throws: `StorageError`, `.displaced` when no reading connection is open and the path leads elsewhere; errors
    ///   of `body`; `CancellationError` when the task was cancelled.
    package func read<Value: Sendable>(
        _ body: @Sendable (any NodeTransaction) throws -> Value
    ) async throws -> Value {
        do {
            return try await readElsewhere { [readers, secrets, payloads, linkedFiles] in
                try Self.read(readers.statements(for: $0), secrets, payloads, linkedFiles, body)
            }
        } catch {
            throw translated(error)
        }
    }

    /// Reads on a connection's own queue.
    ///
    /// GRDB holds a connection while the task changes threads, before the body and after it. On an executor whose thread is
    /// busy, or itself waits for a connection, it would be held for as long: so the task takes and returns it on the pool of
    /// Swift's concurrency, whichever executor it prefers.
    private func readElsewhere<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
        readCount.add(1, ordering: .relaxed)
        defer { readCount.subtract(1, ordering: .relaxed) }
        return try await withTaskExecutorPreference(globalConcurrentExecutor) { try await pool.read(body) }
    }

    /// Reads one consistent snapshot, on the calling thread where a connection is free.
    /// - Parameter body: As of ``read(_:)``; it reads few rows.
    /// - Returns: The result of `body`.
    /// - Throws: As ``read(_:)``.
    package func readBriefly<Value: Sendable>(
        _ body: @Sendable (any NodeTransaction) throws -> Value
    ) async throws -> Value {
        // Where each connection may be in use, a wait for one would hold up all else that runs on this thread.
        guard readCount.add(1, ordering: .relaxed).newValue <= readerCountMax else {
            readCount.subtract(1, ordering: .relaxed)
            return try await read(body)
        }
        defer { readCount.subtract(1, ordering: .relaxed) }
        do {
            return try readHere(body)
        } catch {
            throw translated(error)
        }
    }

    /// Reads on the calling thread.
    private func readHere<Value>(_ body: (any NodeTransaction) throws -> Value) throws -> Value {
        try pool.read { try Self.read(readers.statements(for: $0), secrets, payloads, linkedFiles, body) }
    }

    /// The error of a read for its caller.
    private func translated(_ error: any Error) -> any Error {
        switch error {
        case let error as DatabaseError:
            if phase.withLock(\.isClosed) { return Self.closedError }
            if Task.isCancelled { return CancellationError() }
            // A connection that is not open yet cannot open files that are gone. Errors of open connections are
            // reported as they are.
            if error.resultCode == .SQLITE_CANTOPEN, let refusal = refusalOfPlace { return refusal }
            return StorageError(error)
        // A statement that was interrupted, because its caller no longer waits, has no other result.
        case is StorageError where Task.isCancelled: return CancellationError()
        default: return error
        }
    }

    /// Seals the zones' tag keys with this key from now on, and those that are not sealed yet.
    ///
    /// Keys that were in the clear are gone from the database and its log when this returns, as far as SQLite and the
    /// file system write in place.
    /// - Parameters:
    ///   - key: The same key at each start; `nil` = there is none.
    ///   - make: Makes a key and keeps it, when there is none and nothing is sealed yet.
    /// - Throws: `StorageError`; `.corrupt` when tag keys are sealed under another key or there is none; errors of
    ///   `make`.
    package func protect(with key: StoreKey?, orMake make: @Sendable () throws -> StoreKey) async throws {
        if let key {
            secrets.use(key)
        } else {
            // Reading them all shows whether any is sealed.
            _ = try await read { try $0.zones().count }
            secrets.use(try make())
        }
        let sealed = try await commit { transaction in
            guard let transaction = transaction as? SQLiteTransaction else { return 0 }
            return try transaction.sealTagKeys()
        }
        guard sealed > 0 else { return }
        try await truncate()
        logger.info("secrets in the store sealed", metadata: ["store.secrets": "\(sealed)"])
    }

    /// Moves the whole write-ahead log into the database and cuts it.
    private func truncate() async throws {
        try await withCheckedThrowingContinuation { continuation in
            write { [self] in
                continuation.resume(with: Result { try group.log.checkpoint(mustTruncate: true) })
            } orElse: {
                continuation.resume(throwing: $0)
            }
        }
    }

    /// Moves the write-ahead log into the database as far as readers allow, and cuts a log file that has grown large.
    /// - Throws: `StorageError`; the log then stays as it is and nothing is lost.
    package func checkpoint() async throws {
        try await withCheckedThrowingContinuation { continuation in
            write { [self] in
                continuation.resume(
                    with: Result {
                        if let refusal = refusalOfPlace { throw refusal }
                        try group.log.checkpoint(mustTruncate: false)
                    }
                )
            } orElse: {
                continuation.resume(throwing: $0)
            }
        }
    }

    /// Closes all files, moves the write-ahead log into the database and marks the store as closed in order.
    ///
    /// Commits that were begun before are finished. Closing again does nothing.
    /// - Throws: `StorageError` when a file cannot be written; everything that was committed is durable all the same.
    package func close() async throws {
        let lock = phase.withLock { phase -> DirectoryLock? in
            defer { phase = Phase(lock: nil, isClosed: true) }
            return phase.lock
        }
        guard let lock else { return }
        try await Self.run(on: control) { [self] in
            // Given up last, also when closing fails half-way.
            defer { lock.release() }
            do {
                let moved = try pool.barrierWriteWithoutTransaction { _ in
                    defer {
                        group.detach()
                        readers.close()
                    }
                    return Result { () throws(StorageError) in try group.log.checkpoint(mustTruncate: true) }
                }
                try pool.close()
                // A log that could not be moved stays; the next start moves it, and does not check a sound database.
                try FileSystem.makeFile(directory.cleanMarkerPath)
                try FileSystem.synchronize(directory.storePath)
                try moved.get()
            } catch {
                throw StorageError(error)
            }
        }
        logger.debug("store closed")
    }

    /// Runs something on the writing connection's queue while the store is open.
    private func write(_ body: @escaping @Sendable () -> Void, orElse refuse: (StorageError) -> Void) {
        // Under the lock, so that nothing reaches the queue once closing has begun.
        let isAccepted = phase.withLock { phase in
            guard !phase.isClosed else { return false }
            pool.asyncWriteWithoutTransaction { _ in body() }
            return true
        }
        if !isAccepted { refuse(Self.closedError) }
    }

    /// The reason why nothing may be written: the state directory was removed, moved away or replaced, so writes to
    /// the open files are lost with them.
    private var refusalOfPlace: StorageError? {
        guard !database.isThere else { return nil }
        return StorageError(displaced: directory.databasePath)
    }

    private func checkpointIfDue(isQuiet: Bool) {
        do {
            guard try group.log.checkpointIfDue(isQuiet: isQuiet) else { return }
            logger.trace("write-ahead log moved", metadata: ["store.frames": "\(group.log.frameCount)"])
        } catch {
            // Nothing is lost: the log keeps what it has, and the next commit tries again.
            logger.info(
                "write-ahead log could not be moved",
                metadata: ["error.code": "\(error.code.rawValue)", "error.message": "\(error.message)"]
            )
        }
    }

    static var closedError: StorageError { StorageError(code: .closed, message: "the store is closed") }
}

extension SQLiteStore {
    /// Runs blocking work on a queue.
    private static func run<Value: Sendable>(
        on queue: DispatchQueue,
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }

    /// The reason why contents in files of payloads can be neither read nor written; `nil` where they can.
    package func refusalOfPayloads() async -> StorageError? {
        // On the queue of a connection: the disk of the files may be slow.
        try? await readElsewhere { [payloads] _ in payloads.refusal }
    }

    /// Compares the sizes of the files of payloads with the database.
    /// - Returns: The findings.
    /// - Throws: As ``read(_:)``; `.payloadsMissing`.
    /// - Complexity: O(payloads · log chunks).
    package func payloadFindings() async throws -> PayloadFindings {
        do {
            let found = try await readElsewhere { [readers, payloads] in
                try PayloadInspection(statements: readers.statements(for: $0), directory: payloads).findings()
            }
            guard found.damagedCount > 0 else { return found }
            return try await readElsewhere { [readers, payloads] in
                try PayloadInspection(statements: readers.statements(for: $0), directory: payloads).confirmed(found)
            }
        } catch {
            throw translated(error)
        }
    }

    /// Makes the commits in the log durable when the store is opened.
    ///
    /// A process that was killed between writing a commit and syncing it leaves a commit that exists for now, but is
    /// lost in a power failure. Peers that had received it would then hold operations whose counters are assigned
    /// again. Besides, GRDB has just written to the log without a sync: if the sync of a later commit failed, that
    /// write would be lost, and with it, at the next start, every commit behind it.
    /// - Throws: Any error of SQLite, except a lack of space to move the log, which was synced before.
    private static func makeDurable(_ log: WriteAheadLog) throws(StorageError) {
        do {
            try log.checkpoint(mustTruncate: false)
        } catch {
            guard error.code == .diskFull else {
                log.detach()
                throw error
            }
        }
    }

    /// Opens all reading connections.
    ///
    /// One that was opened later would go by the path, which may lead nowhere by then, and would need descriptors when there
    /// are none. A connection that is not open in time is opened when it is needed.
    private static func openReaders(of pool: DatabasePool, count: Int, within seconds: Double) {
        guard seconds > 0 else { return }
        let (entered, leave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for _ in 0..<count {
            pool.asyncRead { database in
                // The first read opens the write-ahead log.
                let isOpen = (try? Int.fetchOne(database.get(), sql: "PRAGMA schema_version")) != nil
                entered.signal()
                // Held until all are open: a free one would be taken again. One that did not open must not hold up the others.
                if isOpen { _ = leave.wait(timeout: .now() + seconds) }
            }
        }
        for _ in 0..<count { _ = entered.wait(timeout: .now() + seconds) }
        for _ in 0..<count { leave.signal() }
    }

    /// Checks every page of the database in its present state.
    /// - Returns: The findings, at most ten; empty when the database is sound.
    /// - Throws: `StorageError` when the database cannot even be read.
    /// - Complexity: O(size); reads beside commits.
    package func quickCheck() async throws -> [String] {
        do {
            let findings = try await readElsewhere { try String.fetchAll($0, sql: "PRAGMA quick_check(10)") }
            return findings == ["ok"] ? [] : findings
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return [error.message ?? "the database is damaged"]
        } catch let error as DatabaseError {
            if phase.withLock(\.isClosed) { throw Self.closedError }
            throw StorageError(error)
        }
    }

    /// The state and the settings of the store, read back from the writing connection.
    /// - Throws: `StorageError`.
    package func report() async throws -> StoreReport {
        let path = directory.databasePath
        guard !phase.withLock(\.isClosed) else { throw Self.closedError }
        do {
            return try await pool.writeWithoutTransaction { try StoreReport($0, path: path) }
        } catch {
            throw StorageError(error)
        }
    }
}
