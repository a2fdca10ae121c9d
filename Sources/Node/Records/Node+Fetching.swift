import Records
import Sync
import Wire

extension Node {
    /// Records asked for in one request.
    static let fetchCountMax = 1_000

    /// See `NodeAPI`.
    package func fetch(
        _ names: [String],
        zone reference: String,
        keys: DesiredKeys?
    ) async throws(NodeError) -> [Result<RecordView, NodeError>] {
        guard (1...Self.fetchCountMax).contains(names.count) else {
            throw NodeError(
                .invalidArgument,
                "1 to \(Self.fetchCountMax) names can be fetched at once; these are \(names.count).",
                fix: "Fetch them in several requests.",
                facts: [.field("names"), .limit(Self.fetchCountMax)]
            )
        }
        return try await reading { [self] transaction in
            let zone = try row(of: reference, in: transaction).id
            var budget = AnswerBudget()
            return try names.map { name in
                do {
                    let row = try Self.record(name, zone: zone, in: transaction)
                    let view = try RecordView(row).showing(only: keys)
                    let byteCount = keys == nil ? row.body.count : view.fieldByteCount
                    return budget.takes(byteCount) ? .success(view) : .failure(Self.notInAnswer(name))
                } catch let error as NodeError {
                    return .failure(error)
                }
            }
        }
    }

    private static func notInAnswer(_ name: String) -> NodeError {
        NodeError(
            .answerTooLarge,
            "With \"\(name)\" the answer would have more than \(AnswerBudget.byteCountMax) bytes of records.",
            fix: "Fetch it in another request, or fewer of its fields."
        )
    }
}

extension RecordView {
    /// About how many bytes its fields have.
    fileprivate var fieldByteCount: Int {
        fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.encoded.count }
    }
}

extension ReplicaService {
    /// Returns the records that a program needs to merge, where its write named another version than the present one.
    /// - Parameters:
    ///   - refusal: The refusal of the write.
    ///   - write: The write.
    ///   - zone: Its zone.
    ///   - budget: The size that the answer may still add.
    ///   - transaction: The store, with the writes of the same request.
    /// - Returns: `nil` for other refusals, and when the records do not fit into the answer.
    /// - Throws: The errors of the store.
    static func evidence(
        _ refusal: WriteRefusal,
        _ write: RecordWrite,
        zone: ZoneID,
        within budget: inout AnswerBudget,
        in transaction: any NodeTransaction
    ) throws -> ErrorEvidence? {
        switch refusal {
        case .versionMismatch, .alreadyExists: break
        case .notFound:
            let tag = try RecordTag(of: write.name, zone: zone, in: transaction)
            // A later write of the same request may have made it.
            guard let row = try transaction.record(zone: zone, tag: tag), row.isDeleted else { return nil }
            return .deletion(try RecordView(row))
        default: return nil
        }
        let tag = try RecordTag(of: write.name, zone: zone, in: transaction)
        let row = try transaction.record(zone: zone, tag: tag)
        let current = try row.flatMap { $0.isDeleted ? nil : try RecordView($0) }
        var ancestor: RecordView?
        var byteCount = row?.body.count ?? 0
        if let version = write.ifVersion,
            let operation = try transaction.operation(zone: zone, tag: tag, version: version)
        {
            byteCount += operation.operation.body.count
            ancestor = try transaction.opened(operation, zone: zone).map { RecordView(operation, $0.body, zone: zone) }
        }
        return budget.takes(byteCount) ? .conflict(current: current, ancestor: ancestor) : nil
    }

    /// Refuses writes whose answer would be larger than an answer may be.
    /// - Throws: `NodeError` `batchTooLarge`, by which the writes are undone.
    static func checkAnswer(_ results: [Result<RecordRow, WriteRefusal>]) throws {
        var budget = AnswerBudget()
        for case .success(let row) in results where !budget.takes(row.body.count) {
            throw NodeError(
                .batchTooLarge,
                "The records of the batch would have more than \(AnswerBudget.byteCountMax) bytes; nothing was written.",
                fix: "Split it.",
                facts: [.limit(AnswerBudget.byteCountMax)]
            )
        }
    }
}

extension RecordView {
    /// The state in which one operation left a record.
    fileprivate init(_ operation: StoredOperation, _ body: RecordBody, zone: ZoneID) {
        let header = operation.operation.header
        self.init(
            zone: zone,
            name: body.name,
            type: body.type,
            fields: body.shownFields,
            version: RecordVersion(header.vector).text,
            isDeleted: body.isDeleted,
            createdBy: body.creator,
            modifiedBy: body.modifier,
            modifiedMilliseconds: header.time.milliseconds,
            conflicts: body.conflictFields.count,
            parent: body.parent
        )
    }
}
