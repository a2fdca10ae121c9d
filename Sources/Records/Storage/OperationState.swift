/// What a stored operation means for its record.
package enum OperationState: UInt8, Hashable, Sendable, CaseIterable {
    /// Stored, but its author had seen more than is held here yet.
    case pending = 0
    /// Applied and not covered by another operation of its record. Applied control operations are live.
    case live = 1
    /// Applied and covered by another operation's vector.
    case superseded = 2
    /// Above the end of a log that was cut or forked: kept, but it counts nowhere.
    case quarantined = 3
    /// As quarantined, behind a fork; what it said lives on in an operation that counts.
    case restated = 6
    /// Applied, but not within what its author may write: kept, and it counts nowhere and supersedes nothing.
    case void = 7
}
