package import Wire

/// The rules that every operation of a log keeps; each is decided from the run alone, so all replicas decide alike.
package enum OperationRule: Equatable, Sendable {
    /// The counter is the leaf's index plus one.
    case counter
    /// The vector's entry for the author is the counter.
    case ownEntry
    /// The vector names only operations that every head over this one claims to have seen.
    ///
    /// Decided last: the operation's author has broken the rule, whichever peer sends the run.
    case unseenEntry
    /// The creation dot lies under the vector.
    case creation
    /// Batch places follow one another from 0 to the count.
    case batch
    /// The header carries the body's hash.
    case bodyHash
    /// A control operation is in clear.
    case sealed
    /// A sealed body is what it states to be: a record or a tombstone.
    case tombstone
    /// The body is the canonical encoding of a record or of a control operation.
    case body(WireError)
    /// The tag is the record's name under the zone's tag key; zero in the control lane.
    case tag
    /// Every dot in the body lies under the vector.
    case fieldDot
    /// A value with the operation's own dot has the operation's clock.
    case fieldTime
    /// The body names the author's device as the one that wrote it.
    case modifier
}

extension OperationRule: CustomStringConvertible {
    /// The part of a sentence that says which rule an operation breaks.
    package var description: String {
        switch self {
        case .counter: "its counter is not its place in the log"
        case .ownEntry: "its vector does not name the operation itself"
        case .unseenEntry: "it names an operation that its author's head has not seen"
        case .creation: "it does not belong to the past of the record that it continues"
        case .batch: "the places of its batch do not follow one another"
        case .bodyHash: "its header has another hash than its body"
        case .sealed: "a control operation is sealed"
        case .tombstone: "its body and its header differ about being a tombstone"
        case .body(let error): "its body cannot be read: \(error)"
        case .tag: "its tag is not that of its record's name"
        case .fieldDot: "a field names an operation that its vector does not"
        case .fieldTime: "a field that it sets has another clock"
        case .modifier: "its body names another device than its author"
        }
    }
}
