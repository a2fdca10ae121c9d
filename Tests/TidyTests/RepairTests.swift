import Foundation
import Testing

@Suite struct `The list of repairs` {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "docs/protocol/repairs.md")

    /// The cells of each row that names a mechanism.
    private static func rows() throws -> [[String]] {
        try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n").filter { $0.hasPrefix("| `") }
            .map { $0.components(separatedBy: " | ") }
    }

    @Test func `names code that exists`() throws {
        let code = try SourceTree("Sources").files.filter { ["Records", "Sync"].contains($0.target) }
            .map { $0.lines.map(SourceTree.withoutComment).joined(separator: "\n") }
        let names = try Self.rows().flatMap { row in
            row[0].components(separatedBy: "`").enumerated().compactMap { $0.offset % 2 == 1 ? $0.element : nil }
        }
        #expect(names.count > 40)
        for name in names {
            let parts = name.split(separator: ".")
            let type = try Regex(#"\b(?:struct|enum|class|extension) \#(parts[0])\b"#)
            let files = code.filter { $0.contains(type) }
            let member = try Regex(#"\b(?:func|let|var) \#(parts.last ?? "")\b"#)
            #expect(parts.count == 1 ? !files.isEmpty : files.contains { $0.contains(member) }, "\(name)")
        }
    }

    @Test func `names a record for each of them`() throws {
        for row in try Self.rows() {
            #expect(row.count == 4, "\(row[0])")
            let links = (row.last ?? "").matches(of: /\]\(([^)]+)\)/).map { String($0.output.1) }
            #expect(!links.isEmpty, "\(row[0])")
            for link in links {
                let record = Self.page.deletingLastPathComponent().appending(path: link).standardizedFileURL
                #expect(link.hasPrefix("../decisions/"), "\(link)")
                #expect(FileManager.default.fileExists(atPath: record.path()), "\(link)")
            }
        }
    }
}
