import Wire

/// The names of a zone's records in a store in memory, in the order of their bytes.
struct MemoryNames: Sendable {
    private var rows: [(name: String, tag: RecordTag)] = []

    /// The number of rows.
    var count: Int { rows.count }

    /// Adds a name.
    mutating func insert(_ name: String, tag: RecordTag) {
        let index = index(of: name, tag: tag)
        if index < rows.count, rows[index].tag == tag { return }
        rows.insert((name, tag), at: index)
    }

    /// Takes a name away; nothing when it is not there.
    mutating func remove(_ name: String, tag: RecordTag) {
        let index = index(of: name, tag: tag)
        if index < rows.count, rows[index].tag == tag { rows.remove(at: index) }
    }

    /// The records whose names follow a name, and whether there are more than `limit`.
    func tags(after name: String?, limit: Int) -> (tags: [RecordTag], more: Bool) {
        let start = name.map { name in rows.partitioningIndex { !name.isBytewiseLess(than: $0.name) } } ?? 0
        return (rows[start...].prefix(limit).map(\.tag), rows.count - start > limit)
    }

    /// The index of a row, or the one at which it would be inserted.
    private func index(of name: String, tag: RecordTag) -> Int {
        rows.partitioningIndex { row in
            if row.name.isBytewiseLess(than: name) { return true }
            return !name.isBytewiseLess(than: row.name) && row.tag < tag
        }
    }
}
