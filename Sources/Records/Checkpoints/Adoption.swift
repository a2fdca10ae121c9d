package import Wire

/// The outcome of trying to adopt a checkpoint.
package enum Adoption: Equatable, Sendable {
    /// No checkpoint waits, or none is covered by the operations applied here.
    case none
    /// It is adopted; operations outside of its live set are pruned in steps from now on.
    case adopted(Checkpoint)
    /// This replica computes another live set or another root of a log: it keeps everything it has.
    case mismatch(Checkpoint)
    /// None is adopted, but every gap held here lies under one that is proven: the replica is complete.
    case completed
}
