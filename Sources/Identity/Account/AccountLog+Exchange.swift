import Sodium
package import Wire

extension AccountLog {
    /// The effective entries from which no other effective entry descends, ascending: together they stand for all of
    /// them.
    /// - Complexity: O(h log h).
    package var heads: [Hash] {
        headIndices.map { nodes[$0].hash }.sorted()
    }

    /// The effective entries and their ancestors, parents before children, in an order that is the same on every
    /// replica.
    ///
    /// Ineffective entries are not sent to others. One that becomes effective on a replica is an ancestor of that
    /// replica's heads from then on, or one of them, and so reaches the others.
    /// - Complexity: O(n log n).
    package var entries: [[UInt8]] { entries(notIn: []) }

    /// All entries, parents before children, in the order in which they came: the form in which the log is stored.
    /// - Complexity: O(n).
    package var storedEntries: [[UInt8]] { nodes.map { $0.verified.bytes } }

    /// The names of ``storedEntries``.
    /// - Complexity: O(n).
    package var storedNames: [Hash] { nodes.map(\.hash) }

    /// Entries that a replica with the given heads lacks of ``entries``: every entry that is neither one of the heads nor an ancestor.
    /// - Parameter heads: The heads of the other side; those that are unknown here are skipped.
    /// - Returns: Entries as they were received, parents before children.
    /// - Complexity: O(n log n).
    package func entries(notIn heads: [Hash]) -> [[UInt8]] {
        let known = past(of: heads)
        return nodes.indices.filter { needed.contains($0) && !known.contains($0) }
            .sorted { nodes[$0].place < nodes[$1].place }
            .map { nodes[$0].verified.bytes }
    }

    /// Entries and all of their ancestors; unknown ones are skipped.
    func past(of heads: [Hash]) -> EntrySet {
        var past = EntrySet()
        for head in heads {
            guard let index = indices[head] else { continue }
            past.formUnion(nodes[index].ancestors)
            past.insert(index)
        }
        return past
    }

    /// The heads among those given that are not here: a reason to ask for entries.
    /// - Parameter heads: The heads of the other side.
    /// - Returns: Those heads that are unknown here, in the order given.
    package func missing(from heads: [Hash]) -> [Hash] {
        heads.filter { indices[$0] == nil }
    }
}

extension Hash {
    /// The first bytes of a hash that stands for all heads.
    ///
    /// The hash of an entry begins so once in 2^64 times, and no attacker finds one that does.
    private static let manyHeadsPrefix = [UInt8](repeating: 0xFF, count: 8)

    /// The hash that is named beside heads where there are too many to name.
    init(ofManyHeads heads: [Hash]) {
        let hash = Hash.hash(.accountHeads, heads.flatMap(\.bytes))
        let prefix = Self.manyHeadsPrefix
        self = Hash(Digest32(prefix + hash.bytes.dropFirst(prefix.count)) ?? .zero)
    }

    /// Whether it stands for all heads of an account's log, and is none of them: no entry may name it as a parent.
    package var isOfManyHeads: Bool { bytes.starts(with: Self.manyHeadsPrefix) }
}
