package import Wire

/// The reason why a replica refuses something as a whole; the transaction must then be rolled back.
package enum ReplicaError: Error, Equatable, Sendable {
    /// The zone is not known here.
    case unknownZone(ZoneID)
    /// The zone takes no writes: it is sealed or deleted.
    case zoneClosed(ZoneID)
    /// The log is not known here.
    case unknownLog(LogKey)
    /// The local author's own log is cut, forked or not fully applied: it must write under a new incarnation.
    case ownLogClosed(LogKey)
    /// The state that has to be written again before its log is truncated would exceed the size limit of the record.
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
    /// logs have to come first. Or it has a gap outside of the checkpoint that it names, or names none and the hash is zero: its sender may
    /// know the log to be cut where that is not known here.
    case missingCheckpoint(LogKey, Hash)
    /// A fork proof proves nothing.
    case invalidForkProof
    /// A zone is already known with another genesis or tag key.
    case zoneMismatch(ZoneID)
    /// A store could not read this value back; nothing of it is kept. The text names the value.
    case unstorable(String)
    /// Stored data contradicts itself; the text names the contradiction.
    case damaged(String)
}

extension ReplicaError: CustomStringConvertible {
    /// The reason, for logs, with the first characters of the ids that it is about.
    package var description: String {
        switch self {
        case .unknownZone(let zone): "the zone \(zone.shortText) is not known here"
        case .zoneClosed(let zone): "the zone \(zone.shortText) accepts no more writes"
        case .unknownLog(let key): "\(key) is not known here"
        case .ownLogClosed(let key): "\(key) is this store's own, and is cut, forked or not fully applied"
        case .noRoom(let tag):
            "with the fields to write again, the record with tag \(tag.shortText) is larger than the limit"
        case .tooManyActors(let key): "there is no room for \(key), or no room in it for another author"
        case .controlLogFull(let key): "\(key) is as long as its author's right allows"
        case .unreadable(let key, let error): "no device could read the data for \(key): \(error)"
        case .pendingFull(let key): "the maximum number of operations waits in \(key)"
        case .invalidRun(let key, let error): "a run of \(key) is not valid: \(error)"
        case .missingSuccessor(let key, let counter):
            "a run of \(key) leaves out operation \(counter), and no data here replaces it"
        case .missingCheckpoint(let key, let hash):
            "a run of \(key) has gaps that neither the checkpoint \(hash.shortText) nor a cut allows, as far as is known here"
        case .invalidForkProof: "a fork proof proves nothing"
        case .zoneMismatch(let zone): "the zone \(zone.shortText) is known with another genesis or key"
        case .unstorable(let text): "the store could not read this back: \(text)"
        case .damaged(let text): "the store is damaged: \(text)"
        }
    }
}
