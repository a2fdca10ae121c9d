package import Wire

/// How far a reader has come in the feed of changes.
package struct FeedPosition: Sendable, Hashable {
    /// A zone that came into view, and how far the reader is with what it had before.
    package struct Backlog: Sendable, Hashable {
        /// The zone.
        package var zone: ZoneID
        /// Its records up to here were told.
        package var position: UInt64
    }

    /// Everything up to here was told.
    package var position: UInt64
    /// Except for what a zone had up to there that has just come into view.
    package var backlog: Backlog?

    /// A position.
    package init(_ position: UInt64, backlog: Backlog? = nil) {
        self.position = position
        self.backlog = backlog
    }

    /// Whether a reader who was at `other` steps back by going on from here.
    package func isBehind(_ other: FeedPosition) -> Bool {
        guard position == other.position else { return position < other.position }
        // At a position the backlog comes first, and whoever has no backlog is behind it.
        guard let backlog else { return false }
        return other.backlog.map { backlog.position < $0.position } ?? true
    }
}
