package import Records
package import Wire

/// The records that a reader sees.
///
/// Daemons keep messages, receipts, prekeys and relays as records in the zones of applications, see `ReservedType`. A program that
/// reads its zone wants none of them.
package enum RecordAudience: Sendable, Hashable {
    /// Records of programs alone.
    case programs
    /// Those of daemons as well.
    case everything

    /// An audience.
    /// - Parameter showsInternal: Whether records of daemons were asked for.
    package init(showsInternal: Bool) {
        self = showsInternal ? .everything : .programs
    }

    /// Whether the reader sees records of a type.
    package func sees(type: String) -> Bool {
        self == .everything || !ReservedType.isReserved(type)
    }
}

/// Reads the records of a zone by name, page by page, without those that its reader does not see.
///
/// It examines a bounded number of records for one page, which then may have none although more follow.
package struct RecordListing: Sendable {
    /// The number of records that are examined for one page, and of their bytes.
    package static let (lookCountMax, lookByteCountMax) = (2_048, 8 << 20)
    /// Records that are read at once, so that a page of large ones is cut short before all of them are.
    private static let portionCount = 64

    private let zone: ZoneID
    private let audience: RecordAudience
    /// The name behind which the next page begins; `nil` at the beginning.
    package private(set) var place: String?

    /// A listing.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - audience: The records that are listed.
    ///   - name: Begins behind this name.
    package init(zone: ZoneID, audience: RecordAudience, after name: String?) {
        self.zone = zone
        self.audience = audience
        place = name
    }

    /// Reads a page and moves on behind it.
    /// - Parameters:
    ///   - limit: At most so many records, at least 1.
    ///   - transaction: The store.
    ///   - fits: Whether the page still takes a record; the first one is in it in any case.
    /// - Returns: The records, and whether more may follow.
    /// - Throws: Any error of the store.
    package mutating func page(
        limit: Int,
        in transaction: some NodeTransaction,
        fits: (RecordRow) -> Bool
    ) throws -> (records: [RecordRow], more: Bool) {
        var records: [RecordRow] = []
        var room = (count: Self.lookCountMax, byteCount: Self.lookByteCountMax)
        while records.count < limit, room.count > 0, room.byteCount > 0 {
            let count = min(Self.portionCount, limit - records.count, room.count)
            let portion = try transaction.records(zone: zone, after: place, limit: count)
            for row in portion.records {
                if audience.sees(type: row.type) {
                    guard fits(row) || records.isEmpty else { return (records, true) }
                    records.append(row)
                } else {
                    room.byteCount -= row.body.count
                }
                room.count -= 1
                place = row.name
            }
            guard portion.more else { return (records, false) }
        }
        return (records, true)
    }
}
