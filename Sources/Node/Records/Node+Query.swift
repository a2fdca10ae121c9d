import Queries
import Records
import Sync
import Wire

extension Node {
    /// See `NodeAPI`.
    package func query(zone reference: String, _ request: QueryRequest) async throws(NodeError) -> QueryView {
        guard (1...QueryLimits.pageCountMax).contains(request.limit) else {
            throw NodeError(
                .invalidArgument,
                "limit must be 1 to \(QueryLimits.pageCountMax).",
                fix: "Ask for fewer at a time."
            )
        }
        guard request.query.sort.count <= QueryLimits.sortCountMax else {
            throw NodeError(
                .invalidArgument,
                "A query sorts by at most \(QueryLimits.sortCountMax) fields.",
                fix: "Leave the last ones out."
            )
        }
        try Self.check(type: request.query.type.string, for: RecordAudience(showsInternal: request.showsInternal))
        let start = try Self.start(of: request)
        return try await reading { [self] transaction in
            let zone = try row(of: reference, in: transaction).id
            let page = try transaction.query(request.query, zone: zone, after: start, limit: request.limit)
            return QueryView(
                records: try page.records.map { try RecordView($0).showing(only: request.desiredKeys) },
                cursor: page.next.map { QueryCursor.text($0, of: request.query) }
            )
        }
    }

    /// Makes sure that a reader who asks for the records of a type sees them.
    static func check(type: String, for audience: RecordAudience) throws(NodeError) {
        guard !audience.sees(type: type) else { return }
        throw NodeError(
            .invalidArgument,
            "Records of the type \"\(type)\" are the daemon's own, and left out by default.",
            fix: "Add \"internal\": true, or ?internal=true; `kairan` takes --internal.",
            facts: [.field("type")]
        )
    }

    private static func start(of request: QueryRequest) throws(NodeError) -> QueryPosition? {
        guard let cursor = request.cursor else { return nil }
        do {
            return try QueryCursor.position(cursor, of: request.query)
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
