import Wire

/// An operation whose key is not here, as the author of a checkpoint regards it.
///
/// Its header is taken at its word until the operation is read. Then the operation may turn out to be void, and the
/// operations that it seemed to replace are the state of the record. A checkpoint that relied on the header would
/// make other replicas, which cannot read the operation either, prune exactly those.
struct UnreadOperation {
    /// The operation.
    let dot: Dot
    /// The readable effective operations that replace it with everything that it replaces: if the checkpoint covers
    /// one of them, the content of the operation makes no difference.
    let settledBy: [Dot]
}

extension UnreadOperation {
    /// The operations of a zone that are applied and whose keys are not here.
    /// - Complexity: O(operations of the locked records).
    static func all(
        zone: ZoneID,
        in transaction: some ReplicaTransaction
    ) throws -> [UnreadOperation] {
        var found: [UnreadOperation] = []
        var after: RecordTag?
        while true {
            let tags = try transaction.lockedRecords(zone: zone, after: after, limit: lockedPageCount)
            guard let last = tags.last else { return found }
            after = last
            let operations = try transaction.operations(zone: zone, tags: tags, states: [.live, .superseded])
            for (_, ofRecord) in Dictionary(grouping: operations, by: \.operation.header.tag) {
                let read = ofRecord.filter { !transaction.isLocked($0) }
                for unread in ofRecord where transaction.isLocked(unread) {
                    let vector = unread.operation.header.vector
                    let settling = read.filter { $0.operation.header.vector.covers(vector) }
                    found.append(UnreadOperation(dot: unread.dot, settledBy: settling.map(\.dot)))
                }
            }
        }
    }

    /// Records that are read at a time, with the bodies of all their operations.
    private static let lockedPageCount = 64
}
