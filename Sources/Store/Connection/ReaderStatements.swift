import GRDB
import Sync
import Synchronization

/// The compiled statements of the reading connections, which the pool makes as it needs them.
final class ReaderStatements: Sendable {
    private struct State {
        var caches: [UInt: StatementCache] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// The statements of the connection that runs a reading transaction.
    /// - Parameter database: The connection, on its own queue.
    /// - Returns: The same cache for the same connection, as long as the store is open.
    /// - Throws: `.closed` once the store is closing.
    func statements(for database: Database) throws(StorageError) -> StatementCache {
        guard let connection = database.sqliteConnection else {
            throw StorageError(code: .closed, message: "the store is closed")
        }
        let cache = state.withLock { state -> StatementCache? in
            guard !state.isClosed else { return nil }
            let key = UInt(bitPattern: connection)
            if let known = state.caches[key] { return known }
            let made = StatementCache(connection: connection)
            state.caches[key] = made
            return made
        }
        guard let cache else { throw StorageError(code: .closed, message: "the store is closed") }
        return cache
    }

    /// Frees all statements.
    ///
    /// No reading transaction may be running.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.caches.values.forEach { $0.finalizeAll() }
            state.caches.removeAll()
        }
    }
}
