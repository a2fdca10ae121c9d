import GRDBSQLite
import Queries
import Records
import ReplicaBehaviour
import Sync
import Testing
import Wire

@testable import Store

@Suite("Indexes in the database")
struct QueryTests {
    private static let index = FieldIndex(type: "note", field: .named("x"), kind: .value)
    private static let words = FieldIndex(type: "note", field: .named("y"), kind: .text)

    /// The rows of a statement, read beside the store.
    private func rows(_ path: String, _ sql: String, column: Int32 = 0) throws -> [String] {
        var database: OpaquePointer?
        try #require(sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK)
        defer { sqlite3_close(database) }
        var statement: OpaquePointer?
        try #require(sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK)
        defer { sqlite3_finalize(statement) }
        var rows: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "")
        }
        return rows
    }

    private func filled(_ count: Int) async throws -> StoreFixture {
        let fixture = try await StoreFixture()
        try await fixture.write { transaction in
            try transaction.createTestZone()
            let writes = (0..<count).map { RecordWrite.note("n\($0)", ["x": "\($0 % 10)", "y": "word\($0 % 10)"]) }
            try transaction.commit(writes, by: TestAuthor(1))
            try transaction.setFieldIndexes([Self.index, Self.words], container: TestZone.genesis.container)
        }
        return fixture
    }

    @Test(arguments: [QueryStatements.ascending.description, QueryStatements.descending.description])
    func `are searched, not scanned, and need no sorting`(sql: String) async throws {
        let fixture = try await filled(10)
        let plan = try rows(fixture.directory.state.databasePath, "EXPLAIN QUERY PLAN " + sql, column: 3)
        let search =
            "SEARCH entry USING COVERING INDEX field_entry_by_key (field_index=? AND zone=? AND key>? AND key<?)"
        #expect(plan.first == search, "\(plan)")
        #expect(plan.allSatisfy { $0.hasPrefix("SEARCH") }, "\(plan)")
        try await fixture.store.close()
    }

    @Test func `on words are searched by the full-text table`() async throws {
        let fixture = try await filled(10)
        let sql = "EXPLAIN QUERY PLAN " + QueryStatements.search.description
        let plan = try rows(fixture.directory.state.databasePath, sql, column: 3)
        #expect(plan.first?.contains("VIRTUAL TABLE") == true, "\(plan)")
        #expect(plan.dropFirst().allSatisfy { $0.hasPrefix("SEARCH") }, "\(plan)")
        try await fixture.store.close()
    }

    @Test func `continue to be built from where they were when the store was closed`() async throws {
        var fixture = try await filled(50)
        let container = TestZone.genesis.container
        for _ in 0..<3 { try await fixture.write { _ = try $0.buildFieldIndexes(limit: 7) } }
        let path = fixture.directory.state.databasePath
        #expect(try rows(path, "SELECT built FROM field_index ORDER BY id") == ["21", "0"])
        try await fixture.reopen()
        try await fixture.write { try $0.commit([.note("n1", ["x": "new"]), .deletion("n2")], by: TestAuthor(1)) }
        var steps = 0
        while try await fixture.write({ try $0.buildFieldIndexes(limit: 7) }) { steps += 1 }
        #expect(steps < 30)
        let statuses = try await fixture.store.read { try $0.fieldIndexes(container: container) }
        #expect(statuses.allSatisfy { $0.isReady })
        #expect(try rows(path, "SELECT count(*) FROM field_entry") == ["49"])
        #expect(try rows(path, "SELECT count(*) FROM text_words") == ["49"])
        try await fixture.store.close()
    }

    @Test func `lose the changes of a deleted zone`() async throws {
        let fixture = try await filled(40)
        while try await fixture.write({ try $0.buildFieldIndexes(limit: 100) }) {}
        let path = fixture.directory.state.databasePath
        #expect(try rows(path, "SELECT count(*) FROM field_entry") == ["40"])
        try await fixture.write { transaction in
            guard var zone = try transaction.zone(TestZone.id) else { return }
            zone.state = .deleted(reason: "test")
            try transaction.save(zone)
        }
        while try await fixture.write({ try $0.buildFieldIndexes(limit: 15) }) {}
        for table in ["field_entry", "text_entry", "text_words", "index_sweep"] {
            #expect(try rows(path, "SELECT count(*) FROM \(table)") == ["0"], "\(table)")
        }
        // One that comes back is in them again.
        try await fixture.write { transaction in
            guard var zone = try transaction.zone(TestZone.id) else { return }
            zone.state = .live
            try transaction.save(zone)
        }
        while try await fixture.write({ try $0.buildFieldIndexes(limit: 15) }) {}
        #expect(try rows(path, "SELECT count(*) FROM field_entry") == ["40"])
        try await fixture.store.close()
    }

    @Test func `are not touched by a job that is undone`() async throws {
        let fixture = try await filled(10)
        while try await fixture.write({ try $0.buildFieldIndexes(limit: 100) }) {}
        struct Undone: Error {}
        let results = try await fixture.store.commit([
            job {
                try $0.setFieldIndexes([], container: TestZone.genesis.container); throw Undone()
            },
            job { try $0.commit([.note("late", ["x": "1"])], by: TestAuthor(1)) },
        ])
        #expect(results.count == 2)
        let path = fixture.directory.state.databasePath
        #expect(try rows(path, "SELECT count(*) FROM field_entry") == ["11"])
        try await fixture.store.close()
    }

    @Test(.timeLimit(.minutes(5)))
    func `or not: a page ends before it has examined everything, and the next continues`()
        async throws
    {
        let fixture = try await filled(0)
        let count = QueryLimits.lookCountMax + 5
        for start in stride(from: 0, to: count, by: 1_000) {
            try await fixture.write { transaction in
                let names = (start..<min(start + 1_000, count)).map { "n\($0 + 100_000)" }
                try transaction.commit(names.map { .note($0, ["x": $0]) }, by: TestAuthor(1))
            }
        }
        let last = "n\(count + 99_999)"
        let query = Query(type: "note", predicate: .compare(.named("x"), .equal, .string(last)))
        let (first, second) = try await fixture.store.read { transaction in
            let first = try transaction.query(query, zone: TestZone.id, after: nil, limit: 9)
            return (first, try transaction.query(query, zone: TestZone.id, after: first.next, limit: 9))
        }
        #expect(first.records.isEmpty && first.next?.name == "n\(QueryLimits.lookCountMax + 99_999)")
        #expect(second.records.map(\.name) == [last] && second.next == nil)
        try await fixture.store.close()
    }

    @Test(.timeLimit(.minutes(5))) func `or not: a query ends when its task is cancelled`() async throws {
        let fixture = try await filled(200)
        let store = fixture.store
        let query = Query(type: "note", predicate: .compare(.named("x"), .equal, .string("none")))
        let outcome = await withTaskGroup(of: (any Error)?.self) { group in
            group.addTask {
                do {
                    // More rows than any caller waits for: only a cancellation ends it.
                    while true {
                        _ = try await store.read { try $0.query(query, zone: TestZone.id, after: nil, limit: 5) }
                    }
                } catch {
                    return error
                }
            }
            group.cancelAll()
            return await group.next() ?? nil
        }
        #expect(outcome is CancellationError, "\(String(describing: outcome))")
        try await store.close()
    }
}
