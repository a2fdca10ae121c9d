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
    /// The edge of the tree over its entries.
    private var frontier = MerkleFrontier<LiveSetHashing>()

    /// The tree's root.
    package var root: Hash { frontier.root }
    /// Operations in the set.
    package var count: UInt64 { frontier.size }

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
    /// How much of each data log it covers.
    package var dataSizes: VersionVector {
        VersionVector(
            covering: logs.lazy.filter { $0.lane == .data }.map { Dot(actor: $0.actor, counter: $0.size) }
        )
    }
}
