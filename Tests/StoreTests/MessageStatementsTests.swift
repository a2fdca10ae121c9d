import GRDBSQLite
import Testing

@testable import Store

@Suite("Messages that owe an answer")
struct MessageStatementsTests {
    /// The steps in which SQLite executes a statement, read beside the store.
    private func plan(_ statement: StaticString, in fixture: StoreFixture) throws -> [String] {
        var database: OpaquePointer?
        let path = fixture.directory.state.databasePath
        try #require(sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK)
        defer { sqlite3_close(database) }
        var explained: OpaquePointer?
        let sql = "EXPLAIN QUERY PLAN " + statement.description
        try #require(sqlite3_prepare_v2(database, sql, -1, &explained, nil) == SQLITE_OK)
        defer { sqlite3_finalize(explained) }
        var steps: [String] = []
        while sqlite3_step(explained) == SQLITE_ROW {
            steps.append(sqlite3_column_text(explained, 3).map { String(cString: $0) } ?? "")
        }
        return steps
    }

    @Test func `are found by an index, and those that were sent by one of their own`() async throws {
        let fixture = try await StoreFixture()
        #expect(
            try plan(MessageStatements.owing, in: fixture) == ["SEARCH message USING INDEX message_owing (zone=?)"]
        )
        #expect(
            try plan(MessageStatements.owingSent, in: fixture)
                == ["SEARCH message USING INDEX message_resealing (zone=?)"]
        )
        try await fixture.store.close()
    }
}
