import Wire

/// Marks as void the operations behind a fork that were never within their author's right.
///
/// A void operation supersedes nothing, and is in no live set. Behind a fork the stored state no longer shows that: there every operation waits to be
/// restated, or is marked as restated. The device that made a checkpoint over them did not know of the fork and left void ones out of the live set; a
/// replica that counted them would let them supersede, and prune, what they claim to have seen.
struct VoidBehindForks {
    private let zone: ZoneID
    /// The logs of the zone, once an operation has asked for them.
    private var logs: ZoneLogs?

    /// Looks at one zone, whose logs do not change meanwhile.
    init(zone: ZoneID) {
        self.zone = zone
    }

    /// Marks the operations of one record.
    /// - Parameters:
    ///   - operations: All retained operations of the record.
    ///   - transaction: The store.
    /// - Returns: The same ones; with the state `void` those behind a fork that are.
    /// - Throws: Any error of the store.
    /// - Complexity: O(operations); reads the bodies of a record of which operations are behind a fork.
    mutating func marking(
        _ operations: ArraySlice<OperationSummary>,
        in transaction: some ReplicaTransaction
    ) throws -> ArraySlice<OperationSummary> {
        let waiting: Set<OperationState> = [.quarantined, .restated]
        guard let tag = operations.first?.tag, operations.contains(where: { waiting.contains($0.state) }),
            let logs = try logs ?? transaction.zone(zone).map({ try ZoneLogs(zone: $0, in: transaction) })
        else { return operations }
        self.logs = logs
        func isBehindFork(_ dot: Dot) -> Bool {
            let proof = logs[LogKey(zone: zone, actor: dot.actor, lane: .data)]?.forkProof
            return proof.map { dot.counter > $0.forkPoint } ?? false
        }
        guard operations.contains(where: { waiting.contains($0.state) && isBehindFork($0.dot) }) else {
            return operations
        }
        let stored = try transaction.operations(zone: zone, tags: [tag], states: waiting)
        let void = try Set(
            stored.filter { try isBehindFork($0.dot) && !logs.allows($0, transaction.keyring) }.map(\.dot)
        )
        return ArraySlice(
            operations.map { operation in
                var marked = operation
                if void.contains(operation.dot) { marked.state = .void }
                return marked
            }
        )
    }
}
