import GRDBSQLite
import Sync

/// The write-ahead log as the writing connection sees it.
///
/// Only the writing connection ever moves it into the database: SQLite before 3.51.3 can damage a database when two
/// connections do so at one time.
final class WriteAheadLog {
    private let connection: OpaquePointer
    private let schedule: CheckpointSchedule
    private let path: String
    /// Frames after the newest commit.
    private(set) var frameCount = 0
    /// Frames of them that the newest checkpoint found.
    private var movedCount = 0

    /// Starts to count.
    /// - Parameters:
    ///   - connection: The writing connection; must have `wal_autocheckpoint` off, which uses the same hook.
    ///   - path: The log file.
    ///   - schedule: The times at which it moves.
    init(connection: OpaquePointer, path: String, schedule: CheckpointSchedule) {
        self.connection = connection
        self.path = path
        self.schedule = schedule
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_wal_hook(
            connection,
            { context, _, _, frameCount in
                guard let context else { return SQLITE_OK }
                Unmanaged<WriteAheadLog>.fromOpaque(context).takeUnretainedValue().committed(Int(frameCount))
                return SQLITE_OK
            },
            context
        )
    }

    private func committed(_ newCount: Int) {
        // A log that is shorter than before was started again, so nothing of it has been moved.
        if newCount < frameCount { movedCount = 0 }
        frameCount = newCount
    }

    /// Stops counting; must run before the object goes while the connection stays open.
    func detach() {
        sqlite3_wal_hook(connection, nil, nil)
    }

    /// Whether ``checkpointIfDue(isQuiet:)`` would run a checkpoint now.
    func isCheckpointDue(isQuiet: Bool) -> Bool {
        schedule.isDue(frameCount: frameCount, movedCount: movedCount, isQuiet: isQuiet)
    }

    /// Runs a checkpoint when one is due.
    /// - Parameter isQuiet: Whether no commit waits.
    /// - Returns: Whether one ran.
    /// - Throws: Any error of SQLite; the log then stays as it is and nothing is lost.
    func checkpointIfDue(isQuiet: Bool) throws(StorageError) -> Bool {
        guard isCheckpointDue(isQuiet: isQuiet) else { return false }
        try run(SQLITE_CHECKPOINT_PASSIVE)
        return true
    }

    /// Moves all frames that readers allow into the database, and truncates a log file that has grown large.
    /// - Parameter mustTruncate: Truncate it at any size.
    /// - Throws: Any error of SQLite, except that a reader is in the way.
    func checkpoint(mustTruncate: Bool) throws(StorageError) {
        try run(SQLITE_CHECKPOINT_PASSIVE)
        guard FileSystem.byteCount(path) > (mustTruncate ? 0 : schedule.byteCountKept) else { return }
        // Waiting for readers here would keep commits waiting; the next idle moment will do.
        sqlite3_busy_timeout(connection, 0)
        defer { sqlite3_busy_timeout(connection, 5_000) }
        guard try startAnew() else { return }
        try run(SQLITE_CHECKPOINT_TRUNCATE)
    }

    /// Replaces the log's content by one commit, which changes nothing.
    ///
    /// No file system promises to truncate a file at once: after a power failure a front part of the log may be left,
    /// and the commits in it, replayed without the newer ones behind them, would damage a database that has them all.
    /// Under a new header the old frames are invalid, and a part of a single commit is invalid as well. SQLite syncs
    /// the header before it writes the frames that follow.
    /// - Returns: Whether it happened; not while a reader needs the log, and not without space.
    /// - Throws: Any error of SQLite; the log then stays as it is and nothing is lost.
    private func startAnew() throws(StorageError) -> Bool {
        guard try run(SQLITE_CHECKPOINT_RESTART) else { return false }
        let code = sqlite3_exec(connection, "PRAGMA user_version = \(Schema.version)", nil, nil, nil)
        switch code & 0xFF {
        // A reader that came between makes the commit follow the others; the only frame is known by its number.
        case SQLITE_OK: return frameCount == 1
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_FULL: return false
        default: throw StorageError(connection: connection, code: code)
        }
    }

    /// Runs a checkpoint.
    /// - Returns: Whether no reader or writer was in the way.
    @discardableResult
    private func run(_ mode: Int32) throws(StorageError) -> Bool {
        var logCount: Int32 = 0
        var doneCount: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(connection, nil, mode, &logCount, &doneCount)
        switch code & 0xFF {
        case SQLITE_OK:
            movedCount = frameCount
            return true
        case SQLITE_BUSY, SQLITE_LOCKED:
            movedCount = frameCount
            return false
        default:
            throw StorageError(connection: connection, code: code)
        }
    }
}
