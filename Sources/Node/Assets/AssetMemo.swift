import Wire

/// The assets that readers read part by part: for each part the record is read, and not decoded again as long as it is the same.
///
/// A record may have a mebibyte, with thousands of assets.
struct AssetMemo: Sendable {
    /// An asset as a record shows it.
    struct Known: Sendable {
        /// The name of the record.
        let record: String
        /// The value.
        let descriptor: AssetDescriptor
    }

    /// The places that are remembered.
    private static let countMax = 8

    private struct Entry: Sendable {
        let zone: ZoneID
        let place: AssetPlace
        /// The content of the record by which the asset was found.
        let body: [UInt8]
        let known: Known

        func isOf(_ other: AssetPlace, in zone: ZoneID) -> Bool {
            self.zone == zone && place.item == other.item && place.field.isBytewiseEqual(to: other.field)
                && place.record.isBytewiseEqual(to: other.record)
        }
    }

    /// The one that was used last is the last.
    private var entries: [Entry] = []

    /// Begins without any.
    init() {}

    /// Returns the asset of a place, where the record has the content by which it was found.
    /// - Parameters:
    ///   - place: The place.
    ///   - zone: The zone of the record.
    ///   - body: The present content of the record, as it is stored.
    /// - Returns: The asset; `nil` where it is not remembered.
    /// - Complexity: O(bytes of the record), for the comparison.
    mutating func asset(at place: AssetPlace, in zone: ZoneID, of body: [UInt8]) -> Known? {
        guard let index = entries.firstIndex(where: { $0.isOf(place, in: zone) }) else { return nil }
        let entry = entries.remove(at: index)
        guard entry.body == body else { return nil }
        entries.append(entry)
        return entry.known
    }

    /// Remembers the asset of a place, in the place of the one that was not used for the longest time.
    mutating func note(_ known: Known, at place: AssetPlace, in zone: ZoneID, of body: [UInt8]) {
        entries.removeAll { $0.isOf(place, in: zone) }
        if entries.count == Self.countMax { entries.removeFirst() }
        entries.append(Entry(zone: zone, place: place, body: body, known: known))
    }
}
