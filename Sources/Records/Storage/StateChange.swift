package import Wire

/// A new state for one stored operation.
package struct StateChange: Hashable, Sendable {
    /// The operation's log.
    package var key: LogKey
    /// The operation's counter, from one.
    package var counter: UInt64
    /// Its new state.
    package var state: OperationState

    /// A state change.
    package init(key: LogKey, counter: UInt64, state: OperationState) {
        self.key = key
        self.counter = counter
        self.state = state
    }
}
