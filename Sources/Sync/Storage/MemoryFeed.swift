import Wire

/// The change feed of a store in memory: each record once, at its newest position.
struct MemoryFeed: Sendable {
    /// One entry.
    struct Place: Sendable {
        var position: UInt64
        var zone: ZoneID
        var tag: RecordTag
        var bySync: Bool
        var isRetyped = false
    }

    private struct RecordKey: Hashable {
        var zone: ZoneID
        var tag: RecordTag
    }

    /// Ascending by position, with entries that a newer one of the same record has overtaken.
    private var places: [Place] = []
    /// Those of them that the inbox takes.
    private var messages: [Place] = []
    private var newest: [RecordKey: UInt64] = [:]
    private var retyped: Set<RecordKey> = []
    /// The last position that was given.
    private(set) var newestPosition: UInt64 = 0

    /// Takes the next position.
    mutating func take() -> UInt64 {
        newestPosition += 1
        return newestPosition
    }

    /// Gives a record the next position.
    mutating func append(zone: ZoneID, tag: RecordTag, bySync: Bool, isMessage: Bool) {
        newestPosition += 1
        places.append(Place(position: newestPosition, zone: zone, tag: tag, bySync: bySync))
        if isMessage { messages.append(places[places.count - 1]) }
        newest[RecordKey(zone: zone, tag: tag)] = newestPosition
        // Each pass drops at least half, so it costs each entry a constant.
        if places.count > 2 * newest.count + 64 {
            places = places.filter(isNewest)
            messages = messages.filter(isNewest)
        }
    }

    /// Notes that a record has, or had, another type than before.
    mutating func retype(zone: ZoneID, tag: RecordTag) {
        retyped.insert(RecordKey(zone: zone, tag: tag))
    }

    /// Entries behind a position, ascending.
    func places(zone: ZoneID?, after position: UInt64, limit: Int) -> [Place] {
        places(zones: zone.map { [$0] }, after: position, through: .max, limit: limit)
    }

    /// Entries of records that the inbox takes, behind a position, ascending.
    func messages(after position: UInt64, limit: Int) -> [Place] {
        Array(Self.behind(position, messages).lazy.filter(isNewest).map(described).prefix(limit))
    }

    /// Entries of some zones, or of all, behind a position and up to another, ascending.
    func places(zones: Set<ZoneID>?, after position: UInt64, through end: UInt64, limit: Int) -> [Place] {
        var found: [Place] = []
        for place in Self.behind(position, places) {
            if found.count >= limit || place.position > end { break }
            if let zones, !zones.contains(place.zone) { continue }
            guard isNewest(place) else { continue }
            found.append(described(place))
        }
        return found
    }

    private static func behind(_ position: UInt64, _ places: [Place]) -> ArraySlice<Place> {
        places[places.partitioningIndex { $0.position <= position }...]
    }

    private func described(_ place: Place) -> Place {
        var place = place
        place.isRetyped = retyped.contains(RecordKey(zone: place.zone, tag: place.tag))
        return place
    }

    private func isNewest(_ place: Place) -> Bool {
        newest[RecordKey(zone: place.zone, tag: place.tag)] == place.position
    }
}
