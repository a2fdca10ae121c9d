import Sodium
package import Wire

extension OperationHeader {
    /// The hash of the header's fields that are not in the leaf's prefix.
    /// - Complexity: O(vector).
    package var restHash: Hash { Hash(digesting: .operationRest, restBytes) }

    /// The operation's leaf in its log: `H(operation-leaf: 0x00 ‖ tag ‖ creation ‖ batch ‖ restHash)`.
    /// - Complexity: O(vector).
    package var leafHash: Hash { Hash(digesting: .operationLeaf, leafPrefixBytes + restHash.bytes) }
}

extension Operation {
    /// The hash that a header carries for a body.
    /// - Complexity: O(body).
    package static func bodyHash(_ body: [UInt8]) -> Hash {
        Hash(digesting: .operationBody, body)
    }

    /// An upper bound on the bytes this operation takes in a run, for budgets.
    package var byteCount: UInt64 {
        UInt64(body.count) &+ 208 &+ 42 &* UInt64(header.vector.count)
    }
}

extension Checkpoint {
    /// The hash by which a checkpoint is named in runs, zone states and later checkpoints.
    package var hash: Hash { Hash(digesting: .checkpointHash, encoded) }

    /// The size of a log that it covers; zero when it does not name the log.
    /// - Complexity: O(log n).
    package func size(_ log: ActorLane) -> UInt64 { position(log)?.size ?? 0 }

    /// The size of a log that it covers, with the root; nil when it does not name the log.
    /// - Complexity: O(log n).
    package func position(_ log: ActorLane) -> LogPosition? {
        let index = logs.partitioningIndex { $0.key < log }
        return index < logs.count && logs[index].key == log ? logs[index] : nil
    }
}
