/// The pending changes of zones, in the order in which they came, at most one a zone.
struct PendingZoneChanges: Hashable, Codable {
    struct Entry: Hashable, Codable {
        var change: SyncEngine.PendingZoneChange
        /// Why it is not sent any more; `nil` while it is.
        var refusal: Problem?
        /// Differs for each further change of the zone; not stored, since nothing is on its way after a start.
        var generation: UInt64 = 0

        enum CodingKeys: String, CodingKey { case change, refusal }

        static func == (mine: Entry, other: Entry) -> Bool {
            mine.change == other.change && mine.refusal == other.refusal
        }

        func hash(into hasher: inout Hasher) { hasher.combine(change) }
    }

    private(set) var entries: [Entry] = []
    private var taken: UInt64 = 0

    init() {}

    init(from decoder: any Decoder) throws {
        for entry in try [Entry](from: decoder) {
            add(entry.change)
            if let refusal = entry.refusal { hold(entry.change.zone, refusal) }
        }
    }

    func encode(to encoder: any Encoder) throws { try entries.encode(to: encoder) }

    static func == (mine: PendingZoneChanges, other: PendingZoneChanges) -> Bool { mine.entries == other.entries }
    func hash(into hasher: inout Hasher) { hasher.combine(entries) }

    /// The change of a zone; names are bytes.
    subscript(zone: String) -> Entry? { place(of: zone).map { entries[$0] } }

    private func place(of zone: String) -> Int? { entries.firstIndex { $0.change.zone.isSameName(as: zone) } }

    mutating func add(_ change: SyncEngine.PendingZoneChange) {
        taken += 1
        let entry = Entry(change: change, generation: taken)
        if let place = place(of: change.zone) { entries[place] = entry } else { entries.append(entry) }
    }

    mutating func remove(_ zone: String) { entries.removeAll { $0.change.zone.isSameName(as: zone) } }

    mutating func hold(_ zone: String, _ refusal: Problem) {
        if let place = place(of: zone) { entries[place].refusal = refusal }
    }
}
