import Capabilities
import Records
import Wire

/// Anomalies in runs: operations that no honest program writes, and evidence that this device's keys are in use twice.
struct RunAnomalies {
    let committer: Committer

    /// Works within one transaction.
    init(_ committer: Committer) {
        self.committer = committer
    }

    /// Finds anomalies in operations that were stored just now.
    ///
    /// Statements about rights are judged by the verdicts of this moment. An operation that waits for a right or an
    /// account that is not known here yet is not checked again.
    /// - Parameters:
    ///   - run: The run.
    ///   - sizeBefore: The size of its log that was held before.
    ///   - applied: The result of applying the run.
    ///   - transaction: The store, with the run.
    /// - Returns: At most one of each kind and author.
    /// - Throws: Any error of the store.
    /// - Complexity: O(items of the run · log n) for a control log, else O(1).
    func find(
        in run: Run,
        above sizeBefore: UInt64,
        _ applied: AppliedOperations,
        in transaction: some NodeTransaction
    ) throws -> [Anomaly] {
        let head = run.signedHead.head
        var found = applied.void.map { void, count in
            Anomaly(
                Anomaly.Kind(void.reason),
                author: void.device,
                zone: head.zone,
                count: count,
                detail: "operations have no effect: \(void.reason)"
            )
        }
        if head.lane == .control, let zone = try transaction.zone(head.zone) {
            let state = try ZoneRights(zone, of: committer, in: transaction).state
            var refused: [Anomaly.Kind: (count: UInt64, code: String)] = [:]
            for case .operation(let operation) in run.items where operation.header.counter > sizeBefore {
                for reason in state.refusals(of: operation.header.leafHash) {
                    guard let kind = Anomaly.Kind(reason) else { continue }
                    refused[kind, default: (0, reason.code)].count &+= 1
                }
            }
            found += refused.map { kind, refusal in
                Anomaly(kind, author: head.device, zone: head.zone, count: refusal.count, detail: refusal.code)
            }
        }
        return found.sorted { ($0.kind.rawValue, $0.author?.text ?? "") < ($1.kind.rawValue, $1.author?.text ?? "") }
    }

    /// Whether a head proves that a copy of this device writes.
    ///
    /// It does if this device signed it in another lifetime than the store's present one, and it has seen operations
    /// of the present one. A lifetime that has ended cannot have seen the one that followed it, so a store that was
    /// restored, moved or rolled back proves nothing here. No other device can make such a head, since this device's
    /// keys sign it.
    /// - Parameters:
    ///   - head: A head whose signature is valid.
    ///   - transaction: The store.
    /// - Returns: False also while no lifetime has begun.
    /// - Throws: Any error of the store.
    /// - Complexity: O(1) but for heads by this device; of these O(logs of the zone).
    func provesClone(_ head: TreeHead, in transaction: some NodeTransaction) throws -> Bool {
        guard head.device == committer.device else { return false }
        let present = try transaction.incarnation()
        guard head.incarnation != present else { return false }
        return try transaction.logs(zone: head.zone).contains { row in
            row.device == committer.device && row.incarnation == present && row.key.lane == head.lane
                && head.seen[row.key.actor] > 0
        }
    }
}

extension ControlState {
    /// Returns the reasons why an operation, or a part of it that delegates a right, is void.
    fileprivate func refusals(of entry: Hash) -> [VoidReason] {
        if case .void(let reason) = verdicts[entry] { return [reason] }
        return parts(of: entry).map(\.reason)
    }
}
