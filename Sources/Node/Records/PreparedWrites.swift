import Records
import Sync
import Wire

/// The writes of one request as changes of a zone's present records.
///
/// Each write that makes a record has a type, and the assets that a write names are those that are meant.
struct PreparedWrites: Sendable {
    let zone: ZoneID
    /// The writes to make.
    let writes: [RecordWrite]
    /// The refusals of writes that are not made, by their indexes in the request.
    private let refused: [Int: NodeError]

    /// Prepares writes.
    /// - Parameters:
    ///   - requests: The writes as a program asks for them.
    ///   - isAtomic: Whether all or none are made.
    ///   - zone: The zone.
    ///   - committer: The committer.
    ///   - transaction: The store; assets that the writes name are kept in it.
    /// - Throws: `NodeError` for the first refused write of an atomic request, and the errors of the store.
    init(
        _ requests: [RecordWrite],
        isAtomic: Bool,
        zone: ZoneID,
        by committer: Committer,
        in transaction: inout any NodeTransaction
    ) throws {
        self.zone = zone
        var (changes, refused): ([RecordWrite], [Int: NodeError]) = ([], [:])
        for (index, request) in requests.enumerated() {
            do {
                let write = try request.resolvingAssets(zone: zone, by: committer, in: &transaction)
                changes.append(try Self.changing(write, zone: zone, in: transaction))
            } catch let refusal as NodeError {
                guard !isAtomic else { throw refusal.ofWrite(at: index) }
                refused[index] = refusal
            }
        }
        writes = try Self.typed(changes, zone: zone, in: transaction)
        self.refused = refused
    }

    private static func changing(
        _ write: RecordWrite,
        zone: ZoneID,
        in transaction: any NodeTransaction
    ) throws -> RecordWrite {
        guard write.hasMergeable else { return write }
        let tag = try RecordTag(of: write.name, zone: zone, in: transaction)
        return write.changing(try transaction.record(zone: zone, tag: tag)?.content())
    }

    /// Gives each write of a new record a type, if its program gave none; a record that exists keeps its own.
    private static func typed(
        _ writes: [RecordWrite],
        zone: ZoneID,
        in transaction: any NodeTransaction
    ) throws -> [RecordWrite] {
        var typed = writes
        // Names that an earlier write of the same request makes exist, or not.
        var exists: [BytewiseString: Bool] = [:]
        for index in typed.indices {
            let name = typed[index].name
            let key = BytewiseString(name)
            if typed[index].type == nil, !typed[index].delete {
                let isNew: Bool
                if let known = exists[key] {
                    isNew = !known
                } else {
                    let tag = try RecordTag(of: name, zone: zone, in: transaction)
                    isNew = try transaction.record(zone: zone, tag: tag)?.isDeleted ?? true
                }
                if isNew { typed[index].type = RecordWrite.typeDefault }
            }
            exists[key] = !typed[index].delete
        }
        return typed
    }

    /// Makes the writes.
    /// - Parameters:
    ///   - isAtomic: Whether all or none are made.
    ///   - committer: The committer.
    ///   - transaction: The store.
    /// - Returns: For each write the record as it left it, or its refusal.
    /// - Throws: `NodeError` for the first refused write of an atomic request.
    func commit(
        isAtomic: Bool,
        by committer: Committer,
        in transaction: inout any NodeTransaction
    ) throws -> Changed<[Result<RecordView, NodeError>]> {
        guard !writes.isEmpty else { return Changed(withRefused([])) }
        let written = try committer.commit(
            [WriteRequest(writes, isAtomic: isAtomic)],
            zone: zone,
            in: &transaction
        )
        let rows = written.reply.results.first ?? []
        var budget = AnswerBudget()
        let made = try zip(writes, rows).map { write, result -> Result<RecordView, NodeError> in
            switch result {
            case .success(let row): .success(try RecordView(row))
            case .failure(let refusal): .failure(try told(refusal, of: write, within: &budget, in: transaction))
            }
        }
        let results = withRefused(made)
        if isAtomic, let refusal = results.firstRefusal { throw refusal }
        try Self.checkAnswer(rows)
        var notice = written.notice
        if let learnt = try Schemas(committer).learn(from: written.reply.changed, zone: zone, in: &transaction) {
            // The notice for the program names its own commit.
            let number = notice.number
            notice.merge(learnt)
            notice.number = number
        }
        return Changed(results, notice: notice)
    }

    /// Returns the results of all writes of the request, in its order.
    /// - Parameter made: The results of the writes that were made, or were refused in the attempt.
    /// - Returns: A result for each write.
    func withRefused(_ made: [Result<RecordView, NodeError>]) -> [Result<RecordView, NodeError>] {
        guard !refused.isEmpty else { return made }
        var rest = made[...]
        var results: [Result<RecordView, NodeError>] = []
        for index in 0..<made.count + refused.count {
            if let refusal = refused[index] {
                results.append(.failure(refusal))
            } else if let result = rest.popFirst() {
                results.append(result)
            }
        }
        return results
    }

    // MARK: Refusals

    private func told(
        _ refusal: WriteRefusal,
        of write: RecordWrite,
        within budget: inout AnswerBudget,
        in transaction: any NodeTransaction
    ) throws -> NodeError {
        var error = NodeError(refusal, write: write)
        error.evidence = try evidence(refusal, write, within: &budget, in: transaction)
        switch error.evidence {
        case .deletion: error.code = .recordDeleted
        case .conflict(let current, _):
            // Other writes of the request may have changed the record since, or be undone: one answer names one state.
            error.facts = error.facts.map { fact in
                if case .currentVersion = fact { .currentVersion(current?.version ?? "") } else { fact }
            }
        case nil: break
        }
        return error
    }

    /// Returns the records that a program needs to merge, where its write named another version than the present one.
    /// - Parameters:
    ///   - refusal: The refusal of the write.
    ///   - write: The write.
    ///   - budget: The size that the answer may still add.
    ///   - transaction: The store, with the writes of the same request.
    /// - Returns: `nil` for other refusals, and when the records do not fit into the answer.
    /// - Throws: The errors of the store.
    private func evidence(
        _ refusal: WriteRefusal,
        _ write: RecordWrite,
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
    private static func checkAnswer(_ results: [Result<RecordRow, WriteRefusal>]) throws {
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

extension [Result<RecordView, NodeError>] {
    /// The write that made an atomic request fail, rather than the ones that only fell with it.
    var firstRefusal: NodeError? {
        let refusals = enumerated().compactMap { index, result -> NodeError? in
            guard case .failure(let error) = result else { return nil }
            return error.ofWrite(at: index)
        }
        return refusals.first { $0.isItsOwn } ?? refusals.first
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
