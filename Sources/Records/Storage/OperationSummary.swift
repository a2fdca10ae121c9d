package import Wire

/// An operation without its body, for passes over a whole zone.
package struct OperationSummary: Equatable, Sendable {
    /// The record.
    package var tag: RecordTag
    /// Log and counter.
    package var dot: Dot
    /// The operation's vector.
    package var vector: VersionVector
    /// The state.
    package var state: OperationState
    /// True when the operation deletes its record.
    package var isTombstone: Bool

    /// A summary.
    package init(tag: RecordTag, dot: Dot, vector: VersionVector, state: OperationState, isTombstone: Bool) {
        self.tag = tag
        self.dot = dot
        self.vector = vector
        self.state = state
        self.isTombstone = isTombstone
    }
}
