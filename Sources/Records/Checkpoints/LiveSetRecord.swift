import Wire

/// The covered operations of one record, sorted into those that a checkpoint keeps in its live set and those that it
/// drops.
struct LiveSetRecord {
    /// The operations in the live set, ascending by dot.
    private(set) var live: [OperationSummary] = []
    /// The covered operations outside of it.
    private(set) var dropped: [Dot] = []
    /// The tombstones among the latter that nothing supersedes.
    private(set) var settled: [Dot] = []

    /// Sorts a record's operations.
    /// - Parameters:
    ///   - operations: All retained operations of the record, ascending by dot.
    ///   - sizes: The log sizes that the checkpoint covers.
    ///   - previous: The log sizes that the previous checkpoint covered.
    init(_ operations: some Sequence<OperationSummary>, sizes: VersionVector, previous: VersionVector) {
        let covered = operations.filter { $0.state != .void && sizes.covers($0.dot) }
        var domination = Domination()
        for operation in covered { domination.add(operation.dot, vector: operation.vector) }
        for operation in covered {
            // It is not known yet whether the operations behind a fork have been restated, so they stay until that is
            // done.
            let isWaiting = operation.state == .quarantined
            if domination.isCovered(operation.dot) {
                if isWaiting { continue }
                dropped.append(operation.dot)
            } else if operation.isTombstone,
                Self.mayPrune(operation.dot, vector: operation.vector, sizes: sizes, previous: previous)
            {
                if isWaiting { continue }
                dropped.append(operation.dot)
                settled.append(operation.dot)
            } else {
                live.append(operation)
            }
        }
        assert(live.count + dropped.count <= covered.count, "an operation is live or dropped, and not both")
        assert(settled.count <= dropped.count, "a deletion that is settled is dropped")
    }

    /// Whether a tombstone that nothing supersedes may be pruned.
    /// - Parameters:
    ///   - dot: The tombstone.
    ///   - vector: The operations of the record that its author had seen.
    ///   - sizes: The log sizes that the checkpoint covers.
    ///   - previous: The log sizes that the previous checkpoint covered.
    /// - Returns: False if the previous checkpoint did not cover the tombstone, or if it deleted an operation that
    ///   this checkpoint does not cover.
    static func mayPrune(_ dot: Dot, vector: VersionVector, sizes: VersionVector, previous: VersionVector) -> Bool {
        sizes.covers(vector) && previous.covers(dot)
    }
}

extension ReplicaTransaction {
    /// Visits the retained operations of a zone, record by record, ascending by tag.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - tag: The tag after which to begin; nil begins with the first record.
    ///   - body: Takes a record's operations, ascending by dot, and returns whether to continue.
    /// - Throws: Any error of the store or of `body`.
    func forEachRecord(
        zone: ZoneID,
        after tag: RecordTag? = nil,
        _ body: (RecordTag, ArraySlice<OperationSummary>) throws -> Bool
    ) throws {
        var after = tag
        var forks = VoidBehindForks(zone: zone)
        while true {
            let page = try summaries(zone: zone, after: after, limit: ReplicaLimits.pageRowCount)
            guard let last = page.last else { return }
            after = last.tag
            var start = page.startIndex
            while start < page.endIndex {
                let end = page[start...].firstIndex { $0.tag != page[start].tag } ?? page.endIndex
                let operations = try forks.marking(page[start..<end], in: self)
                guard try body(page[start].tag, operations) else { return }
                start = end
            }
        }
    }
}
