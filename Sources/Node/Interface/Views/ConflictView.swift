package import Wire

/// A record whose concurrent writes disagree.
package struct ConflictView: Sendable {
    /// Its zone.
    package var zone: ZoneID
    /// Its name.
    package var name: String
    /// The sides; the one shown by `get` first.
    package var siblings: [SiblingView]
    /// The state from which all sides started, where it is still held.
    package var ancestor: SiblingView?

    /// Makes a conflict.
    package init(zone: ZoneID, name: String, siblings: [SiblingView], ancestor: SiblingView?) {
        self.zone = zone
        self.name = name
        self.siblings = siblings
        self.ancestor = ancestor
    }
}

/// A page of records whose concurrent writes disagree.
package struct ConflictViewPage: Sendable {
    /// The records.
    package var conflicts: [ConflictView]
    /// Continue with this cursor; `nil` at the end.
    package var cursor: String?

    /// Makes a page.
    package init(conflicts: [ConflictView], cursor: String?) {
        (self.conflicts, self.cursor) = (conflicts, cursor)
    }
}
