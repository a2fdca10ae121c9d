package import Wire

/// The ends of the zone's logs that have two histories.
///
/// If a vector names a write behind such an end, it is unknown which history its author meant, so the author is not
/// considered to have seen the write.
package struct ForkPoints: Equatable, Sendable {
    private var sizes: [ActorID: UInt64]
    private var covered: [ActorID: UInt64]

    /// The ends of some logs.
    /// - Parameters:
    ///   - sizes: For each forked actor the leaves that are the same in both histories: no others are effective.
    ///   - covered: For forked actors how far checkpoints cover one of the histories, where that is more.
    package init(_ sizes: [ActorID: UInt64] = [:], covered: [ActorID: UInt64] = [:]) {
        self.sizes = sizes
        self.covered = covered
    }

    /// Whether a write lies behind the end of its author's log.
    package func isBeyond(_ dot: Dot) -> Bool {
        guard let size = sizes[dot.actor] else { return false }
        return dot.counter > size
    }

    /// Whether an actor's total in a counter lies behind everything that is final of its log.
    ///
    /// The history that a checkpoint covers keeps its totals, others have theirs restated.
    func isUncounted(_ part: Dot) -> Bool {
        isBeyond(part) && part.counter > covered[part.actor] ?? 0
    }

    /// Whether a vector is known to cover a write.
    func isCovered(_ dot: Dot, by vector: VersionVector) -> Bool {
        vector.covers(dot) && !isBeyond(dot)
    }
}
