package import Wire

/// A reader's position in the change feed.
package struct FeedPosition: Sendable, Hashable {
    /// A zone that came into view, and the reader's progress in its earlier records.
    package struct Backlog: Sendable, Hashable {
        /// The zone.
        package var zone: ZoneID
        /// The position up to which its records were reported.
        package var position: UInt64
    }

    /// The position up to which everything was reported.
    package var position: UInt64
    /// The exception: the earlier records of a zone that has just come into view.
    package var backlog: Backlog?

    /// A position.
    package init(_ position: UInt64, backlog: Backlog? = nil) {
        self.position = position
        self.backlog = backlog
    }

    /// Whether a reader at `other` would step back by continuing from here.
    package func isBehind(_ other: FeedPosition) -> Bool {
        guard position == other.position else { return position < other.position }
        // At a position the backlog comes first, and a reader without a backlog is behind it.
        guard let backlog else { return false }
        return other.backlog.map { backlog.position < $0.position } ?? true
    }
}
