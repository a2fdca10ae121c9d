package import Wire

extension AccountLog {
    /// The entries that no other entry names as a parent, ascending: together they stand for the whole set.
    /// - Complexity: O(h log h).
    package var heads: [Hash] {
        headIndices.map { nodes[$0].hash }.sorted()
    }

    /// The heads that fit a message or an entry's list of parents, ascending.
    ///
    /// More heads than fit exist only if somebody floods the log with side branches. Those that count come first, then
    /// those of the greatest generation.
    /// - Complexity: O(h log h).
    package var announcedHeads: [Hash] {
        guard headIndices.count > Limits.accountHeadCountMax else { return heads }
        let counting = AccountResolution(nodes: nodes).counting
        let ranked = headIndices.sorted { left, right in
            if counting[left] != counting[right] { return counting[left] }
            return nodes[left].place > nodes[right].place
        }
        return ranked.prefix(Limits.accountHeadCountMax).map { nodes[$0].hash }.sorted()
    }

    /// All entries, parents before children, in an order that is the same on every replica.
    /// - Complexity: O(n log n).
    package var entries: [[UInt8]] { entries(notIn: []) }

    /// What somebody with the given heads lacks: every entry that is neither one of them nor an ancestor.
    /// - Parameter heads: What the other side has; heads that are unknown here say nothing and are skipped.
    /// - Returns: Entries as they were received, parents before children.
    /// - Complexity: O(n log n).
    package func entries(notIn heads: [Hash]) -> [[UInt8]] {
        let known = past(of: heads)
        return nodes.indices.filter { !known.contains($0) }
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
