package import Wire

/// A run that has passed every check that needs nothing but the run and the log's edge.
///
/// Made by ``RunVerifier`` only: code that takes a `VerifiedRun` need not check again.
package struct VerifiedRun: Sendable {
    /// The log.
    package let key: LogKey
    /// The head that the items lead to.
    package let signedHead: SignedTreeHead
    /// The first leaf of the items: the size of the log they continue.
    package let from: UInt64
    /// The items, each with its first leaf.
    package let items: [(first: UInt64, item: VerifiedItem)]
    /// The tree's edge at the head.
    package let frontier: TreeFrontier
    /// Bytes of the items.
    package let byteCount: UInt64
    /// Whether some leaves are missing under a checkpoint.
    package let hasGaps: Bool

    init(
        key: LogKey,
        signedHead: SignedTreeHead,
        from: UInt64,
        items: [(first: UInt64, item: VerifiedItem)],
        frontier: TreeFrontier,
        byteCount: UInt64,
        hasGaps: Bool
    ) {
        self.key = key
        self.signedHead = signedHead
        self.from = from
        self.items = items
        self.frontier = frontier
        self.byteCount = byteCount
        self.hasGaps = hasGaps
    }

    /// The size of the log with the run.
    package var size: UInt64 { signedHead.head.size }
}
