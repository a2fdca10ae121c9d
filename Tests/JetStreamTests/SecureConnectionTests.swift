@testable import JetStream
import Mailbox
import Testing

@Suite("A connection to a cluster", .serialized)
struct SecureConnectionTests {
    /// Runs a test with a server.
    /// - Parameters:
    ///   - host: The host that its certificate names; `nil` for a server without TLS.
    ///   - test: Gets the server, and options that lead to it with TLS.
    /// - Throws: The error of the test, or the reason why there is no server.
    private func with(_ host: String?, _ test: (NATSServer, JetStreamOptions) async throws -> Void) async throws {
        let port = try #require(NATSServer.freePorts(1).first)
        let server = try NATSServer(NATSServer.Settings(port: port, certified: host))
        defer { server.end() }
        try await server.start()
        let options = JetStreamOptions(
            servers: [server.secureURL],
            authorityFile: host.map { _ in server.certificate },
            replicaCount: 1,
            patience: .seconds(20)
        )
        try await test(server, options)
    }

    private func refusal(_ options: JetStreamOptions) async -> String? {
        do {
            await (try JetStreamParcelStorage.open(options, logger: quiet)).close()
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func `is sealed if the configuration says so`() async throws {
        try await with("localhost") { _, options in
            let storage = try await JetStreamParcelStorage.open(options, logger: quiet)
            try await storage.admit(Things.admission())
            #expect(try await storage.put(Things.deposit(1)) == .stored)
            await storage.close()
        }
    }

    @Test func `is not made to a server whose certificate has no trusted signature`() async throws {
        try await with("localhost") { _, options in
            var options = options
            options.authorityFile = nil
            let words = try #require(await refusal(options))
            #expect(!words.contains("secret"))
        }
    }

    @Test func `is not made to a server whose certificate names another host`() async throws {
        try await with("elsewhere.example") { _, options in
            let words = try #require(await refusal(options))
            #expect(!words.contains("secret"))
        }
    }

    @Test func `is not made without TLS where the configuration asks for it`() async throws {
        try await with(nil) { server, options in
            #expect(await refusal(options) != nil)
            var plain = options
            plain.servers = [server.url()]
            #expect(await refusal(plain) == nil)
        }
    }

    @Test func `reports a missing file of the authority`() async throws {
        try await with("localhost") { _, options in
            var options = options
            options.authorityFile = "/nowhere/ca.pem"
            let words = try #require(await refusal(options))
            #expect(words.contains("authority"))
        }
    }
}
