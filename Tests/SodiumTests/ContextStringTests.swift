import Foundation
import Sodium
import Testing

@Suite struct ContextStringTests {
    /// Purposes that no source file names yet.
    ///
    /// The list only ever shrinks: a purpose that is used must leave it, and a new purpose is entered together with its
    /// use.
    private static let reserved: Set<String> = [
        "accountSalt", "checkDigits", "incarnation",
        "operationHash", "receipt", "treeHeadHash",
    ]

    /// Purposes that more than one file has to name: heads are signed where writes are committed and checked where runs
    /// are taken in.
    private static let named = ["treeHead": 2]

    @Test func `raw values are unique, short and of one form`() {
        let values = ContextString.allCases.map(\.rawValue)
        #expect(Set(values).count == values.count)
        let letters = Set("abcdefghijklmnopqrstuvwxyz0123456789-/")
        for value in values {
            #expect(value.hasPrefix("kairan/v1/"))
            #expect(value.utf8.count <= 64)
            #expect(letters.isSuperset(of: value), "\(value)")
        }
    }

    @Test func `every purpose belongs to one source file`() throws {
        let uses = try Self.uses()
        for purpose in ContextString.allCases.map({ "\($0)" }) {
            let files = uses[purpose] ?? []
            if Self.reserved.contains(purpose) {
                #expect(files.isEmpty, "\(purpose) is used by \(files): take it off the reserved list")
            } else {
                #expect(files.count == Self.named[purpose] ?? 1, "\(purpose) is named by \(files.sorted())")
            }
        }
    }

    /// The files that name each purpose, found by reading the sources.
    private static func uses() throws -> [String: Set<String>] {
        let root = URL(filePath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let sources = root.appending(path: "Sources")
        let names = Set(ContextString.allCases.map { "\($0)" })
        // `.name` as an implicit member: not a property of something, not a pattern, not a case with values.
        let member = /(?:ContextString|[\s(\[,:?])\.([a-z][A-Za-z]*)(?![A-Za-z0-9_(])/
        var found: [String: Set<String>] = [:]
        let paths = FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String } ?? []
        for path in paths where path.hasSuffix(".swift") && !path.hasSuffix("/ContextString.swift") {
            let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
            guard text.contains("import Sodium") || path.hasPrefix("Sodium/") else { continue }
            // The simulator's judge recomputes, and its liars sign, the same as the core does in one place.
            guard !path.hasPrefix("Simulator/") else { continue }
            for line in text.split(separator: "\n") {
                let code = line.drop { $0 == " " }
                guard !code.hasPrefix("//"), !code.hasPrefix("case ") else { continue }
                for match in code.matches(of: member) where names.contains(String(match.1)) {
                    found[String(match.1), default: []].insert(path)
                }
            }
        }
        return found
    }
}
