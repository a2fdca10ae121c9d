package import Wire

/// One side of a conflict: the conflicting values that one operation wrote.
package struct ConflictSide: Sendable {
    /// The operation.
    package let dot: Dot
    /// The values, by field in the order of the record.
    package let values: [(name: String, value: FieldValue)]
}

extension RecordBody {
    /// The sides of the record's conflict, the one shown by reading first; none without a conflict.
    package var conflictSides: [ConflictSide] {
        var values: [Dot: [(name: String, value: FieldValue)]] = [:]
        var shown: Set<Dot> = []
        for field in fields where field.hasConflict {
            for entry in field.entries { values[entry.dot, default: []].append((field.name, entry.value)) }
            if let winner = field.winner { shown.insert(winner.dot) }
        }
        return values.map { ConflictSide(dot: $0.key, values: $0.value) }.sorted { left, right in
            let (first, second) = (shown.contains(left.dot), shown.contains(right.dot))
            return first == second ? left.dot < right.dot : first
        }
    }
}

/// A record whose concurrent writes disagree: its sides, and the state from which they parted.
package struct RecordConflict: Sendable {
    /// The record.
    package let body: RecordBody
    /// The sides, the one shown by reading first.
    package let sides: [ConflictSide]
    /// The devices that wrote the operations which are held and can be read.
    package let authors: [Dot: DeviceID]
    /// The newest operation still held that every side had seen, and that can be read here.
    package let ancestor: (dot: Dot, body: RecordBody)?

    /// Reads the operations of a record.
    /// - Throws: `ReplicaError.damaged`, or an error of the store.
    package init(_ row: RecordRow, in transaction: some ReplicaTransaction) throws {
        body = try row.content()
        sides = body.conflictSides
        let operations = try transaction.operations(zone: row.zone, tags: [row.tag], states: [.live, .superseded])
        authors = Dictionary(
            try operations.compactMap { operation in
                try transaction.opened(operation, zone: row.zone).map { (operation.dot, $0.body.modifier) }
            }
        ) { first, _ in first }
        let newest = Self.ancestor(of: sides.map(\.dot), among: operations)
        ancestor = try newest.flatMap { newest in
            try transaction.opened(newest, zone: row.zone).map { (newest.dot, $0.body) }
        }
    }

    private static func ancestor(of dots: [Dot], among operations: [StoredOperation]) -> StoredOperation? {
        let sides = operations.filter { dots.contains($0.dot) }.map(\.operation.header.vector)
        guard sides.count == dots.count else { return nil }
        let shared = operations.filter { candidate in
            !dots.contains(candidate.dot) && sides.allSatisfy { $0.covers(candidate.dot) }
        }
        return shared.max { ($0.operation.header.time, $0.dot) < ($1.operation.header.time, $1.dot) }
    }
}
