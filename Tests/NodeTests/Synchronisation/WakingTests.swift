import Logging
import Sodium
import Store
import Testing

@testable import Node

@Suite(.timeLimit(.minutes(1))) struct `The driver of peers` {
    @Test func `is woken by a caller that changes the core, and not by one that looks at it`() async throws {
        let directory = try TestDirectory()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let store = try await SQLiteStore.open(StateDirectory(path: directory.path), logger: logger)
        // It does not run, so nobody else takes what it is woken for.
        let node = try await Node.start(
            stateDirectory: directory.path,
            storage: store,
            deviceName: "desk",
            machine: Array("machine".utf8),
            passphraseCost: .least,
            listeningPort: { nil },
            logger: logger
        )
        func wakes() async -> Int {
            await node.sync.facts.take().notices.count { if case .fact(.tick) = $0 { true } else { false } }
        }
        _ = await wakes()
        await node.sync.look { _ in }
        #expect(await wakes() == 0)
        await node.sync.use { _ in }
        #expect(await wakes() == 1)
        await node.sync.stepAside { _, _ in }
        #expect(await wakes() == 1)
        try await store.close()
    }
}
