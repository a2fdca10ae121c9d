import Logging
import Node
import Sealing
import Session
import Sodium
import Testing
import Wire

@testable import Transport

/// Transports of different age, with the real mechanism, on the loopback interface.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct TransportVersionTests {
    private let secret: ChannelSecret
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private let new = ChannelAgreement.hybrid(MLKEM768Encapsulation())

    init() throws {
        secret = try .sample(9)
    }

    /// Dials from one transport to another.
    /// - Returns: The events of the first one, and the newest version that it offers.
    private func dial(
        _ version: ChannelVersion,
        from one: ChannelAgreement,
        to two: ChannelAgreement
    ) async throws -> (events: [SinkEvent], newest: ChannelVersion) {
        let sinks = (RecordingSink([secret]), RecordingSink([secret]))
        let transports = try [(one, sinks.0, UInt8(1)), (two, sinks.1, 2)].map { agreement, sink, key in
            PeerTransport(
                listen: [("127.0.0.1", 0)],
                identity: ChannelIdentity(try AgreementKey(bytes: [UInt8](repeating: key, count: 32))),
                agreement: agreement,
                sink: sink,
                logger: logger
            )
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for transport in transports { group.addTask { try await transport.run() } }
            while transports[1].listeningPort == nil { await Task.yield() }
            let address = PeerAddress(host: "127.0.0.1", port: try #require(transports[1].listeningPort))
            transports[0].dial(address, id: 1, secret: secret, version: version)
            var events = sinks.0.events.makeAsyncIterator()
            _ = await events.next()
            group.cancelAll()
            try await group.waitForAll()
        }
        return (sinks.0.all, transports[0].newestVersion)
    }

    @Test func `two sides with the second version have a channel in the requested one`() async throws {
        for version in ChannelVersion.allCases {
            let (events, newest) = try await dial(version, from: new, to: new)
            guard case .opened(let connection) = events.first else {
                Issue.record("\(events)")
                return
            }
            #expect(connection.handshake.version == version && connection.handshake.remoteNewest == .hybrid)
            #expect(newest == .hybrid)
        }
    }

    @Test func `one that does not know the second version hangs up, and answers in the first`() async throws {
        guard case .dialFailed(1, .ignored) = try await dial(.hybrid, from: new, to: .classical).events.first else {
            Issue.record("not ignored")
            return
        }
        guard case .opened(let connection) = try await dial(.classical, from: new, to: .classical).events.first else {
            Issue.record("no channel")
            return
        }
        #expect(connection.handshake.version == .classical && connection.handshake.remoteNewest == .classical)
    }

    @Test func `one that does not speak a version dials in its highest`() async throws {
        let (events, newest) = try await dial(.hybrid, from: .classical, to: new)
        guard case .opened(let connection) = events.first else {
            Issue.record("\(events)")
            return
        }
        #expect(connection.handshake.version == .classical && newest == .classical)
    }
}
