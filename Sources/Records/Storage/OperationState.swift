/// The effect of a stored operation on its record.
package enum OperationState: UInt8, Hashable, Sendable, CaseIterable {
    /// Stored, but its author had seen more than is held here yet.
    case pending = 0
    /// Applied and not covered by another operation of its record. Applied control operations are live.
    case live = 1
    /// Applied and covered by another operation's vector.
    case superseded = 2
    /// Above the end of a log that was cut or forked: kept, but without effect.
    case quarantined = 3
    /// As quarantined, behind a fork; its content lives on in an effective operation.
    case restated = 6
    /// Applied, and outside of its author's right, against the schema, or without a body that can be merged: kept, without
    /// effect, and it supersedes nothing.
    case void = 7
}
