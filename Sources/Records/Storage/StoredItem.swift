package import Wire

/// One element of a stored log, in leaf order.
package struct StoredItem: Equatable, Sendable {
    /// The content of a place in a log.
    package enum Content: Equatable, Sendable {
        /// A whole operation.
        case operation(StoredOperation)
        /// The hash of a subtree whose leaves are gone.
        case gap(SubtreeGap)
    }

    /// The first leaf index it covers, from zero; an operation's counter minus one.
    package var first: UInt64
    /// The content of the place.
    package var content: Content

    /// An item at a leaf index.
    package init(first: UInt64, content: Content) {
        self.first = first
        self.content = content
    }

    /// Leaves it covers: one, or a power of two for a gap.
    package var leafCount: UInt64 {
        if case .gap(let gap) = content { return gap.leafCount }
        return 1
    }
}
