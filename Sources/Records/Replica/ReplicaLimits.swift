/// Bounds of a replica that are its own choice: other values would still be the same protocol.
package enum ReplicaLimits {
    /// Operations of one log that may wait for operations that their author had seen: two full runs, so that a
    /// waiting log can still take the run that lets others continue.
    package static let pendingOperationCountMax: UInt64 = 32_768
    /// Bytes of such operations in one log.
    package static let pendingByteCountMax: UInt64 = 256 * 1_048_576
    /// Operations after which a signed head is kept for good, so that a peer can be served from near its own size.
    package static let headSpacingOperationCount: UInt64 = 256
    /// Bytes after which a signed head is kept for good.
    package static let headSpacingByteCount: UInt64 = 1_048_576
    /// Operations between retained heads beyond which no head between them is dropped: a run from any retained head to
    /// the next stays well below `Limits.runItemCountMax`.
    package static let headDistanceOperationCountMax: UInt64 = 4_096
    /// Bytes between retained heads beyond which no head between them is dropped.
    package static let headDistanceByteCountMax: UInt64 = 4 * 1_048_576
    /// The divisor that bounds the subtrees of a skeleton.
    ///
    /// A subtree has at most this part of the leaves behind its beginning. At most that many more operations than
    /// necessary may be restated of a long history.
    package static let skeletonFineness: UInt64 = 64
    /// Records that one call restates at most.
    package static let restatedRecordCountMax = 1_000
    /// Bytes of operations under one head of a local commit; a larger group is signed in several heads.
    package static let commitByteCountMax: UInt64 = 4 * 1_048_576
    /// Bytes of one atomic batch.
    ///
    /// It has to fit a run with room for the head.
    package static let batchByteCountMax: UInt64 = 12 * 1_048_576
    /// Bytes of a record's encoded body.
    package static let recordByteCountMax = 1_048_576
    /// Bytes of the items in a run that this replica sends; the head of up to 192 KiB comes on top.
    package static let runByteCountMax: UInt64 = 15 * 1_048_576
    /// Operations since the last checkpoint after which one is due.
    package static let checkpointOperationCount: UInt64 = 10_000
    /// Milliseconds after which a checkpoint is due if there is anything new to cover.
    package static let checkpointIntervalMilliseconds: UInt64 = 24 * 60 * 60 * 1_000
    /// The maximum number of operations that one step prunes under a checkpoint, so that the writer is soon free for
    /// others.
    package static let prunedOperationCount = 96
    /// Operations after which the search for the next step ends, so that its snapshot is soon given back.
    package static let pruningScanRowCount = 8 * pageRowCount
    /// The maximum number of leaves that a transaction reads to adopt a checkpoint beside its own work; with more it
    /// is done in a snapshot.
    package static let soonAdoptedCount: UInt64 = 1_024
    /// The maximum number of checkpoints that wait to be adopted; the oldest are dropped first, since a newer one
    /// covers as much.
    package static let candidateCountMax = 16
    /// The maximum number of deposited operations that are kept above a cut.
    package static let depositOperationCountMax: UInt64 = 1_000
    /// Bytes of such operations in one log.
    package static let depositByteCountMax: UInt64 = 16 * 1_048_576
    /// Logs of one device, or under one right of another account, of which something is kept above the cut.
    package static let depositLogCountMax = 16
    /// Logs of which something is kept above the cut, under all rights that descend from one grant of an owner.
    package static let grantDepositLogCountMax = 64
    /// The maximum number of one device's incarnations that are effective in a lane under one right: a store begins
    /// one when it was restored, copied or forked.
    package static let incarnationCountMax = 64
    /// The maximum number of one device's incarnations that are held in a lane under one right, ineffective ones
    /// included.
    package static let heldIncarnationCountMax = 4 * incarnationCountMax
    /// Places in a lane that are reserved for logs of accounts that rule the zone, and for logs that held operations
    /// wait for.
    package static let reservedLogCount = 1_024
    /// Rows read at once in passes over a whole zone or log.
    package static let pageRowCount = 1_024
}
