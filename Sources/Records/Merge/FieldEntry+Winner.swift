import Sodium
package import Wire

extension [FieldEntry] {
    /// The entry that is shown: the greatest by clock, then actor, then the hash of the value.
    ///
    /// The order says nothing about which value is right, only that every replica shows the same one.
    /// - Returns: Nil for no entries.
    package var winner: FieldEntry? {
        guard let first, count > 1 else { return self.first }
        return dropFirst().reduce(first) { $0.isShown(before: $1) ? $1 : $0 }
    }

    /// Whether two entries of unequal value survive.
    package var hasConflict: Bool {
        guard let first, count > 1 else { return false }
        return contains { $0.value != first.value }
    }
}

extension FieldEntry {
    /// Whether the other one is the greater in the order of showing.
    package func isShown(before other: FieldEntry) -> Bool {
        if time != other.time { return time < other.time }
        if dot.actor != other.dot.actor { return dot.actor < other.dot.actor }
        if value != other.value { return valueHash < other.valueHash }
        return dot.counter < other.dot.counter
    }

    /// The hash that orders values which clock and actor do not.
    var valueHash: Hash { Hash(digesting: .valueHash, value.encoded) }
}

extension RecordField {
    /// The entry that is shown; see ``Swift/Array/winner``.
    package var winner: FieldEntry? { entries.winner }

    /// Whether two entries of unequal value survive.
    package var hasConflict: Bool { entries.hasConflict }
}

extension RecordBody {
    /// The names of the fields whose surviving values differ, ascending.
    package var conflictFields: [String] {
        fields.filter(\.hasConflict).map(\.name)
    }
}
