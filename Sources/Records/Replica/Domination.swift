import Wire

/// The operations of one record that are covered by another one's vector.
///
/// For each actor the greatest counter that any vector names, and the greatest that a second operation names: an
/// operation is covered by *another* one exactly when the greatest apart from its own reaches its counter. So a record
/// with many operations takes one pass, not one for each pair.
struct Domination {
    private var first: [ActorID: (counter: UInt64, by: Dot)] = [:]
    private var second: [ActorID: UInt64] = [:]

    /// Takes in an operation of the record.
    mutating func add(_ dot: Dot, vector: VersionVector) {
        for entry in vector.entries {
            guard let held = first[entry.actor] else {
                first[entry.actor] = (entry.counter, dot)
                continue
            }
            if entry.counter > held.counter {
                second[entry.actor] = held.counter
                first[entry.actor] = (entry.counter, dot)
            } else {
                second[entry.actor] = max(second[entry.actor] ?? 0, entry.counter)
            }
        }
    }

    /// Whether an operation that was not this one itself covers the dot.
    func isCovered(_ dot: Dot) -> Bool {
        guard let held = first[dot.actor] else { return false }
        let counter = held.by == dot ? second[dot.actor] ?? 0 : held.counter
        return counter >= dot.counter
    }
}
