import Node
import Testing

@testable import LocalAPI

/// `KAIRAN_RECORD=1 swift test --filter LocalAPITests` writes the Swift files anew from the YAML document.
@Suite struct `The documents of the interface` {
    private static let partLineCount = 220

    @Test func `the served description is the one in the repository`() throws {
        let yaml = try Repository.text("docs/api/openapi.yaml")
        if Repository.isRecording { try Self.record(yaml) }
        #expect(OpenAPIDocument.text == yaml, "run the tests once with KAIRAN_RECORD=1, then build again")
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

    /// Parts, because no source file shall be longer than people read.
    private static func record(_ yaml: String) throws {
        let lines = yaml.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        let parts = stride(from: 0, to: lines.count, by: partLineCount).map { start in
            Array(lines[start..<min(start + partLineCount, lines.count)])
        }
        for (index, part) in parts.enumerated() {
            let content = part.map { $0.isEmpty ? "" : "        " + $0 }.joined(separator: "\n")
            let source = """
                extension OpenAPIDocument {
                    /// Part \(index + 1) of \(parts.count), written from `docs/api/openapi.yaml`.
                    static let part\(index + 1) = #\"\"\"
                \(content)

                        \"\"\"#
                }

                """
            try Repository.write(source, to: "Sources/LocalAPI/Document/OpenAPIDocument+Part\(index + 1).swift")
        }
        let sum = parts.indices.map { "part\($0 + 1)" }.joined(separator: " + ")
        let source = """
            /// The description of the interface as it is served.
            ///
            /// Written from `docs/api/openapi.yaml` by the tests of this target when `KAIRAN_RECORD=1` is set; another
            /// test fails when the two differ.
            enum OpenAPIDocument {
                /// The whole document.
                static let text = \(sum)
            }

            """
        try Repository.write(source, to: "Sources/LocalAPI/Document/OpenAPIDocument.swift")
    }
}
