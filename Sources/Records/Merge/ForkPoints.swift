package import Wire

/// Where the logs of a zone end that have two histories.
///
/// Of a write behind such an end nobody can say which history its author meant, so nobody counts as having seen it.
package struct ForkPoints: Equatable, Sendable {
    private var sizes: [ActorID: UInt64]

    /// The ends of some logs.
    /// - Parameter sizes: For each forked actor the leaves that count.
    package init(_ sizes: [ActorID: UInt64] = [:]) {
        self.sizes = sizes
    }

    /// Whether a write lies behind the end of its author's log.
    package func isBeyond(_ dot: Dot) -> Bool {
        guard let size = sizes[dot.actor] else { return false }
        return dot.counter > size
    }

    /// Whether a vector is known to cover a write.
    func isCovered(_ dot: Dot, by vector: VersionVector) -> Bool {
        vector.covers(dot) && !isBeyond(dot)
    }
}
