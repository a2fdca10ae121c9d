import Identity
import Records
import Sync
import Wire

/// The law that an application's answer about its own write matches the outcome of the write.
struct AnswerLaw {
    private let evidence: Evidence
    /// Values of refused writes, which no store may ever hold.
    private var refused: Set<String> = []
    /// For each node the values of writes that its process reported as failed.
    private var failed: [Int: Set<String>] = [:]
    /// The fields that a record showed, and that a write without an answer so far does not keep.
    private var dropped: [OperationLibrary.Place: Set<String>] = [:]

    init(_ evidence: Evidence) { self.evidence = evidence }

    /// Takes note that a process has ended.
    ///
    /// A failed write may have reached the disk nevertheless, and be found by the next process.
    mutating func ended(_ node: SimulatedNode) { failed[node.index] = nil }

    /// Checks that a write that was refused or failed has left nothing behind.
    /// - Parameters:
    ///   - request: The request.
    ///   - answer: The answer.
    ///   - node: The node that answered.
    ///   - time: The time of the answer, in simulated milliseconds.
    /// - Throws: ``Violation``.
    mutating func check(_ request: WriteRequest, _ answer: Answer, node: Int, time: UInt64) throws {
        guard case .done(let commit) = answer else {
            for write in request.writes { failed[node, default: []].formUnion(write.marks) }
            return
        }
        for (write, result) in zip(request.writes, commit?.results.first ?? []) {
            switch result {
            case .failure(let refusal):
                refused.formUnion(write.marks)
                let found = evidence.ledger.writes.last { !$0.brought.isDisjoint(with: write.marks) }
                guard let found else { continue }
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
    private mutating func checkKept(_ write: RecordWrite, _ row: RecordRow, node: Int, time: UInt64) throws {
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
    /// - Throws: ``Violation``.
    mutating func checkOwn(_ places: [OperationLibrary.Place], isAlone: Bool, _ commit: ObservedCommit) throws {
        var seen: Set<RecordTag> = []
        for place in places {
            guard let entry = evidence.library.entries(at: place).last, let body = entry.body else { continue }
            let marks = body.marks
            guard marks.isDisjoint(with: refused), marks.isDisjoint(with: failed[commit.node] ?? []) else {
                throw commit.violation(.truthfulAnswer, "\(place) has a write that was answered as not written")
            }
            let tag = entry.operation.header.tag
            dropped[place] = nil
            guard isAlone, !evidence.library.forked.contains(place.key), seen.insert(tag).inserted,
                let row = try commit.before.record(zone: place.key.zone, tag: tag), !row.isDeleted
            else { continue }
            let fields = Set(try row.content().fields.map(\.name)).subtracting(body.fields.map(\.name))
            if !fields.isEmpty { dropped[place] = fields }
        }
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
