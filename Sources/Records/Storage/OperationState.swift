/// What a stored operation means for its record.
package enum OperationState: UInt8, Hashable, Sendable, CaseIterable {
    /// Stored, but its author had seen more than is held here yet.
    case pending = 0
    /// Applied and not covered by another operation of its record. Applied control operations are live.
    case live = 1
    /// Applied and covered by another operation's vector.
    case superseded = 2
    /// Above a removed device's cut: kept, but it counts nowhere.
    case quarantined = 3
}
