import Wire

/// The operations of a control log, each one once: by the right that they are written under, and
/// under each right by place.
struct ControlEntries: Sendable {
    private var byRight: [Hash: [ControlEntry]]
    /// Whether two devices claim one actor, which has no end then.
    private(set) var isAmbiguous: Bool

    init(_ entries: [ControlEntry]) {
        var known: Set<Hash> = []
        byRight = Dictionary(grouping: entries.filter { known.insert($0.hash).inserted }, by: \.right)
            .mapValues { $0.sorted { $0.place == $1.place ? $0.hash < $1.hash : $0.place < $1.place } }
        isAmbiguous = byRight.values.contains { entries in
            zip(entries, entries.dropFirst()).contains { $0.log == $1.log && $0.device != $1.device }
        }
    }

    /// The operations under a right, by place.
    subscript(right: Hash) -> [ControlEntry] { byRight[right] ?? [] }

    /// Whether there is an operation under a right.
    func hasAny(under right: Hash) -> Bool { byRight[right] != nil }

    /// The rights under which there are operations.
    var rights: some Collection<Hash> { byRight.keys }

    /// All operations.
    var all: some Sequence<ControlEntry> { byRight.values.joined() }

    /// Puts an operation in its place.
    /// - Returns: False for one that is there already.
    mutating func insert(_ entry: ControlEntry) -> Bool {
        byRight[entry.right, default: []].insert(entry, &isAmbiguous)
    }
}

extension [ControlEntry] {
    /// Puts an operation in its place in a list by place.
    /// - Parameters:
    ///   - entry: The operation.
    ///   - isAmbiguous: Set if another device claims its log.
    /// - Returns: False for one that is there already.
    fileprivate mutating func insert(_ entry: ControlEntry, _ isAmbiguous: inout Bool) -> Bool {
        let low = place(of: entry.place, entry.hash)
        if low < count, self[low].hash == entry.hash { return false }
        for other in [low - 1, low] where indices.contains(other) {
            if self[other].log == entry.log, self[other].device != entry.device { isAmbiguous = true }
        }
        insert(entry, at: low)
        return true
    }

    /// The index at which an operation is in a list by place, or would be.
    /// - Complexity: O(log n).
    private func place(of place: Dot, _ hash: Hash) -> Int {
        partitioningIndex { $0.place == place ? $0.hash < hash : $0.place < place }
    }

    /// Finds an operation in a list by place.
    /// - Complexity: O(log n).
    func entry(at place: Dot, _ hash: Hash) -> ControlEntry? {
        let index = self.place(of: place, hash)
        return index < count && self[index].hash == hash ? self[index] : nil
    }

    /// The logs of a list by place, of which no two devices claim one.
    /// - Complexity: O(logs · log n).
    var logs: [ArraySlice<ControlEntry>] {
        var logs: [ArraySlice<ControlEntry>] = []
        var end = count
        while end > 0 {
            let start = firstPlace(of: self[end - 1].place.actor, below: end)
            logs.append(self[start..<end])
            end = start
        }
        return logs
    }

    /// The logs of a list by place; of one that two devices claim, the parts of each.
    var logsByDevice: [ArraySlice<ControlEntry>] {
        var logs: [ArraySlice<ControlEntry>] = []
        var start = startIndex
        for index in indices.dropFirst()
        where self[index - 1].log != self[index].log || self[index - 1].device != self[index].device {
            logs.append(self[start..<index])
            start = index
        }
        if start < endIndex { logs.append(self[start...]) }
        return logs
    }

    /// The index at which, in a list by place, the operations of an actor that end at a place begin.
    /// - Complexity: O(log n).
    private func firstPlace(of actor: ActorID, below end: Int) -> Int {
        self[..<end].partitioningIndex { $0.place.actor < actor }
    }
}

extension ArraySlice<ControlEntry> {
    /// The index at which, in a log, the operations behind a counter begin.
    /// - Complexity: O(log n).
    func place(behind counter: UInt64) -> Int { partitioningIndex { $0.place.counter <= counter } }
}
