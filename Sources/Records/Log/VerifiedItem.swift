package import Wire

/// A leaf, or a gap of leaves, whose hash is under a verified signature.
package enum VerifiedItem: Sendable {
    /// A data operation with its decoded body; `nil` for a sealed one, which is opened when it is applied.
    case record(Operation, RecordBody?)
    /// A control operation with its decoded body.
    case control(Operation, ControlBody)
    /// A subtree that the sender has pruned under a checkpoint.
    case gap(SubtreeGap)
}
