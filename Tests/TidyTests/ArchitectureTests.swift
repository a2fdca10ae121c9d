import Foundation
import Testing

/// `ARCHITECTURE.md` and the pages that continue it.
@Suite struct `The pages on the architecture` {
    private static let wordCountMax = 1_400
    private static let rowCountMax = 40
    private static let placeCountMax = 3

    /// A document, with its lines outside of blocks of code.
    private struct Page {
        static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()

        var path: String
        var text: String
        var lines: [String]
        /// The lines of its first block of code.
        var drawing: [String]

        init(_ path: String) throws {
            self.path = path
            text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
            (lines, drawing) = ([], [])
            var fenceCount = 0
            for line in text.components(separatedBy: "\n") {
                if line.hasPrefix("```") {
                    fenceCount += 1
                } else if fenceCount.isMultiple(of: 2) {
                    lines.append(line)
                } else if fenceCount == 1 {
                    drawing.append(line)
                }
            }
        }

        /// The cells of each row of the table below a heading, without its head.
        func rows(below heading: String) -> [[String]] {
            let part = lines.drop { $0 != heading }.dropFirst().prefix { !$0.hasPrefix("## ") }
            return part.filter { $0.hasPrefix("| ") }.dropFirst().map { row in
                row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            }
        }
    }

    /// The targets by layers, and the imports within a layer.
    private struct Drawing {
        /// The layer of each target, from the top.
        var layers: [String: Int] = [:]
        var arrows: [String: Set<String>] = [:]

        /// Reads a drawing: each layer begins with its number, and two spaces separate targets.
        init(_ lines: [String]) {
            var layer = 0
            for line in lines {
                if line.first != " " { layer += 1 }
                for part in String(line.drop { $0 != " " }).components(separatedBy: "  ") {
                    let sides = part.components(separatedBy: " ──► ").map { side in
                        side.components(separatedBy: ",").map { $0.trimmingCharacters(in: .whitespaces) }
                            .filter { !$0.isEmpty }
                    }
                    for target in sides.joined() { layers[target] = layer }
                    for (importing, imported) in zip(sides, sides.dropFirst()) {
                        for target in importing { arrows[target, default: []].formUnion(imported) }
                    }
                }
            }
        }

        /// Whether a target may import another one.
        func allows(_ target: String, importing other: String) -> Bool {
            guard let own = layers[target], let below = layers[other] else { return false }
            return own < below || own == below && arrows[target]?.contains(other) == true
        }
    }

    private static let first = "ARCHITECTURE.md"
    private static let folder = "docs/architecture"

    private static func pages() throws -> [Page] {
        let names = try FileManager.default.contentsOfDirectory(
            atPath: Page.root.appending(path: folder).path(percentEncoded: false)
        )
        return try [Page(first)] + names.filter { $0.hasSuffix(".md") }.sorted().map { try Page("\(folder)/\($0)") }
    }

    private static func code(in line: String) -> [String] {
        line.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    }

    /// The documents and folders of the repository that a line links to, without the places in them.
    private static func links(in line: String) -> [String] {
        line.matches(of: /\]\(([^)#]+)/).map { String($0.output.1) }.filter { !$0.contains("://") }
    }

    @Test func `begin with one that fits two printed pages`() throws {
        let page = try Page(Self.first)
        let words = page.text.split(whereSeparator: \.isWhitespace).count
        #expect(words <= Self.wordCountMax, "\(words) words")
        let rows = page.rows(below: "## Where to go")
        #expect(rows.count > 20)
        #expect(rows.count <= Self.rowCountMax, "\(rows.count) rows")
        for row in rows {
            let answer = row.last ?? ""
            let paths = Self.code(in: answer).filter { DeclaredNames.form(of: $0) == .path }
            let placeCount = paths.count + Self.links(in: answer).count
            #expect(row.count == 2 && (1...Self.placeCountMax).contains(placeCount), "\(row)")
        }
    }

    @Test func `name files and declarations that exist`() throws {
        let names = try DeclaredNames()
        var count = 0
        var unknown: [String] = []
        for page in try Self.pages() {
            for name in page.lines.flatMap({ Self.code(in: $0) }) {
                guard let form = DeclaredNames.form(of: name) else { continue }
                count += 1
                if !names.contains(name, as: form) { unknown.append("\(page.path): \(name)") }
            }
        }
        #expect(unknown.isEmpty)
        #expect(count > 200)
        for (text, isKnown) in [
            ("Sync/Nowhere.swift", false), ("Sync/StoreWork", true), ("TidyTests/StyleTests.swift", true),
            ("Nowhere.swift", false), ("PeerCore.swift", true), ("+Nowhere", false), ("+Accounts", true),
            ("Nowhere", false), ("PeerCore", true), ("PeerCore.nowhere", false), ("PeerCore.committed", true),
            ("Peering", true),
        ] {
            let form = try #require(DeclaredNames.form(of: text))
            let contains = names.contains(text, as: form)
            #expect(contains == isKnown, "\(text)")
        }
        for text in ["", "kairand", "make test-pure", "GET /v1/zones", "/v1/zones", "by_sync", "--full"] {
            #expect(DeclaredNames.form(of: text) == nil, "\(text)")
        }
    }

    @Test func `link to documents that exist, the first one to all others`() throws {
        let pages = try Self.pages()
        #expect(pages.count > 5)
        var linked: Set<String> = []
        for page in pages {
            let folder = Page.root.appending(path: page.path).deletingLastPathComponent()
            for link in page.lines.flatMap({ Self.links(in: $0) }) {
                let path = folder.appending(path: link).standardizedFileURL.path(percentEncoded: false)
                #expect(FileManager.default.fileExists(atPath: path), "\(page.path): \(link)")
                if page.path == Self.first { linked.insert(link) }
            }
        }
        let others = Set(pages.map(\.path)).subtracting([Self.first])
        #expect(others.isSubset(of: linked), "\(others.subtracting(linked).sorted())")
    }

    @Test func `list and draw each target`() throws {
        let page = try Page(Self.first)
        let targets = Set(try SourceTree("Sources").files.map(\.target))
        let listed = page.rows(below: "## The split").flatMap { Self.code(in: $0.first ?? "") }
        #expect(listed.sorted() == targets.sorted())
        let drawn = Set(Drawing(page.drawing).layers.keys)
        #expect(targets.isSubset(of: drawn), "\(targets.subtracting(drawn).sorted())")
    }

    @Test func `draw the imports of each target downwards, or as arrows`() throws {
        let drawing = Drawing(try Page(Self.first).drawing)
        for (target, imports) in `The targets`.allowed {
            for other in imports where drawing.layers[other] != nil {
                #expect(drawing.allows(target, importing: other), "\(target) imports \(other)")
            }
        }
        for (target, imports) in drawing.arrows {
            let extra = imports.subtracting(`The targets`.allowed[target] ?? [])
            #expect(extra.isEmpty, "\(target) imports none of \(extra.sorted())")
        }
        let planted = Drawing(["2  A, B ──► C, D   E", "   C ──► E", "1  F"])
        #expect(planted.layers == ["A": 1, "B": 1, "C": 1, "D": 1, "E": 1, "F": 2])
        #expect(planted.arrows == ["A": ["C", "D"], "B": ["C", "D"], "C": ["E"]])
        #expect(planted.allows("A", importing: "F") && planted.allows("C", importing: "E"))
        #expect(!planted.allows("F", importing: "A") && !planted.allows("E", importing: "C"))
    }
}
