/// The newest known write of each actor: the view of a replica, or of the author of a write.
///
/// A vector stands for all dots at or below its entries. As a set of dots ordered by inclusion it is a join
/// semilattice: `merge` is commutative, associative and idempotent.
/// Source: Parker et al., "Detection of Mutual Inconsistency in Distributed Systems", IEEE TSE 1983; dots: Almeida
/// et al., "Scalable and Accurate Causality Tracking for Eventually Consistent Stores", DAIS 2014.
///
/// ```
/// +--------------+------------------------------------------+
/// | count varint | count × (actor 32 bytes, counter varint) |   actors strictly ascending
/// +--------------+------------------------------------------+
/// ```
package struct VersionVector: Hashable, Sendable {
    /// One dot an actor, ascending by actor: the newest write of each.
    package private(set) var entries: [Dot]

    /// The vector that covers nothing.
    package init() {
        entries = []
    }

    /// The smallest vector that covers the dots.
    /// - Complexity: O(n log n).
    package init(covering dots: some Sequence<Dot>) {
        entries = []
        for dot in dots.sorted() where dot.counter > 0 {
            if entries.last?.actor == dot.actor {
                entries[entries.count - 1] = dot
            } else {
                entries.append(dot)
            }
        }
    }

    /// Takes over counters by actor; zeros are left out.
    /// - Complexity: O(n log n).
    package init(_ counters: [ActorID: UInt64]) {
        self.init(covering: counters.map { Dot(actor: $0.key, counter: $0.value) })
    }

    /// Whether nothing is covered.
    package var isEmpty: Bool { entries.isEmpty }

    /// The number of actors with an entry.
    package var count: Int { entries.count }

    /// The newest counter of an actor, 0 for none; setting 0 removes the entry.
    /// - Complexity: O(log n) to read, O(n) to add an actor.
    package subscript(actor: ActorID) -> UInt64 {
        get {
            let index = insertionIndex(of: actor)
            return index < entries.count && entries[index].actor == actor ? entries[index].counter : 0
        }
        set {
            let index = insertionIndex(of: actor)
            let isPresent = index < entries.count && entries[index].actor == actor
            switch (isPresent, newValue) {
            case (true, 0): entries.remove(at: index)
            case (false, 0): break
            case (true, _): entries[index] = Dot(actor: actor, counter: newValue)
            case (false, _): entries.insert(Dot(actor: actor, counter: newValue), at: index)
            }
        }
    }

    /// Whether the vector's author had seen this write.
    /// - Complexity: O(log n).
    package func covers(_ dot: Dot) -> Bool {
        dot.counter <= self[dot.actor]
    }

    /// Whether every dot that the other vector covers is covered.
    /// - Complexity: O(n + m).
    package func covers(_ other: VersionVector) -> Bool {
        var index = 0
        for dot in other.entries {
            while index < entries.count, entries[index].actor < dot.actor {
                index += 1
            }
            guard index < entries.count, entries[index].actor == dot.actor, entries[index].counter >= dot.counter
            else { return false }
        }
        return true
    }

    /// The first place whose actor is not below the given one.
    private func insertionIndex(of actor: ActorID) -> Int {
        entries.partitioningIndex { $0.actor < actor }
    }

    /// Takes over entries that are in order already.
    init(ascending entries: [Dot]) {
        self.entries = entries
    }
}

extension VersionVector: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeList(entries)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let count = try reader.readCount(maximum: Limits.actorCountMax, itemByteCountMin: Dot.byteCountMin)
        entries = []
        entries.reserveCapacity(count)
        for _ in 0..<count {
            let dot = try Dot(from: &reader)
            if let last = entries.last, last.actor >= dot.actor { throw .notAscending }
            entries.append(dot)
        }
    }
}

extension VersionVector: ExpressibleByDictionaryLiteral {
    /// Makes a vector of actors and counters; the larger counter wins for an actor named twice.
    package init(dictionaryLiteral elements: (ActorID, UInt64)...) {
        self.init(covering: elements.map { Dot(actor: $0.0, counter: $0.1) })
    }
}

extension VersionVector: CustomStringConvertible {
    package var description: String {
        "[" + entries.map(\.description).joined(separator: ", ") + "]"
    }
}
