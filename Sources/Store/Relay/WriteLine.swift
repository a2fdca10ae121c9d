import GRDB
import Mailbox
import Sync
import Synchronization

/// Writes that wait for a database: all that wait are done in one transaction, with one sync for all.
///
/// Whoever waits is told after the sync, in the order of coming. When one of them fails, it is as if each had been alone.
/// Overflow policy: refuse. Beyond a number, or a number of bytes, a write is turned down at once.
final class WriteLine: Sendable {
    /// How many writes wait at most.
    static let waitingMax = 4_096
    /// How many bytes wait to be written at most.
    static let waitingByteCountMax = 256 * 1_048_576
    /// How many writes are done together at most: readers wait as long as they take.
    static let groupMax = 64
    /// How many bytes are written together at most, beside the first one's.
    static let groupByteCountMax = 8 * 1_048_576
    /// What those are told who are turned down.
    static let refusal = ParcelStorageError.unavailable("too many writes wait for the database")

    /// One write: what it gives back tells its caller, and is called once it is durable.
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

    /// Makes a line in which nobody waits.
    /// - Parameter queue: The database's.
    init(_ queue: DatabaseQueue) {
        self.queue = queue
    }

    /// Has something written.
    /// - Parameters:
    ///   - byteCount: About how much it writes, when that is more than a row.
    ///   - body: Writes, in a transaction. It may be called twice, the first time for nothing.
    /// - Returns: What `body` returned, when it is durable.
    /// - Throws: What `body` threw, what SQLite reported, or `refusal`.
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

    /// Has the next ones written, and so on: readers come in between.
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
            // Perhaps one was the others' misfortune; and on a full disk, what takes away must not fail with what adds.
            for job in group { commit([job], database) }
        }
    }
}
