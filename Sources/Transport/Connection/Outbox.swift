import NIOCore
import Session
import Synchronization

/// Messages on their way from any thread to a connection's event loop, bounded in bytes.
final class Outbox: Sendable {
    /// The next task of the event loop.
    enum Item: Equatable {
        /// Seal and send these.
        case messages([[UInt8]])
        /// Say goodbye.
        case close(CloseCode)
        /// There is nothing to do.
        case nothing
    }

    private struct State {
        var messages = CircularBuffer<[UInt8]>()
        var byteCount = 0
        var closeCode: CloseCode?
        var hasOverflown = false
        var hasEnded = false
        /// Whether the event loop has been notified and has not looked yet.
        var isSignalled = false
    }

    private let byteCountMax: Int
    private let state = Mutex(State())

    /// An empty outbox.
    /// - Parameter byteCountMax: How many bytes may wait.
    init(byteCountMax: Int) {
        self.byteCountMax = byteCountMax
    }

    /// Whether more waited than may: the connection is to be given up.
    var hasOverflown: Bool { state.withLock { $0.hasOverflown } }

    /// Adds a message; drops it when the connection is being closed.
    /// - Returns: Whether the event loop must be notified.
    func add(_ message: [UInt8]) -> Bool {
        state.withLock { state in
            guard !state.hasEnded, state.closeCode == nil, !state.hasOverflown else { return false }
            if message.count <= byteCountMax - state.byteCount {
                state.messages.append(message)
                state.byteCount += message.count
            } else {
                state.hasOverflown = true
                state.messages.removeAll()
            }
            defer { state.isSignalled = true }
            return !state.isSignalled
        }
    }

    /// Closes after the waiting messages; the first code holds.
    /// - Returns: Whether this was the first one.
    func close(_ code: CloseCode) -> Bool {
        state.withLock { state in
            guard !state.hasEnded, state.closeCode == nil else { return false }
            state.closeCode = code
            return true
        }
    }

    /// With which code the connection is to be closed, if it is.
    var closeCode: CloseCode? { state.withLock { $0.closeCode } }

    /// Notes that the event loop is looking: messages added from now on notify it again.
    func looked() {
        state.withLock { $0.isSignalled = false }
    }

    /// Takes the next task; for the event loop.
    /// - Parameter byteCount: How many bytes of messages to take at most; but at least one message.
    /// - Returns: Messages before the goodbye, the goodbye before nothing.
    func take(upTo byteCount: Int) -> Item {
        state.withLock { state in
            if state.hasEnded { return .nothing }
            var taken: [[UInt8]] = []
            var takenByteCount = 0
            while let message = state.messages.first {
                guard taken.isEmpty || takenByteCount + message.count <= byteCount else { break }
                takenByteCount += message.count
                taken.append(state.messages.removeFirst())
            }
            state.byteCount -= takenByteCount
            if !taken.isEmpty { return .messages(taken) }
            return state.closeCode.map(Item.close) ?? .nothing
        }
    }

    /// Drops everything, now and later.
    func end() {
        state.withLock { state in
            state.hasEnded = true
            state.messages.removeAll()
            state.byteCount = 0
        }
    }
}
