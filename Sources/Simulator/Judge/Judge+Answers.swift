import Identity
import Records
import Sync
import Wire

// Checks that an application's answer about its own write matches the outcome of the write.
extension Judge {
    /// Checks that a write that was refused or failed has left nothing behind.
    /// - Parameters:
    ///   - request: The request.
    ///   - answer: The answer.
    ///   - node: The node that answered.
    ///   - time: The time of the answer, in simulated milliseconds.
    /// - Throws: `Violation`.
    func checkAnswer(_ request: WriteRequest, _ answer: Answer, node: Int, time: UInt64) throws {
        guard case .done(let commit) = answer else {
            for write in request.writes { failed[node, default: []].formUnion(write.marks) }
            return
        }
        for (write, result) in zip(request.writes, commit?.results.first ?? []) {
            switch result {
            case .failure(let refusal):
                refused.formUnion(write.marks)
                guard let found = ledger.writes.last(where: { !$0.brought.isDisjoint(with: write.marks) }) else {
                    continue
                }
                throw Violation(
                    .truthfulAnswer,
                    time: time,
                    node: node,
                    "\(found.place) has a write that was refused with \(refusal)"
                )
            case .success(let row):
                try checkKept(write, row, node: node, time: time)
            }
        }
    }

    /// Checks that a write changed the fields that it names and no other.
    private func checkKept(_ write: RecordWrite, _ row: RecordRow, node: Int, time: UInt64) throws {
        guard let dot = row.live.first, !write.delete, !write.replaceAll, !write.resolve else { return }
        let place = OperationLibrary.Place(
            key: LogKey(zone: row.zone, actor: dot.actor, lane: .data),
            counter: dot.counter
        )
        let missing = (dropped.removeValue(forKey: place) ?? []).subtracting(write.fields)
        guard let field = missing.min() else { return }
        throw Violation(.truthfulAnswer, time: time, node: node, "\(place) lost the field \(field)")
    }

    /// Checks that no write was committed whose answer to the application was a failure, and notes which fields a
    /// write dropped.
    /// - Parameters:
    ///   - places: The places of the operations that this node wrote.
    ///   - isAlone: Whether the transaction changed nothing else in the zone.
    ///   - commit: The transaction.
    /// - Throws: `Violation`.
    func checkOwnWrites(_ places: [OperationLibrary.Place], isAlone: Bool, _ commit: ObservedCommit) throws {
        var seen: Set<RecordTag> = []
        for place in places {
            guard let entry = library.entries(at: place).last, let body = entry.body else { continue }
            let told = refused.union(failed[commit.node] ?? [])
            guard body.marks.isDisjoint(with: told) else {
                throw commit.violation(.truthfulAnswer, "\(place) has a write that was answered as not written")
            }
            let tag = entry.operation.header.tag
            dropped[place] = nil
            guard isAlone, !library.forked.contains(place.key), seen.insert(tag).inserted,
                let row = try commit.before.record(zone: place.key.zone, tag: tag), !row.isDeleted
            else { continue }
            let fields = Set(try row.content().fields.map(\.name)).subtracting(body.fields.map(\.name))
            if !fields.isEmpty { dropped[place] = fields }
        }
    }

    /// Checks that a store does not go on in a log of which a peer has sent it its own operations: it was rolled
    /// back.
    /// - Parameters:
    ///   - place: The place at which an operation that was written before came in.
    ///   - commit: The transaction.
    /// - Throws: `Violation`.
    func checkTakenBack(_ place: OperationLibrary.Place, _ commit: ObservedCommit) throws {
        guard let incarnation = try commit.after.incarnation(),
            let log = try commit.after.log(place.key), log.device == commit.device, log.incarnation == incarnation
        else { return }
        throw commit.violation(.lifetime, "\(place) came back from a peer, and the store still writes to that log")
    }
}

extension RecordWrite {
    /// The values that distinguish the write from all others.
    fileprivate var marks: Set<String> {
        let values = set.map(\.value) + insertions.flatMap(\.values)
        return Set(values.compactMap { if case .string(let text) = $0 { text } else { nil } })
    }

    /// The fields that it names.
    fileprivate var fields: Set<String> {
        Set(set.map(\.field) + remove + increments.map(\.field) + insertions.map(\.field) + withdrawals.map(\.field))
    }
}
