package import Wire

/// The effective part of a log, by everything that is known.
package enum EffectiveCut: Hashable, Sendable {
    /// All of it.
    case none
    /// The first `size` operations, if the log's tree of that size has this root.
    case at(size: UInt64, root: Hash)
    /// Nothing.
    case zero
    /// It cannot be decided yet.
    case waiting(WaitReason)

    /// Whether the cut lets the operation with a counter be effective.
    package func admits(_ counter: UInt64) -> Bool {
        switch self {
        case .none: true
        case .at(let size, _): counter <= size
        case .zero, .waiting: false
        }
    }

    /// Takes the part of a log up to a position, or all of it.
    init(_ position: LogPosition?) {
        switch position {
        case nil: self = .none
        case let position? where position.size > 0: self = .at(size: position.size, root: position.root)
        default: self = .zero
        }
    }
}
