import Records
import Sync
import Wire

extension Node {
    /// Writes in one atomic batch.
    static let atomicWriteCountMax = Int(Limits.batchOperationCountMax)
    /// Writes in one request that is not atomic.
    static let writeCountMax = 10_000

    /// See `NodeAPI`.
    package func write(
        _ writes: [RecordChange],
        zone reference: String,
        atomic: Bool
    ) async throws(NodeError) -> [Result<RecordView, NodeError>] {
        let limit = atomic ? Self.atomicWriteCountMax : Self.writeCountMax
        guard (1...limit).contains(writes.count) else {
            throw NodeError(
                .batchTooLarge,
                "\(atomic ? "An atomic batch" : "A batch") has 1 to \(limit) writes; this one has \(writes.count).",
                fix: atomic ? "Split it, or send it with \"atomic\": false." : "Split it, or use import.",
                facts: [.limit(limit)]
            )
        }
        let read = writes.map { change in Result { () throws(NodeError) in try RecordWrite(change) } }
        let requests = read.compactMap { if case .success(let request) = $0 { request } else { nil } }
        if atomic, let refusal = Self.firstFailure(read) { throw refusal }
        guard !requests.isEmpty else {
            _ = try await zone(reference)
            return Self.results([], of: read)
        }
        try await makeDefaultZone(namedBy: reference)
        let outcome: WriteOutcome = try await writing { [self] transaction in
            let zone = try row(of: reference, in: transaction).id
            if try GuestWrites(replica.committer).needsHost(requests, zone: zone, in: transaction) {
                try checkLimit(adding: requests, in: transaction)
                return try replica.question(requests, zone: zone, in: transaction)
            }
            return try withinLimit(zone: zone, in: &transaction) {
                try replica.write(requests, zone: zone, isAtomic: atomic, in: &$0)
            }
        }
        switch outcome {
        case .written(let results): return Self.results(results, of: read)
        case .asked(let question): return Self.results(try await ask(question, isAtomic: atomic), of: read)
        }
    }

    private static func firstFailure(_ writes: [Result<RecordWrite, NodeError>]) -> NodeError? {
        writes.lazy.compactMap { if case .failure(let refusal) = $0 { refusal } else { nil } }.first
    }

    /// Returns a result for each write: its refusal, or the record as it is afterwards.
    private static func results(
        _ results: [Result<RecordView, NodeError>],
        of writes: [Result<RecordWrite, NodeError>]
    ) -> [Result<RecordView, NodeError>] {
        var rest = results[...]
        return writes.map { write in
            switch write {
            case .success:
                rest.popFirst()
                    ?? .failure(NodeError(.internalError, "A write has no result.", fix: "Report this with the log."))
            case .failure(let refusal): .failure(refusal)
            }
        }
    }

    /// See `NodeAPI`.
    package func record(zone reference: String, name: String) async throws(NodeError) -> RecordView {
        try await reading { [self] transaction in
            let zone = try row(of: reference, in: transaction).id
            return try RecordView(try Self.record(name, zone: zone, in: transaction))
        }
    }

    static func record(_ name: String, zone: ZoneID, in transaction: any NodeTransaction) throws -> RecordRow {
        let tag = try RecordTag(of: name, zone: zone, in: transaction)
        guard let row = try transaction.record(zone: zone, tag: tag) else {
            throw NodeError(
                .recordUnknown,
                "The zone has no record \"\(name)\".",
                fix: "`kairan ls` lists the records."
            )
        }
        // A program that learns of the deletion drops its copy of the record.
        guard !row.isDeleted || !row.isLocked else {
            throw NodeError(
                .recordNotReadable,
                "\"\(name)\" is sealed under a key which this device does not have.",
                fix: "Let this device meet the zone's other devices; a device that joined later may never read it."
            )
        }
        guard !row.isDeleted else {
            throw NodeError(
                .recordDeleted,
                "\"\(name)\" was deleted.",
                fix: "Drop your copy of it; a write makes a new record of this name.",
                evidence: .deletion(try RecordView(row))
            )
        }
        return row
    }

    /// See `NodeAPI`.
    package func records(
        zone reference: String,
        after name: String?,
        limit: Int,
        showsInternal: Bool
    ) async throws(NodeError) -> RecordViewPage {
        guard (1...1_000).contains(limit) else {
            throw NodeError(.invalidArgument, "limit must be 1 to 1000.", fix: "Ask for fewer at a time.")
        }
        return try await reading { [self] transaction in
            let zone = try row(of: reference, in: transaction).id
            var listing = RecordListing(zone: zone, audience: RecordAudience(showsInternal: showsInternal), after: name)
            var budget = AnswerBudget()
            let page = try listing.page(limit: limit, in: transaction) { budget.takes($0.body.count) }
            return RecordViewPage(
                records: try page.records.map { try RecordView($0) },
                next: page.more ? listing.place : nil
            )
        }
    }
}

/// The outcome of a request to write.
enum WriteOutcome: Sendable {
    /// The writes were made or refused: one result a write.
    case written([Result<RecordView, NodeError>])
    /// Nothing was written; another device is to be asked to make the writes.
    case asked(GuestQuestion)
}

extension ReplicaService {
    /// Writes records.
    /// - Throws: `NodeError` for the first refused write of an atomic request.
    func write(
        _ writes: [RecordWrite],
        zone: ZoneID,
        isAtomic: Bool,
        in transaction: inout any NodeTransaction
    ) throws -> Changed<WriteOutcome> {
        let typed = try prepared(writes, zone: zone, in: transaction)
        let request = WriteRequest(typed, isAtomic: isAtomic)
        let written = try committer.commit([request], zone: zone, in: &transaction)
        let commit = written.reply
        var notice = written.notice
        var budget = AnswerBudget()
        let results = try zip(typed, commit.results.first ?? []).map { write, result in
            switch result {
            case .success(let row): return Result<RecordView, NodeError>.success(try RecordView(row))
            case .failure(let refusal):
                var error = NodeError(refusal, write: write)
                error.evidence = try Self.evidence(refusal, write, zone: zone, within: &budget, in: transaction)
                switch error.evidence {
                case .deletion: error.code = .recordDeleted
                case .conflict(let current, _):
                    // Other writes of the request may have changed the record since, or be undone: one answer names one state.
                    error.facts = error.facts.map { fact in
                        if case .currentVersion = fact { .currentVersion(current?.version ?? "") } else { fact }
                    }
                case nil: break
                }
                return .failure(error)
            }
        }
        if isAtomic, let refusal = Self.firstRefusal(results) { throw refusal }
        try Self.checkAnswer(commit.results.first ?? [])
        if let learnt = try Schemas(committer).learn(from: commit.changed, zone: zone, in: &transaction) {
            // The notice for the program names its own commit.
            let number = notice.number
            notice.merge(learnt)
            notice.number = number
        }
        return Changed(.written(results), notice: notice)
    }

    /// Returns the request for a device that administers the zone to make the writes.
    func question(
        _ writes: [RecordWrite],
        zone: ZoneID,
        in transaction: any NodeTransaction
    ) throws -> Changed<WriteOutcome> {
        Changed(.asked(GuestQuestion(zone: zone, writes: try prepared(writes, zone: zone, in: transaction))))
    }

    /// Returns the writes as changes of the zone's present records here, each with a type if it makes a record.
    private func prepared(
        _ writes: [RecordWrite],
        zone: ZoneID,
        in transaction: any NodeTransaction
    ) throws -> [RecordWrite] {
        let changes = try writes.map { write in
            guard write.hasMergeable else { return write }
            let tag = try RecordTag(of: write.name, zone: zone, in: transaction)
            return write.changing(try transaction.record(zone: zone, tag: tag)?.content())
        }
        return try typed(changes, zone: zone, in: transaction)
    }

    /// Gives each write of a new record a type, if its program gave none; a record that exists keeps its own.
    private func typed(
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

    /// The write that made an atomic request fail, rather than the ones that only fell with it.
    static func firstRefusal(_ results: [Result<RecordView, NodeError>]) -> NodeError? {
        let refusals = results.enumerated().compactMap { index, result -> NodeError? in
            guard case .failure(var error) = result else { return nil }
            error.facts.append(.index(index))
            return error
        }
        return refusals.first { $0.isItsOwn } ?? refusals.first
    }
}

extension RecordWrite {
    /// The type of a record without a given type.
    static let typeDefault = "Record"

    init(_ change: RecordChange) throws(NodeError) {
        // A record from a peer, under a name that no program here may give, can still be deleted.
        if !change.isDeletion { try Node.check(change.name, "a record's name") }
        if let type = change.type, ReservedType.isReserved(type), !change.isDeletion {
            throw NodeError(
                .invalidArgument,
                "Records of types that begin with \"\(ReservedType.prefix)\" are written by the daemon alone.",
                fix: "Choose another type; `kairan send` writes messages."
            )
        }
        var version: RecordVersion?
        if let text = change.ifVersion, !text.isEmpty {
            guard let parsed = RecordVersion(text: text) else {
                throw NodeError(
                    .invalidArgument,
                    "\"\(text)\" is not a version.",
                    fix: "Use the `version` that `kairan get` prints."
                )
            }
            version = parsed
        }
        self.init(
            name: change.name,
            type: change.type,
            set: change.fields.map { FieldAssignment(field: $0.name, value: $0.value) },
            remove: change.removed,
            increments: change.increments.map { CounterIncrement(field: $0.name, amount: $0.amount) },
            insertions: change.insertions.map { SetElements(field: $0.name, values: $0.elements) },
            withdrawals: change.withdrawals.map { SetElements(field: $0.name, values: $0.elements) },
            replaceAll: change.replacesAll,
            delete: change.isDeletion,
            ifVersion: version,
            ifAbsent: change.ifVersion == "",
            parent: change.parent
        )
    }
}
