import Identity
import Node
import Session
import Sodium
import Synchronization
import Wire

/// The caller's side of relays: one request at a time on each connection.
final class RelayCaller: TransportSink {
    private struct State {
        var nextDial: DialID = 1
        var dials: [DialID: CheckedContinuation<any PeerConnection, any Error>] = [:]
        var asked: [ConnectionID: CheckedContinuation<MailboxReply, any Error>] = [:]
        var closed: Set<ConnectionID> = []
    }

    private let state = Mutex(State())

    /// Opens a channel to a link's first address.
    /// - Parameters:
    ///   - link: The relay.
    ///   - transport: The way to it, which reports to this sink.
    /// - Returns: The connection.
    /// - Throws: `BenchError.relay` when it does not answer, or is another one.
    func dial(_ link: RelayLink, by transport: some TransportPort) async throws -> any PeerConnection {
        guard let address = link.addresses.first.flatMap(PeerAddress.init) else {
            throw BenchError.relay("the link names no address")
        }
        let secret = try ChannelSecret(purpose: .relay, bytes: link.channelSecret)
        let connection = try await withCheckedThrowingContinuation { continuation in
            let dial = state.withLock { state in
                defer { state.nextDial += 1 }
                state.dials[state.nextDial] = continuation
                return state.nextDial
            }
            transport.dial(address, id: dial, secret: secret, version: transport.newestVersion)
        }
        guard connection.handshake.remoteStatic.bytes == link.relay.bytes else {
            throw BenchError.relay("another one answers")
        }
        return connection
    }

    /// Sends a request and waits for the answer.
    /// - Parameters:
    ///   - request: The request.
    ///   - connection: The connection to send it on; no other request is under way on it.
    /// - Returns: The answer.
    /// - Throws: `BenchError.relay` when the session ended.
    func ask(_ request: MailboxRequest, _ connection: any PeerConnection) async throws -> MailboxReply {
        try await withCheckedThrowingContinuation { continuation in
            let isOpen = state.withLock { state in
                guard !state.closed.contains(connection.id) else { return false }
                state.asked[connection.id] = continuation
                return true
            }
            guard isOpen else { return continuation.resume(throwing: BenchError.relay("it ended a session")) }
            connection.send(request.encoded)
        }
    }

    // MARK: TransportSink

    func acceptedSecrets() -> [ChannelSecret] { [] }

    func handshakePayload() -> [UInt8] { [] }

    func opened(_ connection: any PeerConnection) {
        connection.setRoom(.admitted)
        let waiting = state.withLock { state in connection.dial.flatMap { state.dials.removeValue(forKey: $0) } }
        waiting?.resume(returning: connection)
    }

    func received(_ message: [UInt8], on connection: ConnectionID) -> Bool {
        let reply = Result { try MailboxReply(decoding: message) }
        // No caller waits for a notice of arrival.
        if case .success(.arrived) = reply { return true }
        let waiting = state.withLock { $0.asked.removeValue(forKey: connection) }
        waiting?.resume(with: reply)
        return true
    }

    func closed(_ connection: ConnectionID, reason: CloseReason) {
        let waiting = state.withLock { state in
            state.closed.insert(connection)
            return state.asked.removeValue(forKey: connection)
        }
        waiting?.resume(throwing: BenchError.relay("it ended a session: \(reason)"))
    }

    func dialFailed(_ dial: DialID, _ failure: DialFailure) {
        let waiting = state.withLock { $0.dials.removeValue(forKey: dial) }
        waiting?.resume(throwing: BenchError.relay("it does not answer: \(failure)"))
    }
}
