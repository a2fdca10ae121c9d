import Wire

/// What a checkpoint says of the covered operations of one record.
struct LiveSetRecord {
    /// Those in the live set, ascending by dot.
    private(set) var live: [OperationSummary] = []
    /// Those outside of it.
    private(set) var dropped: [Dot] = []
    /// Of the latter the tombstones that nothing supersedes.
    private(set) var settled: [Dot] = []

    /// Sorts a record's operations.
    /// - Parameters:
    ///   - operations: All that is retained of the record, ascending by dot.
    ///   - sizes: What the checkpoint covers.
    ///   - previous: What the checkpoint before covered.
    init(_ operations: some Sequence<OperationSummary>, sizes: VersionVector, previous: VersionVector) {
        let covered = operations.filter {
            $0.state != .void && (sizes.covers($0.dot) || PlantedBug.dropSupersededEarly.isActive)
        }
        var domination = Domination()
        for operation in covered { domination.add(operation.dot, vector: operation.vector) }
        for operation in covered {
            // Nobody knows yet whether what lies behind a fork has been restated, so it stays here until that is done.
            let isWaiting = operation.state == .quarantined
            if domination.isCovered(operation.dot) {
                if isWaiting { continue }
                dropped.append(operation.dot)
            } else if operation.isTombstone,
                Self.lets(go: operation.dot, vector: operation.vector, sizes: sizes, previous: previous)
            {
                if isWaiting { continue }
                dropped.append(operation.dot)
                settled.append(operation.dot)
            } else {
                live.append(operation)
            }
        }
    }

    /// Whether a tombstone that nothing supersedes may be forgotten.
    /// - Parameters:
    ///   - dot: The tombstone.
    ///   - vector: What its author had seen of the record.
    ///   - sizes: What the checkpoint covers.
    ///   - previous: What the checkpoint before covered.
    /// - Returns: False while the checkpoint before did not cover it, or it deleted what this one does not cover.
    static func lets(go dot: Dot, vector: VersionVector, sizes: VersionVector, previous: VersionVector) -> Bool {
        guard sizes.covers(vector) || PlantedBug.collectTombstonesOfUncovered.isActive else { return false }
        return previous.covers(dot) || PlantedBug.collectTombstonesEarly.isActive
    }
}

extension ReplicaTransaction {
    /// Goes through what is retained of a zone, record by record, ascending by tag.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - tag: Begins behind this one; nil: at the beginning.
    ///   - body: Takes a record's operations, ascending by dot, and says whether to go on.
    /// - Throws: What the store or `body` throws.
    func forEachRecord(
        zone: ZoneID,
        after tag: RecordTag? = nil,
        _ body: (RecordTag, ArraySlice<OperationSummary>) throws -> Bool
    ) throws {
        var after = tag
        while true {
            let page = try summaries(zone: zone, after: after, limit: ReplicaLimits.pageRowCount)
            guard let last = page.last else { return }
            after = last.tag
            var start = page.startIndex
            while start < page.endIndex {
                let end = page[start...].firstIndex { $0.tag != page[start].tag } ?? page.endIndex
                guard try body(page[start].tag, page[start..<end]) else { return }
                start = end
            }
        }
    }
}
