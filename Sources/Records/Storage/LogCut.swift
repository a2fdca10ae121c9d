package import Wire

/// The end of a log's effective part, stated by the operation that ended its right or removed its device.
package struct LogCut: Hashable, Sendable {
    /// The number of effective leaves; zero when there is none.
    package var size: UInt64
    /// The tree's root at that size; the empty tree's root for zero.
    package var root: Hash

    /// A cut at a size with the root that the remover held there.
    package init(size: UInt64, root: Hash) {
        self.size = size
        self.root = root
    }

    /// The cut of a log without an effective operation.
    package static let zero = LogCut(size: 0, root: TreeFrontier().root)
}
