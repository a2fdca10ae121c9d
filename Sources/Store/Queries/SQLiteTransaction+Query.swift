import Queries
import Records
import Sync
import Wire

/// Queries: SQL finds the records that may be meant, the evaluator of `Queries` decides.
extension SQLiteTransaction {
    func query(_ query: Query, zone: ZoneID, after position: QueryPosition?, limit: Int) throws -> QueryPage {
        var selection = QuerySelection<Int64>(query, after: position, limit: limit)
        if let zone = try number(zone.digest), limit > 0 {
            let indexes = try indexes(ofZone: zone)
            try query.checkSearchable(indexes.map(\.index))
            let ready = indexes.filter(\.isReady)
            let plan = QueryPlan.choose(for: query, among: ready.map(\.index))
            func id(_ index: FieldIndex) throws -> Int64 {
                guard let found = ready.first(where: { $0.index == index }) else {
                    throw StorageError(code: .misuse, message: "a plan names an index that is not there")
                }
                return found.id
            }
            switch plan {
            case .scan:
                try scan(query, zone: zone, after: position, into: &selection)
            case .walk(let index, let ranges, let isOrdered, let isAscending):
                let walk = IndexWalk(index: try id(index), zone: zone, isOrdered: isOrdered, isAscending: isAscending)
                try self.walk(walk, ranges, after: position, into: &selection)
            case .search(let index, let pattern):
                try search(pattern, index: try id(index), zone: zone, into: &selection)
            }
        }
        return try QueryPage(selection) { number in
            guard let columns = try recordColumns(number) else {
                throw StorageError(code: .corrupt, message: "an index names a record that is not there")
            }
            return try record(columns)
        }
    }

    /// The way in which parts of an index are visited.
    private struct IndexWalk {
        var index: Int64
        var zone: Int64
        /// Whether records come in the order of the answer, so that a full page ends the walk.
        var isOrdered: Bool
        var isAscending: Bool
    }

    private func scan(
        _ query: Query,
        zone: Int64,
        after position: QueryPosition?,
        into selection: inout QuerySelection<Int64>
    ) throws {
        let isInOrder = query.sort.isEmpty
        // No name is empty, so everything is behind the empty one.
        let start = isInOrder ? position?.name ?? "" : ""
        try sql(QueryStatements.scan).visit(zone, start, query.type.string) { row in
            let record = try queryRecord(row, body: 1, detail: 2)
            if isInOrder { return selection.offerNext(record, row.integer(0)) }
            selection.offer(record, row.integer(0))
            return true
        }
    }

    private func walk(
        _ walk: IndexWalk,
        _ ranges: [SortRange],
        after position: QueryPosition?,
        into selection: inout QuerySelection<Int64>
    ) throws {
        let statement = try sql(walk.isAscending ? QueryStatements.ascending : QueryStatements.descending)
        for range in ranges where !Self.isBefore(range, walk, position) {
            let part = Self.part(of: range, walk, after: position)
            try statement.visit(walk.index, walk.zone, part.low, part.end, part.key, part.name) { row in
                let record = try queryRecord(row, body: 1, detail: 2)
                if walk.isOrdered { return selection.offerNext(record, row.integer(0)) }
                selection.offer(record, row.integer(0))
                return true
            }
            if walk.isOrdered, selection.isFull || selection.end != nil { return }
        }
    }

    /// The rest of a part behind a position, and the value and name behind which it begins.
    private static func part(
        of range: SortRange,
        _ walk: IndexWalk,
        after position: QueryPosition?
    ) -> (low: [UInt8], end: [UInt8], key: [UInt8], name: String) {
        let whole = (low: range.low, end: range.end, key: walk.isAscending ? [] : range.end, name: "")
        guard walk.isOrdered, let position else { return whole }
        // Without sort fields the part has one value, and names alone decide.
        let key = position.values.first.map { $0?.bytes ?? SortRange.missing } ?? range.low
        guard !key.lexicographicallyPrecedes(range.low), key.lexicographicallyPrecedes(range.end) else { return whole }
        return walk.isAscending
            ? (low: key, end: range.end, key: key, name: position.name)
            : (low: range.low, end: key + [0], key: key, name: position.name)
    }

    /// Whether a part lies wholly before the place where the answer goes on.
    private static func isBefore(_ range: SortRange, _ walk: IndexWalk, _ position: QueryPosition?) -> Bool {
        guard walk.isOrdered, let position, let value = position.values.first else { return false }
        // Records without a value come last in both directions.
        guard let value, !walk.isAscending else {
            return !(value?.bytes ?? SortRange.missing).lexicographicallyPrecedes(range.end)
        }
        return range.low != SortRange.missing && value.bytes.lexicographicallyPrecedes(range.low)
    }

    private func search(
        _ pattern: TextPattern,
        index: Int64,
        zone: Int64,
        into selection: inout QuerySelection<Int64>
    ) throws {
        let match = IndexWords.match(pattern, prefix: IndexWords.prefix(index: index, zone: zone))
        try sql(QueryStatements.search).visit(match, index, zone) { row in
            selection.offer(try queryRecord(row, body: 1, detail: 2), row.integer(0))
            return true
        }
    }

    /// The fields of a row's record that queries see.
    func queryRecord(_ row: ResultRow, body: Int32, detail: Int32) throws -> QueryRecord {
        if row.isNull(body) { throw row.damage(body) }
        return try decoding("record") { () throws(WireError) in
            var reader = WireReader(row.bytes(detail))
            let time = HybridTime(raw: try reader.readUInt64())
            return QueryRecord(try RecordBody(decoding: row.bytes(body)), modifiedMilliseconds: time.milliseconds)
        }
    }
}
