import Foundation
import Testing

@Suite struct `The library's documentation` {
    /// The project's folder.
    private var root: URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    @Test func `shows tests that are compiled and run`() throws {
        let code = try text("Tests/LocalAPITests/Client/TestingArticleTests.swift")
        let article = try text("Sources/KairanClient/KairanClient.docc/Testing.md")
        let examples = article.components(separatedBy: "```swift\n").dropFirst().map { block in
            block.components(separatedBy: "```")[0]
        }
        #expect(examples.count == 2)
        for example in examples { #expect(code.contains(example), "not in the tests:\n\(example)") }
    }

    @Test func `shows code about assets that is compiled and run`() throws {
        let code = try text("Tests/LocalAPITests/Client/AssetArticleTests.swift")
            .replacingOccurrences(of: "private ", with: "")
        let article = try text("Sources/KairanClient/KairanClient.docc/Assets.md")
        let examples = article.components(separatedBy: "```swift\n").dropFirst().map { block in
            block.components(separatedBy: "```")[0]
        }
        #expect(examples.count == 5)
        for example in examples { #expect(code.contains(example), "not in the tests:\n\(example)") }
    }

    @Test(arguments: ["FirstApplication", "OwnStore"]) func `shows code that is compiled in the example`(
        article: String
    ) throws {
        let names = ["Notes/Note", "Notes/Notes", "Notes/NotesStore", "Package"]
        let code = try names.map { try text("Examples/\($0).swift") }.joined(separator: "\n")
        let lines = try text("Sources/KairanClient/KairanClient.docc/\(article).md").components(separatedBy: "\n")
        let blocks = lines.split { $0.hasPrefix("```") }
        // The parts between the fences alternate between prose and code.
        let examples = blocks.enumerated().filter { $0.offset % 2 == 1 }.map { $0.element.joined(separator: "\n") }
        #expect(examples.count >= 3)
        for example in examples {
            #expect(code.contains(example + "\n"), "not in Examples:\n\(example)")
        }
    }
}
