import Node
import Sync
import Synchronization

/// A store whose commits fail on demand.
final class FaultyStorage: StoragePort {
    private let store: any StoragePort
    private let failure = Mutex<StorageError.Code?>(nil)

    init(_ store: any StoragePort) {
        self.store = store
    }

    /// With what each commit fails from now on; `nil` = with nothing.
    func fail(with code: StorageError.Code?) {
        failure.withLock { $0 = code }
    }

    func commit(_ jobs: [StorageJob]) async throws -> [Result<any Sendable, any Error>] {
        if let code = failure.withLock({ $0 }) { throw StorageError(code: code, message: "as the test wants it") }
        return try await store.commit(jobs)
    }

    func protect(with key: StoreKey?, orMake make: @Sendable () throws -> StoreKey) async throws {
        try await store.protect(with: key, orMake: make)
    }

    func read<Value: Sendable>(_ body: @Sendable (any NodeTransaction) throws -> Value) async throws -> Value {
        try await store.read(body)
    }

    func checkpoint() async throws { try await store.checkpoint() }

    func close() async throws { try await store.close() }
}
