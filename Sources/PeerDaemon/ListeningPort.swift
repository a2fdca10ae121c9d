import Synchronization

/// Answers which port the transport has, for parts that exist before the transport does.
final class ListeningPort: Sendable {
    private let stored = Mutex<(@Sendable () -> UInt16?)?>(nil)

    /// The source of the answer, once there is something to ask.
    var source: (@Sendable () -> UInt16?)? {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }

    /// The port; `nil` before the transport listens.
    var value: UInt16? { source?() }
}
