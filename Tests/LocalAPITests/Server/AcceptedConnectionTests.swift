import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import LocalAPI

@Suite struct `A connection that was accepted` {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Sets a channel up as the server does.
    private static func accept(_ channel: NIOAsyncTestingChannel) async throws -> AcceptedConnection {
        try await channel.testingEventLoop.flatSubmit {
            let http = HTTP1Channel { _, _, _ in Issue.record("nobody asks here") }
            return http.setup(channel: channel, logger: logger).map {
                AcceptedConnection($0, http: http, caller: .admin, peer: nil, logger: logger)
            }
        }.get()
    }

    @Test(.timeLimit(.minutes(5)), arguments: [true, false])
    func `is closed when it is discarded, and the process goes on`(isActive: Bool) async throws {
        let channel = NIOAsyncTestingChannel()
        var connection: AcceptedConnection? = try await Self.accept(channel)
        if isActive { try await channel.connect(to: SocketAddress(unixDomainSocketPath: "/s")) }
        #expect(connection != nil)
        connection = nil
        try await channel.closeFuture.get()
        // swift-nio drops its own reference to the writer here, which may be the last one.
        try? await channel.connect(to: SocketAddress(unixDomainSocketPath: "/s"))
    }

    @Test(.timeLimit(.minutes(5))) func `is served until its client closes it`() async throws {
        let channel = NIOAsyncTestingChannel()
        let connection = try await Self.accept(channel)
        try await channel.connect(to: SocketAddress(unixDomainSocketPath: "/s"))
        async let isServed: Void = connection.serve()
        try await channel.close()
        await isServed
    }
}
