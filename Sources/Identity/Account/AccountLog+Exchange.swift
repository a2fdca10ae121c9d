import Sodium
package import Wire

extension AccountLog {
    /// The entries that count and that no other entry that counts descends from, ascending: together they stand for all of
    /// them.
    /// - Complexity: O(h log h).
    package var heads: [Hash] {
        headIndices.map { nodes[$0].hash }.sorted()
    }

    /// The entries that count and their ancestors, parents before children, in an order that is the same on every replica.
    ///
    /// Others are not told of entries that do not count. One that begins to count somewhere is behind that replica's heads
    /// from then on, and so reaches the others.
    /// - Complexity: O(n log n).
    package var entries: [[UInt8]] { entries(notIn: []) }

    /// All entries, parents before children, in the order in which they came: what is written to the disk.
    /// - Complexity: O(n).
    package var storedEntries: [[UInt8]] { nodes.map { $0.verified.bytes } }

    /// The names of ``storedEntries``.
    /// - Complexity: O(n).
    package var storedNames: [Hash] { nodes.map(\.hash) }

    /// Entries that a replica with the given heads lacks of ``entries``: every entry that is neither one of the heads nor an ancestor.
    /// - Parameter heads: What the other side has; heads that are unknown here say nothing and are skipped.
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
    /// - Parameter heads: What the other side has.
    /// - Returns: Those heads that are unknown here, in the order given.
    package func missing(from heads: [Hash]) -> [Hash] {
        heads.filter { indices[$0] == nil }
    }
}

extension Hash {
    /// The first bytes of a hash that stands for all heads.
    ///
    /// The name of an entry begins so once in 2^64 times, and nobody finds one that does.
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
