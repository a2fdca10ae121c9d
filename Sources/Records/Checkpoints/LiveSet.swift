import Sodium
package import Wire

/// What a checkpoint says is alive: the operations that no other covered operation supersedes.
///
/// The set is a function of the operations at or below the covered sizes alone. Tombstones that the checkpoint before
/// covered already are left out: every member has held them for a whole checkpoint, and a replica may have dropped them
/// or never have seen them. Two replicas therefore agree on the set whatever each has pruned. A tombstone stays whose author had seen a
/// write that is not covered, as those of a log with two histories are not: nobody forgets that write, and it would be shown again.
///
/// ```
/// entry = H(live-set: 0x00 ‖ tag 32 B ‖ actor 32 B ‖ counter 8 B), entries ascending by (tag, actor, counter),
/// under a Merkle tree of RFC 6962's shape
/// ```
package struct LiveSet: Equatable, Sendable {
    /// The tree's root.
    package private(set) var root: Hash = LiveSetHashing.emptyRoot
    /// Operations in the set.
    package private(set) var count: UInt64 = 0
    /// Covered operations outside the set, per actor: what adopting the checkpoint lets a replica forget.
    package private(set) var dropped: [ActorID: [UInt64]] = [:]
    /// Records with a covered tombstone that may be forgotten.
    package private(set) var settled: [RecordTag: [Dot]] = [:]

    /// Computes the set.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - sizes: How much of each data log is covered.
    ///   - previous: How much the checkpoint before covered.
    ///   - transaction: The store.
    /// - Throws: What the store throws.
    /// - Complexity: O(retained operations).
    package init(
        zone: ZoneID,
        sizes: VersionVector,
        previous: VersionVector,
        in transaction: some ReplicaTransaction
    ) throws {
        var frontier = MerkleFrontier<LiveSetHashing>()
        var after: RecordTag?
        while true {
            let page = try transaction.summaries(zone: zone, after: after, limit: ReplicaLimits.pageRowCount)
            guard let last = page.last else { break }
            after = last.tag
            var start = page.startIndex
            while start < page.endIndex {
                let end = page[start...].firstIndex { $0.tag != page[start].tag } ?? page.endIndex
                let covered = page[start..<end].filter {
                    $0.state != .void && (sizes.covers($0.dot) || PlantedBug.dropSupersededEarly.isActive)
                }
                for dot in add(covered, sizes: sizes, previous: previous) {
                    frontier.append(Self.leaf(page[start].tag, dot))
                }
                start = end
            }
        }
        count = frontier.size
        root = frontier.root
    }

    /// Sorts one record's covered operations into the set and the rest.
    private mutating func add(
        _ covered: [OperationSummary],
        sizes: VersionVector,
        previous: VersionVector
    ) -> [Dot] {
        var domination = Domination()
        for operation in covered { domination.add(operation.dot, vector: operation.vector) }
        var live: [Dot] = []
        for operation in covered {
            // Nobody knows yet whether what lies behind a fork has been restated, so it stays here until that is done.
            let isWaiting = operation.state == .quarantined
            if domination.isCovered(operation.dot) {
                if isWaiting { continue }
                dropped[operation.dot.actor, default: []].append(operation.dot.counter)
            } else if operation.isTombstone,
                Self.lets(go: operation.dot, vector: operation.vector, sizes: sizes, previous: previous)
            {
                if isWaiting { continue }
                dropped[operation.dot.actor, default: []].append(operation.dot.counter)
                settled[operation.tag, default: []].append(operation.dot)
            } else {
                live.append(operation.dot)
            }
        }
        return live
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

    private static func leaf(_ tag: RecordTag, _ dot: Dot) -> Hash {
        var writer = WireWriter(capacity: 73)
        writer.writeByte(0x00)
        writer.write(tag)
        writer.write(dot.actor)
        writer.writeUInt64(dot.counter)
        return Hash(digesting: .liveSet, writer.bytes)
    }
}

extension Checkpoint {
    /// How much of each data log it covers.
    package var dataSizes: VersionVector {
        VersionVector(
            covering: logs.lazy.filter { $0.lane == .data }.map { Dot(actor: $0.actor, counter: $0.size) }
        )
    }
}
