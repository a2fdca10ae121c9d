import Wire

extension LogPosition {
    /// The position before the first operation of a log.
    static func start(of log: ActorLane) -> LogPosition {
        LogPosition(actor: log.actor, lane: log.lane, size: 0, root: .zero)
    }

    /// The one of two positions of a log that keeps more effective; of equal sizes the one with the smaller root.
    static func further(_ left: LogPosition?, _ right: LogPosition?) -> LogPosition? {
        guard let left, let right else { return left ?? right }
        return left.size == right.size
            ? (left.root <= right.root ? left : right) : left.size > right.size ? left : right
    }

    /// The one of two cuts of a log that keeps less effective; nil cuts nothing.
    ///
    /// Of equal sizes, which only a fork gives different roots, it is the one with the smaller root.
    static func stricter(_ left: LogPosition?, _ right: LogPosition) -> LogPosition {
        guard let left else { return right }
        return (left.size, left.root) <= (right.size, right.root) ? left : right
    }

    /// Returns the longer of two positions; at equal sizes the other one, which decides which history of a forked log is
    /// effective.
    func raised(to other: LogPosition?) -> LogPosition {
        guard let other, other.size > 0, size <= other.size else { return self }
        return other
    }
}

extension [LogPosition] {
    /// Returns the position that a list in wire order has for a log.
    /// - Complexity: O(log n).
    func position(of log: ActorLane) -> LogPosition? {
        let index = partitioningIndex { $0.key < log }
        return index < count && self[index].key == log ? self[index] : nil
    }

    /// Returns the cut that a list of cuts in wire order has for a log: the start of one that is not listed.
    /// - Complexity: O(log n).
    func cut(of log: ActorLane) -> LogPosition { position(of: log) ?? .start(of: log) }
}
