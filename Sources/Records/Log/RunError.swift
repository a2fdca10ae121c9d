/// The reason why a run is refused as a whole.
///
/// The first three cases are nobody's fault, and ``gapNotCovered(leaf:)`` need not be the sender's, which may know a cut of the log that is
/// not known here. Every other one is the sender's or the author's.
package enum RunError: Error, Equatable, Sendable {
    /// It begins behind the end of the log as held here.
    case misplaced(held: UInt64)
    /// All of it is held already.
    case alreadyHeld(size: UInt64)
    /// A gap reaches over the end of the log as held here: the sender has pruned the operations that are needed next.
    case forgotten(held: UInt64)
    /// The head names another zone, device, incarnation, right or lane than the log it was offered for.
    case wrongLog
    /// The signature does not belong to the device and the head's bytes.
    case badSignature
    /// More items or bytes than a run may have.
    case tooLarge
    /// The items do not cover the leaves from the run's beginning to the head's size, each once.
    case badCoverage(leaf: UInt64)
    /// A gap lies outside of the sizes that the named checkpoint covers.
    case gapNotCovered(leaf: UInt64)
    /// An operation breaks a rule.
    case invalidOperation(counter: UInt64, OperationRule)
    /// The head cuts an atomic batch in two.
    case splitBatch(counter: UInt64)
    /// The items do not hash to the root that the author signed.
    case rootMismatch
}

extension RunError: CustomStringConvertible {
    /// The reason, for logs.
    package var description: String {
        switch self {
        case .misplaced(let held): "it begins after the \(held) operations that are held"
        case .alreadyHeld(let size): "all of its \(size) operations are held already"
        case .forgotten(let held): "its sender has pruned the operations after the \(held) that are held"
        case .wrongLog: "its head is of another log"
        case .badSignature: "the signature of its head is not its author's"
        case .tooLarge: "it has more items or bytes than a run may have"
        case .badCoverage(let leaf): "its items do not cover the log at leaf \(leaf)"
        case .gapNotCovered(let leaf): "the gap at leaf \(leaf) lies outside of the checkpoint that it names"
        case .invalidOperation(let counter, let rule): "operation \(counter) breaks a rule: \(rule)"
        case .splitBatch(let counter): "its head cuts the batch at operation \(counter) in two"
        case .rootMismatch: "its items do not hash to the root that the author signed"
        }
    }
}
