package import Wire

/// The feed's entry about a zone itself, besides its records.
///
/// Records are reported at their own positions. A reader that passed these while the zone was hidden from it would
/// never learn of them: so a zone that comes into view has a position of its own, at which a reader goes through all
/// of its records.
package struct FeedMark: Sendable, Equatable {
    /// The place of the zone when this was written.
    package var place: ZonePlace
    /// The position of the newest news of the zone.
    package var changed: UInt64
    /// The position at which it came to its place; 0 while it is hidden.
    package var entered: UInt64

    /// A mark.
    package init(place: ZonePlace, changed: UInt64, entered: UInt64) {
        self.place = place
        self.changed = changed
        self.entered = entered
    }

    /// The mark as a store keeps it.
    /// - Throws: `StorageError` `corrupt` for one that breaks its rules: the positions of the feed are not those that were stored.
    package func storable() throws(StorageError) -> FeedMark {
        if let broken = brokenRule {
            throw StorageError(code: .corrupt, message: "the positions of the change feed are damaged: \(broken)")
        }
        return self
    }
}

extension FeedMark: Validated {
    package func checkRules() throws(BrokenRule) {
        try mustHold(entered <= changed, "the place of a zone changed last when the zone entered it, or later")
        try mustHold((place == .hidden) == (entered == 0), "a zone has entered its place unless it is hidden")
    }
}
