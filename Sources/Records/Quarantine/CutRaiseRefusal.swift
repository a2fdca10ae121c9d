package import Wire

/// The reason why no more of a log can be made effective.
package enum CutRaiseRefusal: Error, Equatable, Sendable {
    /// Its author had seen an operation of a log that is not held so far here: the operations that become effective
    /// would wait for it, perhaps for ever.
    case waiting(LogKey, for: Dot)
    /// This operation of the log was purged here, or pruned by its author, and the operations that follow build on
    /// it.
    case purged(LogKey, Dot)
}

extension CutRaiseRefusal: CustomStringConvertible {
    /// The reason, for logs.
    package var description: String {
        switch self {
        case .waiting(let key, let dot): "\(key) depends on operation \(dot), which is not here"
        case .purged(let key, let dot): "\(key) depends on operation \(dot), which was purged or pruned"
        }
    }
}
