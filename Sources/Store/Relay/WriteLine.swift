import GRDB
import Mailbox
import Sync
import Synchronization

/// Writes that wait for a database: all waiting ones are done in one transaction, with one sync for all.
///
/// Callers are notified after the sync, in the order of arrival. When one write fails, the others succeed or fail as
/// if each had been done alone. Overflow policy: refuse. Beyond a number of writes, or a number of bytes, a write is
/// refused at once.
final class WriteLine: Sendable {
    /// The maximum number of waiting writes.
    static let waitingMax = 4_096
    /// The maximum number of bytes that wait to be written.
    static let waitingByteCountMax = 256 * 1_048_576
    /// The maximum number of writes that are done together: readers wait as long as these take.
    static let groupMax = 64
    /// The maximum number of bytes that are written together, beside the first write's.
    static let groupByteCountMax = 8 * 1_048_576
    /// The error for refused writes.
    static let refusal = ParcelStorageError.unavailable("too many writes wait for the database")

    /// One write; it returns a closure that notifies its caller, to be called once the write is durable.
    private struct Job: Sendable {
        var byteCount: Int
        var work: @Sendable (Database) throws -> @Sendable () -> Void
        var fail: @Sendable (any Error) -> Void
    }

    private struct Line {
        var waiting: [Job] = []
        var byteCount = 0
        var isBusy = false
    }

    private let queue: DatabaseQueue
    private let line = Mutex(Line())

    /// Makes an empty line.
    /// - Parameter queue: The database's.
    init(_ queue: DatabaseQueue) {
        self.queue = queue
    }

    /// Performs a write together with others that wait.
    /// - Parameters:
    ///   - byteCount: The approximate number of bytes that it writes, when that is more than a row.
    ///   - body: Writes, in a transaction. It may be called twice; the effects of the first call are then undone.
    /// - Returns: The result of `body`, once it is durable.
    /// - Throws: Any error of `body` or of SQLite, or `refusal`.
    func write<Value: Sendable>(
        byteCount: Int = 0,
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let job = Job(byteCount: byteCount) { database in
                let value = try body(database)
                return { continuation.resume(returning: value) }
            } fail: { error in
                continuation.resume(throwing: error)
            }
            let isFirst = line.withLock { line -> Bool? in
                guard line.waiting.count < Self.waitingMax, line.byteCount + byteCount <= Self.waitingByteCountMax
                else { return nil }
                line.waiting.append(job)
                line.byteCount += byteCount
                defer { line.isBusy = true }
                return !line.isBusy
            }
            guard let isFirst else { return continuation.resume(throwing: Self.refusal) }
            if isFirst { work() }
        }
    }

    /// Writes that wait.
    var waitingCount: Int { line.withLock { $0.waiting.count } }

    /// Performs the waiting writes, group by group; readers come in between.
    private func work() {
        queue.asyncWriteWithoutTransaction { database in
            let group = self.take()
            guard !group.isEmpty else { return }
            Self.commit(group, database)
            self.work()
        }
    }

    /// Takes the next ones out of the line; none ends its turn.
    private func take() -> [Job] {
        line.withLock { line in
            var group: [Job] = []
            var byteCount = 0
            for job in line.waiting {
                guard
                    group.isEmpty
                        || (group.count < Self.groupMax && byteCount + job.byteCount <= Self.groupByteCountMax)
                else { break }
                group.append(job)
                byteCount += job.byteCount
            }
            line.waiting.removeFirst(group.count)
            line.byteCount -= byteCount
            line.isBusy = !group.isEmpty
            return group
        }
    }

    private static func commit(_ group: [Job], _ database: Database) {
        do {
            var tell: [@Sendable () -> Void] = []
            try database.inTransaction(.immediate) {
                for job in group { tell.append(try job.work(database)) }
                return .commit
            }
            for tell in tell { tell() }
        } catch {
            guard group.count > 1 else {
                for job in group { job.fail(error) }
                return
            }
            // Perhaps one write made the others fail; and on a full disk, a removal must not fail together with an
            // addition.
            for job in group { commit([job], database) }
        }
    }
}
