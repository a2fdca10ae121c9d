import Node
import Session
import Synchronization

/// An event that a transport reported.
enum SinkEvent: Sendable {
    case opened(any PeerConnection)
    case message(ConnectionID, [UInt8])
    case closed(ConnectionID, CloseReason)
    case dialFailed(DialID, DialFailure)
}

/// The layer above the transport, for tests: records everything.
final class RecordingSink: TransportSink {
    private let secrets: [ChannelSecret]
    private let payload: [UInt8]
    private let record = Mutex(Record())
    private let isTaking = Mutex(true)
    private let chosenRoom = Mutex<DoorRoom?>(.admitted)
    /// The same as a stream, for tests that wait; the bound is far above the number of their events.
    let events: AsyncStream<SinkEvent>
    private let continuation: AsyncStream<SinkEvent>.Continuation

    /// All events, except for messages beyond some MiB: tests that send gigabytes read the stream.
    private struct Record {
        var events: [SinkEvent] = []
        private var room = 8 << 20

        mutating func append(_ event: SinkEvent) {
            if case .message(_, let message) = event {
                guard message.count <= room else { return }
                room -= message.count
            }
            events.append(event)
        }
    }

    init(_ secrets: [ChannelSecret], payload: [UInt8] = Array("payload".utf8)) {
        self.secrets = secrets
        self.payload = payload
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(100_000))
    }

    /// The events so far, in order.
    var all: [SinkEvent] { record.withLock { $0.events } }

    /// Whether messages are taken; otherwise every message asks to pause.
    var takesMore: Bool {
        get { isTaking.withLock { $0 } }
        set { isTaking.withLock { $0 = newValue } }
    }

    /// The room into which each connection is put as soon as it is established; `nil` = none.
    var room: DoorRoom? {
        get { chosenRoom.withLock { $0 } }
        set { chosenRoom.withLock { $0 = newValue } }
    }

    var connection: (any PeerConnection)? {
        all.compactMap { if case .opened(let connection) = $0 { connection } else { nil } }.last
    }

    var messages: [[UInt8]] {
        all.compactMap { if case .message(_, let message) = $0 { message } else { nil } }
    }

    var closeReasons: [CloseReason] {
        all.compactMap { if case .closed(_, let reason) = $0 { reason } else { nil } }
    }

    var dialFailures: [String] {
        all.compactMap { if case .dialFailed(_, let failure) = $0 { "\(failure)" } else { nil } }
    }

    private func note(_ event: SinkEvent) {
        record.withLock { $0.append(event) }
        continuation.yield(event)
    }

    func acceptedSecrets() -> [ChannelSecret] { secrets }

    func handshakePayload() -> [UInt8] { payload }

    func opened(_ connection: any PeerConnection) {
        if let room { connection.setRoom(room) }
        note(.opened(connection))
    }

    func received(_ message: [UInt8], on connection: ConnectionID) -> Bool {
        note(.message(connection, message))
        return takesMore
    }

    func closed(_ connection: ConnectionID, reason: CloseReason) { note(.closed(connection, reason)) }

    func dialFailed(_ dial: DialID, _ failure: DialFailure) { note(.dialFailed(dial, failure)) }
}

/// Reads a sink's events one after the other.
struct SinkReader {
    private var iterator: AsyncStream<SinkEvent>.Iterator

    init(_ sink: RecordingSink) {
        iterator = sink.events.makeAsyncIterator()
    }

    private mutating func next() async throws -> SinkEvent {
        guard let event = await iterator.next(isolation: #isolation) else { throw CancellationError() }
        return event
    }

    mutating func opened() async throws -> any PeerConnection {
        while true { if case .opened(let connection) = try await next() { return connection } }
    }

    mutating func message() async throws -> [UInt8] {
        while true { if case .message(_, let message) = try await next() { return message } }
    }

    mutating func closed() async throws -> CloseReason {
        while true { if case .closed(_, let reason) = try await next() { return reason } }
    }

    mutating func dialFailed() async throws -> (dial: DialID, reason: String) {
        while true { if case .dialFailed(let dial, let failure) = try await next() { return (dial, "\(failure)") } }
    }
}

extension ChannelSecret {
    /// A secret made of one byte.
    static func sample(_ byte: UInt8) throws -> ChannelSecret {
        try ChannelSecret(purpose: .fleet, bytes: [UInt8](repeating: byte, count: 32))
    }
}
