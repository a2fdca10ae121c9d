import Identity
package import Records
import Wire

/// The zones in the feed of changes: where readers find each, and since which position.
package struct FeedZones: Sendable {
    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// Returns the place in which people and programs find a zone.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The place.
    /// - Throws: Any error of the store.
    /// - Complexity: As ``ZoneViews/overview(of:in:)``.
    package func place(of zone: ZoneRow, in transaction: some NodeTransaction) throws -> ZonePlace {
        let views = ZoneViews(committer)
        guard try !zone.isDeleted && views.isShown(zone, in: transaction) else { return .hidden }
        return try views.overview(of: zone.id, in: transaction).place(for: committer.account.account)
    }

    /// Returns the zones that a reader may learn of.
    /// - Parameters:
    ///   - view: The reader's view.
    ///   - position: The reader's position; earlier entries about zones are left out.
    ///   - transaction: The store.
    /// - Returns: The zones, shown or not.
    /// - Throws: Any error of the store.
    func zones(
        in view: FeedView,
        after position: FeedPosition,
        in transaction: some NodeTransaction
    ) throws -> [FeedZone] {
        let rows = try view.zone.map { try transaction.zone($0).map { [$0] } ?? [] } ?? transaction.zones()
        let hasNews = try transaction.newestFeedMark() > position.position
        return try rows.filter(view.mayShow).map { row in
            let mark = hasNews || view.place != nil ? try transaction.feedMark(row.id) : nil
            let isNews = mark.map { $0.changed > position.position } ?? false
            return FeedZone(
                row: row,
                departure: try departure(of: row, mark, from: view, in: transaction),
                mark: isNews ? mark : nil
            )
        }
    }

    private func departure(
        of row: ZoneRow,
        _ mark: FeedMark?,
        from view: FeedView,
        in transaction: some NodeTransaction
    ) throws -> ZoneDeparture? {
        guard !row.isDeleted else { return .deleted }
        guard try ZoneViews(committer).isShown(row, in: transaction) else { return .left }
        guard view.place != nil else { return nil }
        // The mark spares going through the control log; a zone that has none was there before
        // marks were.
        let place = try mark.flatMap { $0.place == .hidden ? nil : $0.place } ?? place(of: row, in: transaction)
        return view.shows(place) ? nil : .moved
    }

    /// Gives a zone a position in the feed if it appeared, disappeared or moved, or if it is to be
    /// reported anyway.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - always: Whether to report the zone wherever it is found.
    ///   - transaction: The store.
    /// - Returns: Whether the feed grew.
    /// - Throws: Any error of the store.
    func note(_ zone: ZoneID, always: Bool, in transaction: inout some NodeTransaction) throws -> Bool {
        guard let row = try transaction.zone(zone), !row.isInternal else { return false }
        let (old, place) = (try transaction.feedMark(zone), try place(of: row, in: transaction))
        guard always || (old.map { $0.place != place } ?? (place != .hidden)) else { return false }
        let position = try transaction.takePosition()
        let entered = place == .hidden ? 0 : old?.place == place ? old?.entered ?? position : position
        try transaction.save(FeedMark(place: place, changed: position, entered: entered), zone: zone)
        return true
    }
}
