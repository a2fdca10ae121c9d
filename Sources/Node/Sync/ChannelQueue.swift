import Session
import Synchronization

/// The queue in front of a service with channels: a transport's event loops fill it, and all that has facts for the service.
///
/// Bound: messages that wait for one connection are counted in bytes; beyond `waitingByteCountMax` the queue has
/// the transport stop reading that connection (overflow policy: back-pressure), and read on when they are taken. All
/// else is bounded by its source: connections, dials, and answers that the service itself asked for.
final class ChannelQueue<Fact: Sendable>: TransportSink {
    /// A notice for the service, in the order of the events.
    enum Notice: Sendable {
        /// A channel is established.
        case opened(any PeerConnection)
        /// A message arrived.
        case message(ConnectionID, [UInt8])
        /// A channel ended.
        case closed(ConnectionID, CloseReason)
        /// A dial led nowhere.
        case dialFailed(DialID, DialFailure)
        /// Anything else.
        case fact(Fact)
    }

    private struct State {
        var notices: [Notice] = []
        var waitingByteCounts: [ConnectionID: Int] = [:]
        var paused: Set<ConnectionID> = []
        var isStopped = false
    }

    /// Yields whenever there is something to take.
    let wake: AsyncStream<Void>
    private let wakeContinuation: AsyncStream<Void>.Continuation
    private let state = Mutex(State())
    private let waitingByteCountMax: Int
    private let join: @Sendable (inout Fact, Fact) -> Bool
    private let secrets: @Sendable () -> [ChannelSecret]
    private let payload: @Sendable () -> [UInt8]

    /// Makes an empty queue.
    /// - Parameters:
    ///   - waitingByteCountMax: Bytes of messages that may wait for one connection.
    ///   - secrets: Returns the secrets one of which callers must know.
    ///   - payload: Returns the payload of a handshake; an empty one where the keys suffice.
    ///   - join: Has a fact that waits take in the next one, and returns whether it did; by default none does.
    init(
        waitingByteCountMax: Int,
        secrets: @escaping @Sendable () -> [ChannelSecret] = { [] },
        payload: @escaping @Sendable () -> [UInt8] = { [] },
        join: @escaping @Sendable (inout Fact, Fact) -> Bool = { _, _ in false }
    ) {
        self.waitingByteCountMax = waitingByteCountMax
        self.join = join
        self.secrets = secrets
        self.payload = payload
        (wake, wakeContinuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Adds a fact.
    func put(_ fact: Fact) {
        let isFirst = state.withLock { state in
            guard !state.isStopped else { return false }
            // Taken out of the queue first: a fact that is changed in its place is copied.
            if case .fact? = state.notices.last, case .fact(var last)? = state.notices.popLast() {
                let isJoined = join(&last, fact)
                state.notices.append(.fact(last))
                if isJoined { return false }
            }
            state.notices.append(.fact(fact))
            return state.notices.count == 1
        }
        if isFirst { wakeContinuation.yield() }
    }

    private func put(_ notice: Notice) {
        let isFirst = state.withLock { state in
            guard !state.isStopped else { return false }
            state.notices.append(notice)
            return state.notices.count == 1
        }
        if isFirst { wakeContinuation.yield() }
    }

    /// Takes all notices, and returns the connections that may be read again once they are handled.
    func take() -> (notices: [Notice], resumable: Set<ConnectionID>) {
        state.withLock { state in
            defer {
                state.notices.removeAll(keepingCapacity: true)
                state.waitingByteCounts.removeAll(keepingCapacity: true)
                state.paused.removeAll()
            }
            return (state.notices, state.paused)
        }
    }

    /// Whether the service was asked to end.
    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Ends the service after the queued notices; later ones are dropped.
    func stop() {
        state.withLock { $0.isStopped = true }
        wakeContinuation.yield()
    }

    // MARK: TransportSink

    func acceptedSecrets() -> [ChannelSecret] { secrets() }

    func handshakePayload() -> [UInt8] { payload() }

    func opened(_ connection: any PeerConnection) { put(.opened(connection)) }

    func received(_ message: [UInt8], on connection: ConnectionID) -> Bool {
        let (isFirst, mayReadOn) = state.withLock { state in
            guard !state.isStopped else { return (false, false) }
            state.notices.append(.message(connection, message))
            let waiting = state.waitingByteCounts[connection, default: 0] + message.count
            state.waitingByteCounts[connection] = waiting
            guard waiting > waitingByteCountMax else { return (state.notices.count == 1, true) }
            state.paused.insert(connection)
            return (state.notices.count == 1, false)
        }
        if isFirst { wakeContinuation.yield() }
        return mayReadOn
    }

    func closed(_ connection: ConnectionID, reason: CloseReason) { put(.closed(connection, reason)) }

    func dialFailed(_ dial: DialID, _ failure: DialFailure) { put(.dialFailed(dial, failure)) }
}
