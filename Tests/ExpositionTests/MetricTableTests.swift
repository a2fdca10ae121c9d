import Foundation
import Node
import Testing

@testable import Exposition

@Suite struct `The table of metrics` {
    @Test func `has names and labels as Prometheus wants them, with base units`() throws {
        let name = try Regex("kairan(?:_[a-z]+)+")
        let label = try Regex("[a-z]+")
        for family in Metric.allCases.map(\.family) {
            #expect(family.name.wholeMatch(of: name) != nil, "\(family.name)")
            #expect(family.labels.allSatisfy { $0.wholeMatch(of: label) != nil && $0 != "le" }, "\(family.name)")
            #expect(Set(family.labels).count == family.labels.count, "\(family.name)")
            #expect(family.help.hasSuffix(".") && !family.help.contains("\n"), "\(family.name)")
            #expect((family.kind == .counter) == family.name.hasSuffix("_total"), "\(family.name)")
            let words = family.name.split(separator: "_")
            #expect(!words.contains { ["milliseconds", "ms", "kilobytes", "kib", "percent"].contains($0) })
            if case .histogram(let bounds) = family.kind {
                #expect(family.name.hasSuffix("_seconds") && !bounds.isEmpty, "\(family.name)")
                #expect(zip(bounds, bounds.dropFirst()).allSatisfy(<) && bounds.allSatisfy(\.isFinite))
            }
        }
    }

    @Test func `equals the document, family by family`() throws {
        let document = try Repository.text("docs/operations/metrics.md")
        var rows: [String: [String]] = [:]
        for line in document.split(separator: "\n") where line.hasPrefix("| `kairan_") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let name = String(cells[0].dropFirst().dropLast())
            #expect(rows.updateValue(Array(cells.dropFirst()), forKey: name) == nil, "\(name) is there twice")
        }
        for family in Metric.allCases.map(\.family) {
            let found = rows.removeValue(forKey: family.name)
            let row = try #require(found, "\(family.name) is not documented")
            let kind =
                switch family.kind {
                case .counter: "counter"
                case .gauge: "gauge"
                case .histogram: "histogram"
                }
            #expect(row[0] == kind, "\(family.name)")
            let labels = family.labels.isEmpty ? "–" : family.labels.map { "`\($0)`" }.joined(separator: ", ")
            #expect(row[1] == labels, "\(family.name)")
            #expect(row.count == 3 && !row[2].isEmpty, "\(family.name)")
        }
        #expect(rows.isEmpty, "\(rows.keys.sorted()) are not measured")
    }

    @Test func `is named in the sources only in the table, and by its readers in the command`() throws {
        let sources = Repository.root.appending(path: "Sources")
        let walker = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        let names = Metric.allCases.map { "\"\($0.rawValue)\"" }
        var places: [String] = []
        while let url = walker.nextObject() as? URL {
            guard url.pathExtension == "swift", url.lastPathComponent != "Metric.swift" else { continue }
            let text = try String(contentsOf: url, encoding: .utf8)
            if url.pathComponents.contains("PeerControl") {
                let read = text.matches(of: /"kairan_[a-z_]+"/).map { String($0.output) }
                places += read.filter { !names.contains($0) }.map {
                    "\(url.lastPathComponent): \($0) is not in the table"
                }
                continue
            }
            places += names.filter(text.contains).map { "\(url.lastPathComponent): \($0)" }
        }
        #expect(places.isEmpty, "\(places)")
    }
}
