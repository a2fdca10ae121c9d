package import Wire

/// An operation as a replica holds it.
package struct StoredOperation: Equatable, Sendable {
    /// The log's actor.
    package var actor: ActorID
    /// The operation as received.
    package var operation: Operation
    /// The operation's effect on its record.
    package var state: OperationState
    /// True when the body deletes the record.
    package var isTombstone: Bool

    /// A stored operation.
    package init(actor: ActorID, operation: Operation, state: OperationState, isTombstone: Bool) {
        self.actor = actor
        self.operation = operation
        self.state = state
        self.isTombstone = isTombstone
    }

    /// The author's actor, and the operation's number in that actor's log.
    package var dot: Dot { Dot(actor: actor, counter: operation.header.counter) }
}
