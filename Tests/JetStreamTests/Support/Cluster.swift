import JetStream
import Logging

/// Servers that are ended with the test.
struct Cluster {
    let servers: [NATSServer]

    /// Runs a test with one server, or with several that make a cluster.
    static func with(
        _ count: Int,
        syncsAlways: Bool = true,
        payload: String = "1MB",
        _ test: (Cluster) async throws -> Void
    ) async throws {
        let ports = try NATSServer.freePorts(2 * count)
        let servers = try (0..<count).map { index in
            let own = ports[count + index]
            let others = ports.suffix(count).filter { $0 != own }
            return try NATSServer(
                NATSServer.Settings(
                    name: "n\(index + 1)",
                    port: ports[index],
                    syncsAlways: syncsAlways,
                    payload: payload,
                    cluster: count == 1 ? nil : (own, others)
                )
            )
        }
        defer { for server in servers { server.end() } }
        for server in servers { try await server.start() }
        try await test(Cluster(servers: servers))
    }

    /// The settings of a front end of these servers.
    func options(_ stream: String = "KAIRAN") -> JetStreamOptions {
        JetStreamOptions(
            servers: servers.map { $0.url() },
            observers: servers.map { $0.url("observer") },
            stream: stream,
            replicaCount: servers.count == 1 ? 1 : 3,
            patience: .seconds(20)
        )
    }

    /// A front end.
    func open(_ stream: String = "KAIRAN") async throws -> JetStreamParcelStorage {
        try await JetStreamParcelStorage.open(options(stream), logger: quiet)
    }

    /// Waits until every server has everything.
    func whole(_ storage: JetStreamParcelStorage) async throws {
        try await until("every replica has caught up") {
            // While a leader is elected, no server answers.
            guard let findings = try? await storage.findings() else { return false }
            return !findings.contains { $0.code == .replicaBehind }
        }
    }
}

/// A logger that writes nothing.
let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
