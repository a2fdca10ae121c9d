package import Records
import Wire

/// A zone from the view of a reader of the feed of changes.
package struct FeedZone: Sendable {
    /// A position at which there is news of the zone itself.
    struct Turn {
        var position: UInt64
        var zone: ZoneID
        /// Whether the zone comes into view there.
        var isEntrance: Bool
    }

    /// The zone.
    package var row: ZoneRow
    /// The reason why it is not in the reader's view; `nil` when it is.
    package var departure: ZoneDeparture?
    /// The feed's mark of the zone, where it is newer than the reader.
    var mark: FeedMark?

    /// The position at which it came to its place; 0 where the reader is past that.
    var entered: UInt64 { mark?.entered ?? 0 }

    /// The positions with news of the zone.
    var turns: [Turn] {
        guard let mark else { return [] }
        let news = Turn(position: mark.changed, zone: row.id, isEntrance: mark.entered == mark.changed)
        guard departure == nil, 0 < mark.entered, mark.entered < mark.changed else { return [news] }
        return [Turn(position: mark.entered, zone: row.id, isEntrance: true), news]
    }
}
