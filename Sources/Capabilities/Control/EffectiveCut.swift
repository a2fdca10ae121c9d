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

    init(_ cut: LogCut) {
        switch cut {
        case .none: self = .none
        case .at(let size, let root): self = .at(size: size, root: root)
        case .zero: self = .zero
        }
    }
}

extension LogPosition {
    /// The one of two positions of a log that keeps more effective; of equal sizes the one with the smaller root.
    static func further(_ left: LogPosition?, _ right: LogPosition?) -> LogPosition? {
        guard let left, let right else { return left ?? right }
        return left.size == right.size
            ? (left.root <= right.root ? left : right) : left.size > right.size ? left : right
    }
}

extension [LogPosition] {
    /// Returns the position that a list in wire order has for a log.
    /// - Complexity: O(log n).
    func position(of log: ActorLane) -> LogPosition? {
        let index = partitioningIndex { $0.key < log }
        return index < count && self[index].key == log ? self[index] : nil
    }
}
