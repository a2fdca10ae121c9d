import Logging
import Store
import Sync
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `A first start` {
    @Test func `that ends between its commit and its sentinel is not taken for a restored backup`() async throws {
        try await withNodes { nodes in
            let directory = try TestDirectory()
            try await endAfterFirstCommit(in: directory)
            let node = try await nodes.start(in: directory)
            #expect(try await node.troubles().isEmpty)
            try await node.makeZone("notes")
            try await node.put("milk", in: "notes", text: "two")
            let incarnation = try await node.node.health.status().incarnation
            // A sentinel of its own is there by now, and the incarnation goes on.
            let again = try await nodes.restart(node)
            #expect(try await again.node.health.status().incarnation == incarnation)
            #expect(try await again.node.records.field("text", of: "milk", in: "notes") == .string("two"))
        }
    }

    /// Starts a device and leaves only the part that was on the disk when its first commit was done.
    private func endAfterFirstCommit(in directory: TestDirectory) async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let store = try await SQLiteStore.open(StateDirectory(path: directory.path), logger: logger)
        await #expect(throws: StorageError.self) {
            _ = try await Node.start(
                stateDirectory: directory.path,
                storage: SeveredStorage(store),
                deviceName: "test",
                machine: Array("machine".utf8),
                listeningPort: { nil },
                logger: logger
            )
        }
        try await store.close()
    }
}

/// A store whose commits are made, and whose answers never come.
private final class SeveredStorage: StoragePort {
    private let store: any StoragePort

    init(_ store: any StoragePort) {
        self.store = store
    }

    func commit<Value: Sendable>(_ jobs: [StorageJob<Value>]) async throws -> [Result<Value, any Error>] {
        _ = try await store.commit(jobs)
        throw StorageError(code: .closed, message: "the process ended")
    }

    func protect(with key: StoreKey?, orMake make: @Sendable () throws -> StoreKey) async throws {
        try await store.protect(with: key, orMake: make)
    }

    func read<Value: Sendable>(_ body: @Sendable (any NodeTransaction) throws -> Value) async throws -> Value {
        try await store.read(body)
    }

    func quickCheck() async throws -> [String] { try await store.quickCheck() }

    func checkpoint() async throws { try await store.checkpoint() }

    func close() async throws { try await store.close() }
}
