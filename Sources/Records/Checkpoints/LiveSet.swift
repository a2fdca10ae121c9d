import Sodium
package import Wire

/// The live operations under a checkpoint: the covered ones that no other covered operation supersedes.
///
/// The set is a function of the operations at or below the covered sizes alone. It leaves out tombstones that the
/// previous checkpoint already covered: every member has held them for a whole checkpoint, and a replica may have
/// pruned them or may never have received them. Two replicas therefore agree on the set whatever each has pruned. A
/// tombstone stays in the set if its author had seen a write that the checkpoint does not cover, such as one in a log
/// with two histories: no replica prunes that write, and without the tombstone it would be shown again.
///
/// ```
/// entry = H(live-set: 0x00 ‖ tag 32 B ‖ actor 32 B ‖ counter 8 B), entries ascending by (tag, actor, counter),
/// under a Merkle tree of RFC 6962's shape
/// ```
package struct LiveSet: Equatable, Sendable {
    /// The edge of the tree over its entries.
    private var frontier = MerkleFrontier<LiveSetHashing>()

    /// The tree's root.
    package var root: Hash { frontier.root }
    /// Operations in the set.
    package var count: UInt64 { frontier.size }

    /// Computes the set.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - sizes: The covered size of each data log.
    ///   - previous: The log sizes that the previous checkpoint covered.
    ///   - transaction: The store.
    /// - Throws: Any error of the store.
    /// - Complexity: O(retained operations).
    package init(
        zone: ZoneID,
        sizes: VersionVector,
        previous: VersionVector,
        in transaction: some ReplicaTransaction
    ) throws {
        try transaction.forEachRecord(zone: zone) { tag, operations in
            let record = LiveSetRecord(operations, sizes: sizes, previous: previous)
            for operation in record.live { frontier.append(Self.leaf(tag, operation.dot)) }
            return true
        }
    }

    static func leaf(_ tag: RecordTag, _ dot: Dot) -> Hash {
        var writer = WireWriter(capacity: 73)
        writer.writeByte(0x00)
        writer.write(tag)
        writer.write(dot.actor)
        writer.writeUInt64(dot.counter)
        return Hash(digesting: .liveSet, writer.bytes)
    }
}

extension Checkpoint {
    /// The size of each data log that it covers.
    package var dataSizes: VersionVector {
        VersionVector(
            covering: logs.lazy.filter { $0.lane == .data }.map { Dot(actor: $0.actor, counter: $0.size) }
        )
    }
}
