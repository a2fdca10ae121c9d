import Foundation
import Testing

@Suite struct `Planted bugs` {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let folder = root.appending(path: "Tests/PlantedBugs")

    /// The bugs that the simulator's program lists.
    private static func bugs() throws -> [String] {
        let text = try text(of: "overlay/Sources/Wire/Faults/PlantedBug.swift")
        return try matches(of: #"(?m)^    case (\w+)$"#, in: text)
    }

    private static func text(of file: String) throws -> String {
        try String(contentsOf: folder.appending(path: file), encoding: .utf8)
    }

    /// The text that the group of an expression has found, in each place of a text.
    private static func matches(of expression: String, in text: String) throws -> [String] {
        try text.matches(of: Regex(expression)).compactMap { $0.output[1].substring.map(String.init) }
    }

    @Test func `are mentioned by nothing in the source`() throws {
        let words = try Regex("(?i)planted")
        let files = try SourceTree("Sources").files
        var places = files.map(\.path).filter { $0.contains(words) }
        for file in files {
            for (number, line) in file.lines.enumerated() where line.contains(words) {
                places.append("\(file.path):\(number + 1): \(line)")
            }
        }
        #expect(places.isEmpty, "\(places.joined(separator: "\n"))")
        let manifest = try String(contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
        #expect(!manifest.contains(words))
    }

    /// `make check` tries that the patches apply.
    @Test func `are one patch each, behind the one that makes the program list them`() throws {
        let bugs = try Self.bugs()
        #expect(bugs.count >= 20)
        #expect(try Self.text(of: "series") == (["options"] + bugs).map { "\($0)\n" }.joined())
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.appending(path: "patches").path())
        #expect(Set(files) == Set((["options"] + bugs).map { "\($0).patch" }))
    }

    @Test func `are asked about by their own patch alone, below a sentence about their effect`() throws {
        for bug in try Self.bugs() {
            let lines = try Self.text(of: "patches/\(bug).patch").components(separatedBy: "\n")
            let sentence = try #require(lines.first)
            #expect(sentence.contains(/^[A-Z].*\.$/) && lines.dropFirst().first == "", "the patch of \(bug)")
            // A line that asks about another bug as well is there already, so that it is removed and added again.
            var asked: [String: Int] = [:]
            for line in lines where !line.hasPrefix("+++") && !line.hasPrefix("---") {
                let change = line.hasPrefix("+") ? 1 : line.hasPrefix("-") ? -1 : 0
                for name in try Self.matches(of: #"PlantedBug\.(\w+)\.isActive"#, in: line) {
                    asked[name, default: 0] += change
                }
            }
            #expect(Set(asked.filter { $0.value != 0 }.keys) == [bug], "the patch of \(bug)")
            #expect(asked[bug, default: 0] > 0, "the patch of \(bug)")
        }
    }

    @Test func `have a row each in their document, with a scenario of the simulator and a seed that finds them`() throws
    {
        let document = Self.root.appending(path: "docs/testing/planted-bugs.md")
        let table = try String(contentsOf: document, encoding: .utf8)
        let expression = try Regex(#"(?m)^\| `(\w+)` \| [^|]+ \| `([a-z-]+)` \| \d+ \| [^|]+ \| [^|]+ \|$"#)
        let rows = table.matches(of: expression).map { $0.output.map { String($0.substring ?? "") } }
        let bugs = try Self.bugs()
        #expect(rows.map { $0[1] }.sorted() == bugs.sorted())
        let files = try SourceTree("Sources").files.filter { $0.path.hasPrefix("Sources/Simulator/Scenarios/") }
        let source = files.flatMap(\.lines).joined(separator: "\n")
        let scenarios = Set(try Self.matches(of: #"\bname: "([a-z-]+)""#, in: source))
        let unknown = rows.filter { !scenarios.contains($0[2]) }.map { $0[0] }
        #expect(unknown.isEmpty, "\(unknown.joined(separator: "\n"))")
    }
}
