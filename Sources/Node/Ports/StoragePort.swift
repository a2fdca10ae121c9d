package import Sync

/// One unit of work inside a group commit.
///
/// It runs inside a savepoint, or alone in its transaction: when it throws, its changes are undone and the other jobs of
/// the group take effect.
package typealias StorageJob<Value> = @Sendable (inout any NodeTransaction) throws -> Value

/// Durable storage; implemented by the SQLite store.
package protocol StoragePort: Sendable {
    /// Runs jobs in one transaction and returns when it is durable (one fsync for all).
    /// - Parameter jobs: At least one; run in order on the writing connection.
    /// - Returns: One result a job, in order.
    /// - Throws: `StorageError` when the transaction as a whole failed; then no job took effect.
    func commit<Value: Sendable>(_ jobs: [StorageJob<Value>]) async throws -> [Result<Value, any Error>]

    /// The executor of the thread that commits; `nil` = there is none.
    ///
    /// A task that prefers it commits, and reads briefly, without a change of threads.
    var writer: (any TaskExecutor)? { get }

    /// Seals the secrets that the store keeps, those of earlier versions too; called once, before anything else.
    /// - Parameters:
    ///   - key: The same one at each start; `nil` = there is none.
    ///   - make: Makes one and keeps it, when there is none and nothing is sealed yet.
    /// - Throws: `StorageError`; `.corrupt` when secrets are sealed under another key or there is none; the errors of
    ///   `make`.
    func protect(with key: StoreKey?, orMake make: @Sendable () throws -> StoreKey) async throws

    /// Reads one consistent snapshot; runs beside a writer.
    func read<Value: Sendable>(_ body: @Sendable (any NodeTransaction) throws -> Value) async throws -> Value

    /// Reads one consistent snapshot, on the calling thread where a connection is free.
    ///
    /// For a read of few rows: the changes of threads of ``read(_:)`` would take longer than the read. The thread must not
    /// be one of Swift's concurrency; tasks that prefer an executor of their own run on others.
    func readBriefly<Value: Sendable>(_ body: @Sendable (any NodeTransaction) throws -> Value) async throws -> Value

    /// Looks at every page of the database, beside commits.
    /// - Returns: The damage, at most ten findings; empty where there is none.
    /// - Throws: `StorageError` when the database cannot even be read.
    /// - Complexity: O(size).
    func quickCheck() async throws -> [String]

    /// Looks whether the files with the contents of payloads can be reached.
    /// - Returns: The reason why these can be neither read nor written; `nil` where they can.
    func refusalOfPayloads() async -> StorageError?

    /// Compares the sizes of the files with the contents of payloads with the database, beside commits.
    /// - Returns: The findings.
    /// - Throws: `StorageError`, `.payloadsMissing` where the files cannot be reached.
    /// - Complexity: O(payloads · log chunks); the contents are not read.
    func payloadFindings() async throws -> PayloadFindings

    /// Moves the write-ahead log into the database file, off the commit path; called when idle and when stopping.
    func checkpoint() async throws

    /// Closes all files. Further calls throw `StorageError(.closed)`.
    func close() async throws
}

extension StoragePort {
    /// No thread of its own.
    package var writer: (any TaskExecutor)? { nil }

    /// Nothing stands in the way of a store that keeps contents in no files.
    package func refusalOfPayloads() async -> StorageError? { nil }

    /// A store that keeps contents in no files has none that is damaged.
    package func payloadFindings() async throws -> PayloadFindings { PayloadFindings() }

    /// Reads as ``read(_:)`` does.
    package func readBriefly<Value: Sendable>(
        _ body: @Sendable (any NodeTransaction) throws -> Value
    ) async throws -> Value {
        try await read(body)
    }

    /// Runs one job in a transaction of its own and returns when it is durable.
    /// - Parameter job: Run on the writing connection.
    /// - Returns: The value of the job.
    /// - Throws: The error of the job; `StorageError` when the transaction failed.
    package func commit<Value: Sendable>(_ job: @escaping StorageJob<Value>) async throws -> Value {
        guard let result = try await commit([job]).first else {
            throw StorageError(code: .misuse, message: "a job has no result")
        }
        return try result.get()
    }
}
