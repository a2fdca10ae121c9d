import Node
import Sync
import Synchronization

/// A store whose commits and reads fail on demand.
final class FaultyStorage: StoragePort {
    private let store: any StoragePort
    private let failure = Mutex<StorageError.Code?>(nil)
    private let readFailure = Mutex<StorageError.Code?>(nil)
    private let afterAnswer = Mutex<(@Sendable () async throws -> Void)?>(nil)

    init(_ store: any StoragePort) {
        self.store = store
    }

    /// With what each commit fails from now on; `nil` = with nothing.
    func fail(with code: StorageError.Code?) {
        failure.withLock { $0 = code }
    }

    /// With what each read fails from now on; `nil` = with nothing.
    func failReads(with code: StorageError.Code?) {
        readFailure.withLock { $0 = code }
    }

    /// Whether the present task is the one whose next question is waited for: others of the node read as well.
    @TaskLocal static var isWatched = false

    /// Does something once, after the next question of a watched task that is answered with yes or no, before the answer is returned.
    func afterNextAnswer(_ body: @escaping @Sendable () async throws -> Void) {
        afterAnswer.withLock { $0 = body }
    }

    func commit(_ jobs: [StorageJob]) async throws -> [Result<any Sendable, any Error>] {
        if let code = failure.withLock({ $0 }) { throw StorageError(code: code, message: "as the test wants it") }
        return try await store.commit(jobs)
    }

    func protect(with key: StoreKey?, orMake make: @Sendable () throws -> StoreKey) async throws {
        try await store.protect(with: key, orMake: make)
    }

    func read<Value: Sendable>(_ body: @Sendable (any NodeTransaction) throws -> Value) async throws -> Value {
        if let code = readFailure.withLock({ $0 }) { throw StorageError(code: code, message: "as the test wants it") }
        let value = try await store.read(body)
        if value is Bool, Self.isWatched { try await afterAnswer.withLock { $0.take() }?() }
        return value
    }

    func quickCheck() async throws -> [String] {
        if let code = readFailure.withLock({ $0 }) { throw StorageError(code: code, message: "as the test wants it") }
        return try await store.quickCheck()
    }

    func checkpoint() async throws { try await store.checkpoint() }

    func close() async throws { try await store.close() }
}
