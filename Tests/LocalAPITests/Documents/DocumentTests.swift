import Node
import Testing

@testable import LocalAPI

@Suite struct `The documents of the interface` {
    @Test func `the served description is the one in the repository`() throws {
        let yaml = try Repository.text("docs/api/openapi.yaml")
        #expect(OpenAPIDocument.text == yaml)
    }

    @Test func `the table of codes is the one in the repository`() throws {
        let document = try Repository.text("docs/api/errors.md")
        var documented: [String: (status: String, retry: String)] = [:]
        for line in document.split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { cell in
                cell.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
            }
            documented[String(cells[0].dropFirst().dropLast())] = (cells[1], cells[2])
        }
        for row in ErrorTable.rows {
            let entry = try #require(documented[row.code], "\(row.code) is not documented")
            documented[row.code] = nil
            #expect(entry.status == "\(row.status)", "\(row.code)")
            #expect(entry.retry == (row.isRetryable ? "yes" : "no"), "\(row.code)")
        }
        // The library's own codes have no status.
        #expect(documented.values.allSatisfy { $0.status == "–" }, "\(documented.keys) are not codes of the daemon")
    }

    @Test func `codes are unique and their statuses are errors`() {
        #expect(Set(ErrorTable.rows.map(\.code)).count == ErrorTable.rows.count)
        #expect(ErrorTable.rows.allSatisfy { (400..<600).contains($0.status) && !$0.title.isEmpty })
    }
}
