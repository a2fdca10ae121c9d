package import Wire

/// The logs that share the places of those of which something is kept above the cut.
package enum DepositRoom: Hashable, Sendable {
    /// Those of the log's device: a removed device takes no place from another device of its account.
    case ofDevice
    /// Those under the log's right: another account has one room, whatever devices it makes up.
    ///
    /// The rights that descend from the same grant of an owner share a greater room: an account that may delegate can
    /// make up accounts, too.
    case ofRight(sharing: Set<Hash>)
}

/// The part of a run above its log's cut that is kept.
package enum KeptAboveCut: Hashable, Sendable {
    /// Nothing: the run is refused.
    case nothing
    /// The operations that their author uploads for people to decide about.
    case deposit(DepositRoom)
    /// The operations up to the size that the statement names which ended the right. They become effective when the log
    /// reaches that size.
    case upTo(UInt64)

    func hasRoom(_ size: UInt64, above limit: UInt64) -> Bool {
        switch self {
        case .nothing: false
        case .deposit: size &- limit <= ReplicaLimits.depositOperationCountMax
        case .upTo(let end): size <= end && size &- limit <= ReplicaLimits.pendingOperationCountMax
        }
    }

    /// Whether a checkpoint may explain the gaps of the run: others pruned them while that part of the log was
    /// effective, and it still is for them.
    var mayHaveGaps: Bool {
        if case .upTo = self { true } else { false }
    }

    /// The logs that share the places.
    private var room: DepositRoom {
        // If a stated end is due, the ending names the log, so no device can have invented the log.
        if case .deposit(let room) = self { room } else { .ofDevice }
    }

    var byteCountMax: UInt64 {
        switch self {
        case .nothing: 0
        case .deposit: ReplicaLimits.depositByteCountMax
        case .upTo: ReplicaLimits.pendingByteCountMax
        }
    }

    /// Whether something of one more log may be kept above its cut: a device can begin any number of them.
    /// - Parameters:
    ///   - row: The log.
    ///   - kept: The zone's other data logs of which something is kept above the cut.
    /// - Returns: Whether the bounds of the room allow one more log.
    /// - Complexity: O(logs in `kept`).
    package func hasPlace(for row: LogRow, beside kept: [LogRow]) -> Bool {
        switch room {
        case .ofDevice:
            return kept.count { $0.device == row.device } < ReplicaLimits.depositLogCountMax
        case .ofRight(let rights):
            return kept.count { $0.right == row.right } < ReplicaLimits.depositLogCountMax
                && kept.count { rights.contains($0.right) } < ReplicaLimits.grantDepositLogCountMax
        }
    }
}
