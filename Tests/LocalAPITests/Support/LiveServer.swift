import FoundationEssentials
import Glibc
import KairanClient
import LocalAPI
import Logging
import Node
import ServiceLifecycle
import Testing

/// A server on a real socket for the time of a test.
enum LiveServer {
    /// A fresh directory that only lives as long as the closure.
    static func withDirectory<Value>(_ body: (String) async throws -> Value) async throws -> Value {
        var template = Array("/tmp/kairan-api-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SocketError.system("mkdtemp", errno) }
        let path = template.withUnsafeBufferPointer {
            String(decoding: $0.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        defer { try? FileManager.default.removeItem(atPath: path) }  // A leftover in /tmp does no harm.
        return try await body(path)
    }

    /// Runs a server, then the closure with the socket's path, then stops the server gracefully.
    static func run<Value: Sendable>(
        node: any NodeAPI,
        policy: AccessPolicy = AccessPolicy(admins: AdminPolicy(users: [geteuid()])),
        endpoint: LocalAPIServer.Endpoint? = nil,
        metrics: any MetricsPort = NoMetrics(),
        limiter: RequestLimiter = RequestLimiter(),
        in directory: String,
        _ body: @escaping @Sendable (String, ServiceGroup) async throws -> Value
    ) async throws -> Value {
        let path = directory + "/s"
        let (listening, continuation) = AsyncStream.makeStream(of: Void.self)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let server = LocalAPIServer(
            node: node,
            endpoint: endpoint ?? .path(path, group: nil),
            policy: PolicyInForce(policy),
            metrics: RequestMetrics(metrics),
            limiter: limiter,
            logger: logger,
            // Bounded by the tests' own limits: a machine that runs all tests at once may need more than the daemon's.
            shutdownGrace: .seconds(240),
            onListening: { continuation.finish() }
        )
        let group = ServiceGroup(services: [server], logger: logger)
        return try await withThrowingTaskGroup(of: Value?.self) { tasks in
            tasks.addTask {
                try await group.run()
                return nil
            }
            tasks.addTask {
                for await _ in listening {}
                return try await body(path, group)
            }
            var result: Value?
            while let value = try await tasks.next() {
                if let value {
                    result = value
                    await group.triggerGracefulShutdown()
                }
            }
            guard let result else { throw CancellationError() }
            return result
        }
    }

    /// Runs a server and a client of it.
    static func client<Value: Sendable>(
        node: any NodeAPI,
        policy: AccessPolicy = AccessPolicy(admins: AdminPolicy(users: [geteuid()])),
        _ body: @escaping @Sendable (DaemonClient, ServiceGroup) async throws -> Value
    ) async throws -> Value {
        try await withDirectory { directory in
            try await run(node: node, policy: policy, in: directory) { path, group in
                try await DaemonClient.withClient(socketPath: path) { client in try await body(client, group) }
            }
        }
    }

    /// Runs a server over a node that only notes its calls, and checks that it serves the next client afterwards.
    static func withFakeNode(
        _ body: @escaping @Sendable (FakeNode, String) async throws -> Void
    ) async throws {
        let node = FakeNode()
        try await withDirectory { directory in
            try await run(node: node, in: directory) { path, _ in
                try await body(node, path)
                try await expectServed(path)
            }
        }
    }

    /// Checks that the next client is served, regardless of the others.
    static func expectServed(_ path: String) async throws {
        let next = try RawConnection(path: path)
        next.send("GET /v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(await next.receive(until: "\"state\":\"ready\"").hasPrefix("HTTP/1.1 200"))
    }
}
