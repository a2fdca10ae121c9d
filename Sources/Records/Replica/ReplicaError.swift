package import Wire

/// Why a replica refuses something as a whole; the transaction must then be rolled back.
package enum ReplicaError: Error, Equatable, Sendable {
    /// The zone is not known here.
    case unknownZone(ZoneID)
    /// The zone takes no writes: it is sealed or deleted.
    case zoneClosed(ZoneID)
    /// The log is not known here.
    case unknownLog(LogKey)
    /// The local author's own log is cut, forked or not fully applied: it must write under a new incarnation.
    case ownLogClosed(LogKey)
    /// What has to be written again before it goes makes the record larger than it may be.
    case noRoom(RecordTag)
    /// The local author may not write: its log would be one more than its device or the zone has room for, or the log would
    /// have to name more others than a version vector may.
    case tooManyActors(LogKey)
    /// A control log would become longer than its author's right allows (``ControlBudget``).
    case controlLogFull(LogKey)
    /// The local author made something that no reader would take; nothing of it was signed.
    case unreadable(LogKey, WireError)
    /// The log holds as many operations that wait for others as it may; fetch the other logs first.
    case pendingFull(LogKey)
    /// The run breaks a rule.
    case invalidRun(LogKey, RunError)
    /// A gap reaches back over an operation that is held here and that nothing else held here supersedes.
    case missingSuccessor(LogKey, counter: UInt64)
    /// The run has gaps under a checkpoint that is not known here (yet), or reaches back under one that follows such a one: the control
    /// logs have to come first. It names none, and the hash is zero, where its sender knows the log to be cut at another place.
    case missingCheckpoint(LogKey, Hash)
    /// A fork proof proves nothing.
    case invalidForkProof
    /// A zone is already known with another genesis or tag key.
    case zoneMismatch(ZoneID)
    /// A store could not read this back; nothing of it is kept. The text names what.
    case unstorable(String)
    /// What storage gave back contradicts itself; the text names what.
    case damaged(String)
}
