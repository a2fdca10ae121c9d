/// A set of entries of one account log by their place in its storage, one bit each.
///
/// Ancestors of an entry are asked for all the time (is this removal's cut above that entry?), and a log has at most a
/// few thousand entries, so each entry keeps all of its ancestors.
struct EntrySet: Equatable, Sendable {
    private var words: [UInt64] = []

    /// Whether an entry is in the set.
    func contains(_ index: Int) -> Bool {
        let word = index >> 6
        guard word < words.count else { return false }
        return (words[word] >> UInt64(index & 63)) & 1 == 1
    }

    /// Whether the set has no entry.
    var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    /// Adds an entry.
    mutating func insert(_ index: Int) {
        let word = index >> 6
        if word >= words.count {
            words.append(contentsOf: repeatElement(0, count: word + 1 - words.count))
        }
        words[word] |= 1 << UInt64(index & 63)
    }

    /// Adds all entries of another set.
    /// - Complexity: O(entries / 64).
    mutating func formUnion(_ other: EntrySet) {
        if other.words.count > words.count {
            words.append(contentsOf: repeatElement(0, count: other.words.count - words.count))
        }
        for index in other.words.indices {
            words[index] |= other.words[index]
        }
    }

    /// The entries that are in both sets.
    /// - Complexity: O(entries / 64).
    func intersection(_ other: EntrySet) -> EntrySet {
        var both = EntrySet()
        both.words = zip(words, other.words).map { $0 & $1 }
        return both
    }

    /// The number of entries in the set.
    /// - Complexity: O(entries / 64).
    var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

    /// Whether some entry is in both sets.
    /// - Complexity: O(entries / 64).
    func intersects(_ other: EntrySet) -> Bool {
        zip(words, other.words).contains { $0 & $1 != 0 }
    }
}
