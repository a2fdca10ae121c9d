/// A dictionary with room for so many entries; the one that was used least recently makes way.
///
/// The entries are a list threaded through an array, the most recently used first: no entry is ever moved, and each
/// operation is O(1).
struct RecencyMap<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        var key: Key
        var value: Value
        /// Neighbours in the list; the entry itself at its ends.
        var newer: Int
        var older: Int
    }

    /// The number of entries that there is room for.
    let capacity: Int
    /// The number of evicted entries.
    private(set) var evictedCount: UInt64 = 0
    private var places: [Key: Int] = [:]
    private var entries: [Entry] = []
    private var newest = 0
    private var oldest = 0

    /// Makes an empty one.
    /// - Precondition: there is room for one entry at least.
    init(capacity: Int) {
        precondition(capacity > 0, "a map has room for one entry at least")
        self.capacity = capacity
    }

    /// The number of entries.
    var count: Int { entries.count }

    /// The keys, the most recently used first.
    var keys: [Key] {
        var keys: [Key] = []
        var place = newest
        while keys.count < entries.count {
            keys.append(entries[place].key)
            place = entries[place].older
        }
        return keys
    }

    /// Returns the value of a key, and records a use of it.
    mutating func use(_ key: Key) -> Value? {
        guard let place = places[key] else { return nil }
        moveToFront(place)
        return entries[place].value
    }

    /// Puts a value in, as the most recently used.
    mutating func insert(_ value: Value, for key: Key) {
        if let place = places[key] {
            entries[place].value = value
            moveToFront(place)
        } else if entries.count < capacity {
            let place = entries.count
            entries.append(Entry(key: key, value: value, newer: place, older: place))
            places[key] = place
            linkInFront(place)
        } else {
            evictedCount &+= 1
            let place = oldest
            places[entries[place].key] = nil
            places[key] = place
            moveToFront(place)
            entries[place].key = key
            entries[place].value = value
        }
    }

    private mutating func moveToFront(_ place: Int) {
        guard place != newest else { return }
        let (newer, older) = (entries[place].newer, entries[place].older)
        if place == oldest {
            oldest = newer
            entries[newer].older = newer
        } else {
            entries[newer].older = older
            entries[older].newer = newer
        }
        linkInFront(place)
    }

    private mutating func linkInFront(_ place: Int) {
        entries[place].newer = place
        entries[place].older = newest
        if newest != place { entries[newest].newer = place }
        newest = place
        // The first entry of all, which `newest` named before it was there, is both ends.
        if entries.count == 1 { oldest = place }
    }
}
