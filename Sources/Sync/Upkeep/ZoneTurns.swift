import Records
import Wire

/// The number of decisions in a zone that the rows of zone and logs do not show.
///
/// A held operation gave way to a gap, a gap came in, or a key came in under which operations were locked. Results that
/// a snapshot gave before such a decision may not hold any more.
struct ZoneTurns {
    private let zone: ZoneID

    /// Works on one zone.
    init(of zone: ZoneID) {
        self.zone = zone
    }

    /// Returns the number.
    /// - Throws: `StorageError` `corrupt`, or an error of the store.
    func count(in transaction: some NodeTransaction) throws -> UInt64 {
        try transaction.upkeep(zone: zone).turnCount
    }

    /// Notes a new decision.
    /// - Throws: As ``count(in:)``.
    func note(in transaction: inout some NodeTransaction) throws {
        var row = try transaction.upkeep(zone: zone)
        row.turnCount += 1
        try transaction.save(row)
    }
}
