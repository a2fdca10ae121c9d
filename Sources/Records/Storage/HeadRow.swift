package import Wire

/// A retained signed head with the data needed to continue or check the tree from there.
package struct HeadRow: Equatable, Sendable {
    /// The head with its signature, as received.
    package var signed: SignedTreeHead
    /// `LogRow.byteCount` at this head.
    package var byteCount: UInt64
    /// The right edge of the tree at this head.
    package var frontier: TreeFrontier

    /// A retained head.
    package init(signed: SignedTreeHead, byteCount: UInt64, frontier: TreeFrontier) {
        self.signed = signed
        self.byteCount = byteCount
        self.frontier = frontier
    }

    /// The head's size in leaves.
    package var size: UInt64 { signed.head.size }
}
