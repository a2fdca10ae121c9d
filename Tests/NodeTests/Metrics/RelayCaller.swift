import Identity
import Logging
import Peering
import Sealing
import ServiceLifecycle
import Session
import Sodium
import Synchronization
import Testing
import Transport
import Wire

@testable import Node

/// A program that speaks with a relay as the test wants.
final class RelayCaller: TransportSink {
    private enum Encounter: Sendable {
        case opened(any PeerConnection)
        case reply(MailboxReply)
        case over
    }

    private let encounters: AsyncStream<Encounter>
    private let continuation: AsyncStream<Encounter>.Continuation
    private let connection = Mutex<(any PeerConnection)?>(nil)

    private init() { (encounters, continuation) = AsyncStream.makeStream() }

    /// Connects to a relay, and runs while `body` does.
    static func meet(
        _ relay: PeerAddress,
        _ link: RelayLink,
        _ body: @escaping @Sendable (RelayCaller) async throws -> Void
    ) async throws {
        let logger = Logger(label: "test.caller") { _ in SwiftLogNoOpLogHandler() }
        let caller = RelayCaller()
        let transport = PeerTransport(
            listen: [],
            identity: ChannelIdentity(AgreementKey.generate()),
            agreement: .hybrid(MLKEM768Encapsulation()),
            sink: caller,
            logger: logger
        )
        let group = ServiceGroup(services: [transport], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let secret = try ChannelSecret(purpose: .relay, bytes: link.channelSecret)
            transport.dial(relay, id: 1, secret: secret, version: .newest)
            do {
                try await caller.connect()
                try await body(caller)
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    private func connect() async throws {
        guard case .opened(let connection)? = await next() else { throw Missing(description: "a session") }
        self.connection.withLock { $0 = connection }
    }

    private func next() async -> Encounter? {
        for await encounter in encounters { return encounter }
        return nil
    }

    /// Sends a request and waits for the answer.
    func ask(_ request: MailboxRequest) async throws -> MailboxReply {
        send(request.encoded)
        guard case .reply(let reply)? = await next() else { throw Missing(description: "an answer") }
        return reply
    }

    /// Sends any bytes.
    func send(_ bytes: [UInt8]) { connection.withLock { $0 }?.send(bytes) }

    /// Waits until the relay has ended the session.
    func untilClosed() async {
        while let encounter = await next() {
            if case .over = encounter { return }
        }
    }

    func acceptedSecrets() -> [ChannelSecret] { [] }
    func handshakePayload() -> [UInt8] { [] }
    func opened(_ connection: any PeerConnection) {
        connection.setRoom(.admitted)
        continuation.yield(.opened(connection))
    }

    func received(_ message: [UInt8], on connection: ConnectionID) -> Bool {
        if let reply = try? MailboxReply(decoding: message) { continuation.yield(.reply(reply)) }
        return true
    }

    func closed(_ connection: ConnectionID, reason: CloseReason) { continuation.yield(.over) }
    func dialFailed(_ dial: DialID, _ failure: DialFailure) { continuation.yield(.over) }
}
