import FoundationEssentials
import KairanClient
import KairanInterface
import Queries
import Wire

extension MemoryCore {
    /// The condition of a request, read by the daemon's own parser.
    /// - Throws: `query.bad_predicate`.
    static func predicate(_ text: String) throws(MemoryRefusal) -> Queries.Predicate {
        do {
            return try PredicateParser.parse(text, forms: .interface)
        } catch {
            throw .badPredicate(error.description)
        }
    }

    /// The type of a request.
    /// - Throws: `invalid_argument`.
    static func type(_ type: String) throws(MemoryRefusal) -> String {
        guard (1...Limits.nameByteCountMax).contains(type.utf8.count) else {
            throw .invalid("type", "a name has 1 to \(Limits.nameByteCountMax) bytes")
        }
        return type
    }

    /// Checks that a reader that asks for the records of a type may see them.
    /// - Throws: `invalid_argument`.
    static func checkAudience(of type: String, showsInternal: Bool) throws(MemoryRefusal) {
        guard showsInternal || !MemoryName.isReserved(type) else {
            throw .invalid("type", "records of the type \"\(type)\" are the daemon's own")
        }
    }

    func query(_ request: MemoryRequest) throws(MemoryRefusal) -> QueryAnswer {
        guard let type = request.text("type") else { throw .invalid("type", "it is missing") }
        var sort: [SortField] = []
        for (index, text) in (request["sort"]?.elements ?? []).compactMap(\.text).enumerated() {
            guard let field = SortField(text: text) else {
                throw .invalid("sort[\(index)]", "a field, or @ and a system field, is expected")
            }
            sort.append(field)
        }
        let query = Query(
            type: try Self.type(type),
            predicate: try request.text("where").map { text throws(MemoryRefusal) in try Self.predicate(text) },
            sort: sort
        )
        let limit = request["limit"]?.integer ?? 200
        guard (1...Int64(QueryLimits.pageCountMax)).contains(limit) else {
            throw .invalid("limit", "a whole number of 1 to \(QueryLimits.pageCountMax) is expected")
        }
        guard sort.count <= QueryLimits.sortCountMax else {
            throw .invalid("sort", "a query sorts by at most \(QueryLimits.sortCountMax) fields")
        }
        try Self.checkAudience(of: type, showsInternal: request["internal"] == true)
        var start: QueryPosition?
        if let cursor = request.text("cursor") {
            do {
                start = try QueryCursor.position(cursor, of: query)
            } catch {
                throw .badCursor
            }
        }
        let place = try zone(request.names[0])
        // The daemon searches for words only in an index, and this one has none.
        guard query.predicate?.searchedFields.isEmpty ?? true else { throw .notIndexed }
        var selection = QuerySelection<MemoryRecord>(query, after: start, limit: Int(limit))
        for record in records(in: place) { selection.offer(QueryRecord(record, device), record) }
        let page = selection.page
        let next = page.more ? page.choices.last.map { QueryCursor.text($0.position, of: query) } : nil
        let keys = Self.keys(request)
        return QueryAnswer(records: page.choices.map { $0.payload.shown(with: keys) }, cursor: next)
    }
}

extension QueryRecord {
    /// A record as a query sees it.
    init(_ record: MemoryRecord, _ device: DeviceID) {
        self.init(
            name: record.name,
            type: record.type,
            creator: device,
            modifier: device,
            modifiedMilliseconds: UInt64(clamping: record.modifiedMilliseconds),
            parent: record.parent,
            conflicts: 0,
            fields: record.fields
        )
    }
}

extension LiteralForms {
    /// Dates and bytes as everywhere else in the interface.
    fileprivate static let interface = LiteralForms(
        readTime: { RFC3339.milliseconds($0) },
        writeTime: { RFC3339.text(milliseconds: $0) },
        readBytes: { Data(base64Encoded: $0).map { Array($0) } },
        writeBytes: { Data($0).base64EncodedString() }
    )
}
