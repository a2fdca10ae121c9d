import Identity
import Logging
import Sealing
import ServiceLifecycle
import Session
import Sodium
import Sync
import Synchronization
import Transport
import Wire

@testable import Node

/// A program that speaks the channel well and everything above it as the test wants: a member with bad intentions, or
/// a thief of a key.
final class Impostor: TransportSink {
    /// An event that the impostor met.
    enum Encounter: Sendable {
        case opened(any PeerConnection)
        case message(PeerMessage)
        case closed(CloseReason)
        case failed
    }

    let keys: DeviceIdentity
    let encounters: AsyncStream<Encounter>
    private let continuation: AsyncStream<Encounter>.Continuation
    private let payload: [UInt8]
    private let transport = Mutex<PeerTransport?>(nil)

    /// Makes new keys; `payload` makes its handshake payload with them.
    init(payload: (DeviceIdentity) throws -> [UInt8]) throws {
        var random = SystemRandom()
        keys = DeviceIdentity(using: &random)
        self.payload = try payload(keys)
        (encounters, continuation) = AsyncStream.makeStream()
    }

    /// Makes an impostor that claims to be a device of an account.
    convenience init(account: AccountID, listenPort: UInt16 = 4_711) throws {
        try self.init { keys in
            HandshakePayload(
                certificate: try keys.certificate(name: "impostor", issued: 1).signed.encoded,
                account: account,
                accountHeads: [],
                boot: [UInt8](repeating: 1, count: HandshakePayload.bootByteCount),
                wallMilliseconds: .max,
                listenPort: listenPort
            ).encoded
        }
    }

    /// Connects under a secret, and runs while `body` does.
    func meet(
        _ node: RunningNode,
        secret: ChannelSecret,
        version: ChannelVersion = .newest,
        _ body: (AsyncStream<Encounter>) async throws -> Void
    ) async throws {
        let logger = Logger(label: "test.impostor") { _ in SwiftLogNoOpLogHandler() }
        let transport = PeerTransport(
            listen: [],
            identity: ChannelIdentity(keys.agreementKey.duplicate()),
            agreement: .hybrid(MLKEM768Encapsulation()),
            sink: self,
            logger: logger
        )
        let group = ServiceGroup(services: [transport], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            transport.dial(node.address, id: 1, secret: secret, version: version)
            do {
                try await body(encounters)
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    func acceptedSecrets() -> [ChannelSecret] { [] }
    func handshakePayload() -> [UInt8] { payload }
    func opened(_ connection: any PeerConnection) {
        connection.setRoom(.admitted)
        continuation.yield(.opened(connection))
    }

    func received(_ message: [UInt8], on connection: ConnectionID) -> Bool {
        if let message = try? PeerMessage(decoding: message) { continuation.yield(.message(message)) }
        return true
    }

    func closed(_ connection: ConnectionID, reason: CloseReason) { continuation.yield(.closed(reason)) }
    func dialFailed(_ dial: DialID, _ failure: DialFailure) { continuation.yield(.failed) }
}

extension AsyncStream<Impostor.Encounter> {
    /// Returns the next event, and takes it from the stream: it is not seen again.
    func next() async -> Impostor.Encounter? {
        for await encounter in self { return encounter }
        return nil
    }

    /// Skips everything up to the end of the connection.
    func closeReason() async -> CloseReason? {
        for await encounter in self {
            if case .closed(let reason) = encounter { return reason }
        }
        return nil
    }

    /// Skips everything up to the connection.
    func connection() async -> (any PeerConnection)? {
        for await encounter in self {
            if case .opened(let connection) = encounter { return connection }
            if case .failed = encounter { return nil }
        }
        return nil
    }
}
