import Queries
import Records
import Sync
import Wire

/// Answers requests about the records of a zone.
struct RecordRequests: RecordAPI {
    /// Writes in one atomic batch.
    static let atomicWriteCountMax = Int(Limits.batchOperationCountMax)
    /// Writes in one request that is not atomic.
    static let writeCountMax = 10_000
    /// Records asked for in one request.
    static let fetchCountMax = 1_000

    let store: CallerStore
    let writes: ProgramWrites

    // MARK: Writing

    func write(
        _ drafts: [RecordDraft],
        zone reference: String,
        atomic: Bool
    ) async throws(NodeError) -> [Result<RecordView, NodeError>] {
        let limit = atomic ? Self.atomicWriteCountMax : Self.writeCountMax
        guard (1...limit).contains(drafts.count) else {
            throw NodeError(
                .batchTooLarge,
                "\(atomic ? "An atomic batch" : "A batch") has 1 to \(limit) writes; this one has \(drafts.count).",
                fix: atomic ? "Split it, or send it with \"atomic\": false." : "Split it, or use import.",
                facts: [.limit(limit)]
            )
        }
        let read = drafts.map { draft in Result { () throws(NodeError) in try RecordWrite(draft) } }
        let requests = read.compactMap { if case .success(let request) = $0 { request } else { nil } }
        if atomic, let refusal = Self.firstFailure(read) { throw refusal }
        guard !requests.isEmpty else {
            _ = try await store.read { try store.zones.row(of: reference, in: $0).id }
            return Self.results([], of: read)
        }
        try await DefaultZones(store).make(namedBy: reference)
        let results = try await writes.perform(in: reference, isAtomic: atomic, isGrowing: true) { _, _ in requests }
        return Self.results(results, of: read)
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

    // MARK: Reading

    func record(zone reference: String, name: String) async throws(NodeError) -> RecordView {
        try await store.readBriefly { transaction in
            let zone = try store.zones.row(of: reference, in: transaction).id
            return try RecordView(try RecordRow.shown(name, zone: zone, in: transaction))
        }
    }

    func fetch(
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
        return try await store.read { transaction in
            let zone = try store.zones.row(of: reference, in: transaction).id
            var budget = AnswerBudget()
            return try names.map { name in
                do {
                    let row = try RecordRow.shown(name, zone: zone, in: transaction)
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

    func list(
        zone reference: String,
        after name: String?,
        limit: Int,
        showsInternal: Bool
    ) async throws(NodeError) -> RecordViewPage {
        try ArgumentRule.check(limit: limit, of: 1_000)
        return try await store.read { transaction in
            let zone = try store.zones.row(of: reference, in: transaction).id
            var listing = RecordListing(zone: zone, audience: RecordAudience(showsInternal: showsInternal), after: name)
            var budget = AnswerBudget()
            let page = try listing.page(limit: limit, in: transaction) { budget.takes($0.body.count) }
            return RecordViewPage(
                records: try page.records.map { try RecordView($0) },
                next: page.more ? listing.place : nil
            )
        }
    }

    func query(zone reference: String, _ request: QueryRequest) async throws(NodeError) -> QueryView {
        try ArgumentRule.check(limit: request.limit, of: QueryLimits.pageCountMax)
        guard request.query.sort.count <= QueryLimits.sortCountMax else {
            throw NodeError(
                .invalidArgument,
                "A query sorts by at most \(QueryLimits.sortCountMax) fields.",
                fix: "Leave the last ones out."
            )
        }
        try RecordAudience(showsInternal: request.showsInternal).check(type: request.query.type.string)
        let start = try request.start()
        return try await store.read { transaction in
            let zone = try store.zones.row(of: reference, in: transaction).id
            let page = try transaction.query(request.query, zone: zone, after: start, limit: request.limit)
            return QueryView(
                records: try page.records.map { try RecordView($0).showing(only: request.desiredKeys) },
                cursor: page.next.map { QueryCursor.text($0, of: request.query) }
            )
        }
    }
}

extension RecordView {
    /// About how many bytes its fields have.
    fileprivate var fieldByteCount: Int {
        fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.encoded.count }
    }
}

extension RecordAudience {
    /// Makes sure that a reader who asks for the records of a type sees them.
    func check(type: String) throws(NodeError) {
        guard !sees(type: type) else { return }
        throw NodeError(
            .invalidArgument,
            "Records of the type \"\(type)\" are the daemon's own, and left out by default.",
            fix: "Add \"internal\": true, or ?internal=true; `kairan` takes --internal.",
            facts: [.field("type")]
        )
    }
}

extension QueryRequest {
    /// The position behind which the answer begins; `nil` for the first page.
    fileprivate func start() throws(NodeError) -> QueryPosition? {
        guard let cursor else { return nil }
        do {
            return try QueryCursor.position(cursor, of: query)
        } catch {
            switch error {
            case .malformed:
                throw NodeError(
                    .queryBadCursor,
                    "The text is not a cursor.",
                    fix: "Use the `cursor` of the previous page, or begin without one."
                )
            case .ofAnotherQuery:
                throw NodeError(
                    .queryBadCursor,
                    "The cursor is of another query.",
                    fix: "Use the same type, where and sort as for the previous page, or begin without a cursor."
                )
            }
        }
    }
}
