import Logging
import NIOCore
import NIOPosix
import Node
import Sealing
import ServiceLifecycle
import Session
import Sodium
import TestSupport
import Testing
import Wire

@testable import Transport

/// With real sockets on the loopback interface.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct `A probe` {
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func transport(_ sink: RecordingSink, listen: [(host: String, port: UInt16)]) throws -> PeerTransport {
        PeerTransport(
            listen: listen,
            identity: ChannelIdentity(try AgreementKey(bytes: [UInt8](repeating: 1, count: 32))),
            agreement: .hybrid(MLKEM768Encapsulation()),
            sink: sink,
            logger: logger
        )
    }

    private func outcome(_ transport: PeerTransport, _ address: PeerAddress) async -> ReachOutcome {
        await withCheckedContinuation { continuation in
            transport.probe(address) { continuation.resume(returning: $0) }
        }
    }

    @Test func `reaches a listening device, which sees no channel, and is refused if nothing listens`()
        async throws
    {
        let sink = RecordingSink([try .sample(9)])
        let transport = try transport(sink, listen: [("127.0.0.1", 0)])
        // Nothing listens there on any present machine.
        let unused = PeerAddress(host: "127.0.0.1", port: 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await transport.run() }
            while transport.listeningPort == nil { await Task.yield() }
            let own = PeerAddress(host: "127.0.0.1", port: try #require(transport.listeningPort))
            #expect(await outcome(transport, own) == .reached)
            #expect(await outcome(transport, unused) == .refused)
            #expect(await outcome(transport, PeerAddress(host: "localhost", port: own.port)) == .notTried, "a name")
            #expect(await outcome(transport, own) == .reached, "one after the other is tried")
            group.cancelAll()
            try await group.waitForAll()
        }
        #expect(await outcome(transport, unused) == .notTried, "it is over")
    }
}
