import Capabilities
import Records
import Wire

// Anomalies in a run: operations that no honest program writes.
extension Committer {
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
    func anomalies(
        in run: Run,
        above sizeBefore: UInt64,
        _ applied: Applied,
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
            let state = try ZoneRights(zone, of: self, in: transaction).state
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
}

extension ControlState {
    /// Returns the reasons why an operation, or a part of it that delegates a right, is void.
    fileprivate func refusals(of entry: Hash) -> [VoidReason] {
        if case .void(let reason) = verdicts[entry] { return [reason] }
        return parts(of: entry).map(\.reason)
    }
}
