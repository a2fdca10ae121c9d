/// The pending changes, in the order in which they came, at most one a record.
struct PendingChanges: Hashable, Codable {
    struct Entry: Hashable, Codable {
        var change: SyncEngine.PendingChange
        /// Why it is not sent any more; `nil` while it is.
        var refusal: Problem?
        /// Differs for each further change of the record; not stored, since nothing is on its way after a start.
        var generation: UInt64 = 0
        /// Its place in the order; not stored either.
        fileprivate var place: UInt64 = 0

        enum CodingKeys: String, CodingKey { case change, refusal }

        static func == (mine: Entry, other: Entry) -> Bool {
            mine.change == other.change && mine.refusal == other.refusal
        }

        func hash(into hasher: inout Hasher) { hasher.combine(change) }
    }

    private struct Slot {
        var id: RecordID
        var place: UInt64
    }

    /// Holds slots of changes that are gone, until they are the greater part.
    private var order: [Slot] = []
    private var entries: [RecordID: Entry] = [:]
    /// Counts the changes that ever came in: the number of one is its generation, and its place if it is the first.
    private var taken: UInt64 = 0

    init() {}

    init(from decoder: any Decoder) throws {
        for entry in try [Entry](from: decoder) {
            add(entry.change)
            if let refusal = entry.refusal { hold(entry.change.id, refusal) }
        }
    }

    func encode(to encoder: any Encoder) throws { try Array(inOrder).encode(to: encoder) }

    static func == (mine: PendingChanges, other: PendingChanges) -> Bool { mine.inOrder.elementsEqual(other.inOrder) }
    func hash(into hasher: inout Hasher) { hasher.combine(Array(inOrder)) }

    var count: Int { entries.count }
    subscript(id: RecordID) -> Entry? { entries[id] }

    var inOrder: some Sequence<Entry> {
        order.lazy.compactMap { slot in
            entries[slot.id].flatMap { $0.place == slot.place ? $0 : nil }
        }
    }

    /// Takes a change in; one of the same record takes the place of an earlier one, which was refused or not.
    mutating func add(_ change: SyncEngine.PendingChange) {
        taken += 1
        let place = entries[change.id]?.place ?? taken
        if place == taken { order.append(Slot(id: change.id, place: place)) }
        entries[change.id] = Entry(change: change, generation: taken, place: place)
    }

    mutating func remove(_ id: RecordID) {
        guard entries.removeValue(forKey: id) != nil, order.count > 2 * entries.count + 16 else { return }
        order = order.filter { entries[$0.id]?.place == $0.place }
    }

    /// Names the zone of changes otherwise; they keep their places in the order.
    /// - Returns: The records, by their new names.
    mutating func rename(zone: String, to renamed: String) -> [RecordID] {
        var ids: [RecordID] = []
        for index in order.indices where order[index].id.zone.isSameName(as: zone) {
            let old = order[index].id
            guard var entry = entries[old], entry.place == order[index].place else { continue }
            let id = RecordID(zone: renamed, name: old.name)
            entries[old] = nil
            // A change of the same record that came under the new name is the newer one.
            guard entries[id] == nil else { continue }
            taken += 1
            entry.change = entry.change.renamed(id)
            entry.generation = taken
            entries[id] = entry
            order[index].id = id
            ids.append(id)
        }
        return ids
    }

    mutating func hold(_ id: RecordID, _ refusal: Problem) { entries[id]?.refusal = refusal }

    /// Lets changes of a zone that were refused be tried again.
    mutating func release(zone: String) {
        for slot in order where slot.id.zone.isSameName(as: zone) { entries[slot.id]?.refusal = nil }
    }
}
