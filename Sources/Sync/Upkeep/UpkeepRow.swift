package import Wire

/// The state of a zone's upkeep on this device: the work that is done or under way, and the work that waits.
///
/// A zone of which nothing is stored has the row that ``init(zone:)`` makes.
package struct UpkeepRow: Hashable, Sendable {
    /// The zone.
    package let zone: ZoneID
    /// The number of decisions that the rows of zone and logs do not show; see ``ZoneTurns``.
    package var turnCount: UInt64 = 0
    /// The checkpoint under which all operations outside of its live set are pruned; `nil` where pruning was never complete.
    package var prunedUnder: Hash?
    /// The time of this device's last checkpoint in milliseconds since 1970; 0 for none.
    package var checkpointMilliseconds: UInt64 = 0
    /// The time since when the next checkpoint waits for operations that another one covers; `nil` while it waits for none.
    package var checkpointHeldSince: UInt64?
    /// The time since when statements in place of other devices wait; `nil` while none do.
    package var statementsHeldSince: UInt64?
    /// The record behind which superseded records are withdrawn next, empty for the first one; `nil` where none are to be withdrawn.
    package var withdrawalPlace: String?

    /// Makes the row of a zone of which nothing is stored.
    package init(zone: ZoneID) {
        self.zone = zone
    }

    /// The row as a store keeps it.
    package var storable: UpkeepRow {
        var row = self
        row.turnCount = turnCount.storable
        row.checkpointMilliseconds = checkpointMilliseconds.storable
        row.checkpointHeldSince = checkpointHeldSince?.storable
        row.statementsHeldSince = statementsHeldSince?.storable
        return row
    }
}
