import Logging
import Node
import Sealing
import ServiceLifecycle
import Store

/// A real node on a real store, without peers, for the time of a test.
enum LiveNode {
    static func run<Value: Sendable>(
        in directory: String,
        metrics: any MetricsPort = NoMetrics(),
        _ body: @escaping @Sendable (Node) async throws -> Value
    ) async throws -> Value {
        var logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .critical
        let store = try await SQLiteStore.open(StateDirectory(path: directory + "/state"), logger: logger)
        let node = try await Node.start(
            stateDirectory: directory + "/state",
            storage: store,
            envelopes: XWingEnvelopes(),
            deviceName: "test",
            machine: [1],
            listeningPort: { nil },
            metrics: metrics,
            logger: logger
        )
        let group = ServiceGroup(
            services: [
                NodeService.commits(node), NodeService.synchronization(node), NodeService.indexing(node),
                NodeService.messaging(node), NodeService.assets(node),
            ],
            logger: logger
        )
        async let running: Void = group.run()
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(node))
        } catch {
            result = .failure(error)
        }
        await group.triggerGracefulShutdown()
        try await running
        try await store.close()
        return try result.get()
    }
}
