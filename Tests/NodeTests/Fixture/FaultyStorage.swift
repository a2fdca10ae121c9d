@testable import Node
import Sync
import Synchronization

/// A store whose commits and reads fail on demand.
final class FaultyStorage: StoragePort {
    private let store: any StoragePort
    private let failure = Mutex<StorageError.Code?>(nil)
    private let readFailure = Mutex<StorageError.Code?>(nil)
    private let afterAnswer = Mutex<(@Sendable () async throws -> Void)?>(nil)
    private let changed = Mutex<[Int]>([])
    private let reads = Mutex(0)

    init(_ store: any StoragePort) {
        self.store = store
    }

    /// Sets the error of each commit from now on; `nil` = none.
    func fail(with code: StorageError.Code?) {
        failure.withLock { $0 = code }
    }

    /// Sets the error of each read from now on; `nil` = none.
    func failReads(with code: StorageError.Code?) {
        readFailure.withLock { $0 = code }
    }

    /// The number of zones that each transaction before the queue ran has changed, those that changed none left out.
    var changedZoneCounts: [Int] { changed.withLock { $0 } }

    /// The number of reads so far.
    var readCount: Int { reads.withLock { $0 } }

    /// Whether `afterNextAnswer` waits for a question of the present task: others of the node read as well.
    @TaskLocal static var isWatched = false

    /// Runs a body once, after the next question of a watched task that is answered with yes or no, before the answer
    /// is returned.
    func afterNextAnswer(_ body: @escaping @Sendable () async throws -> Void) {
        afterAnswer.withLock { $0 = body }
    }

    func commit<Value: Sendable>(_ jobs: [StorageJob<Value>]) async throws -> [Result<Value, any Error>] {
        if let code = failure.withLock({ $0 }) { throw StorageError(code: code, message: "as the test wants it") }
        let results = try await store.commit(jobs)
        let zones = results.flatMap { result in
            ((try? result.get()) as? CommitNotice)?.zones.map(\.snapshot.zone) ?? []
        }
        if !zones.isEmpty { changed.withLock { $0.append(Set(zones).count) } }
        return results
    }

    func protect(with key: StoreKey?, orMake make: @Sendable () throws -> StoreKey) async throws {
        try await store.protect(with: key, orMake: make)
    }

    func read<Value: Sendable>(_ body: @Sendable (any NodeTransaction) throws -> Value) async throws -> Value {
        if let code = readFailure.withLock({ $0 }) { throw StorageError(code: code, message: "as the test wants it") }
        reads.withLock { $0 += 1 }
        let value = try await store.read(body)
        if value is Bool, Self.isWatched { try await afterAnswer.withLock { $0.take() }?() }
        return value
    }

    func quickCheck() async throws -> [String] {
        if let code = readFailure.withLock({ $0 }) { throw StorageError(code: code, message: "as the test wants it") }
        return try await store.quickCheck()
    }

    func payloadFindings() async throws -> PayloadFindings {
        if let code = readFailure.withLock({ $0 }) { throw StorageError(code: code, message: "as the test wants it") }
        return try await store.payloadFindings()
    }

    func refusalOfPayloads() async -> StorageError? { await store.refusalOfPayloads() }

    func checkpoint() async throws { try await store.checkpoint() }

    func close() async throws { try await store.close() }
}
