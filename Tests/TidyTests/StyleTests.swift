import Foundation
import Testing

@Suite struct `The sources` {
    @Test func `have no file of more than 500 lines`() throws {
        let generated: Set<String> = [
            "Sources/Identity/Recovery/EnglishWords.swift",
            "Sources/Identity/Codes/WordList.swift",
        ]
        let long = try (SourceTree("Sources").files + SourceTree("Tests").files).filter {
            $0.lines.count > 501 && !generated.contains($0.path) && !$0.path.contains("OpenAPI")
        }
        #expect(long.isEmpty, "\(long.map { "\($0.path): \($0.lines.count)" }.joined(separator: "\n"))")
    }

    @Test func `never unwrap by force, never trap on purpose for outside input, and leave nothing unfinished`() throws {
        let banned = #"try!|as!|fatalError\(|TODO|FIXME|[A-Za-z0-9_)\]]!(?:[.);,\[]|$)"#
        let places = try SourceTree("Sources").places(of: banned).filter { !$0.contains("\"") && !$0.contains("!=") }
        #expect(places.isEmpty, "\(places.joined(separator: "\n"))")
    }

    @Test func `start no unstructured task`() throws {
        let places = try SourceTree("Sources").places(of: #"(?:^|[^A-Za-z.])Task(?: ?\{|\.detached|\.init|\()"#)
        #expect(places.isEmpty, "\(places.joined(separator: "\n"))")
    }

    @Test func `give a reason for each unchecked Sendable`() throws {
        let unreasoned = try SourceTree("Sources").files.flatMap { file in
            file.lines.indices.filter { index in
                let line = SourceTree.withoutComment(file.lines[index])
                guard line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)") else { return false }
                let around = file.lines[max(0, index - 12)..<min(index + 3, file.lines.count)]
                return !around.contains { $0.contains("SAFETY:") }
            }
            .map { "\(file.path):\($0 + 1)" }
        }
        #expect(unreasoned.isEmpty, "\(unreasoned.joined(separator: "\n"))")
    }

    /// A member that a protocol asks for is documented there.
    private static let witnesses = [
        "encode(into ", "init(from reader", "orderKey", "func hash(into", "description", "customMirror",
        "static func ", "func checkRules()", "func checkCostlyRules()", "func withBytes<", "static let byteCount",
        "static var functions", "static var signedByteCountMax",
    ]

    @Test func `declare package API with a docstring`() throws {
        let declaration = try Regex(
            #"^\s*(?:@\w+(?:\([^)]*\))? )*(?:package|public) (?:static |mutating |borrowing |consuming |nonmutating |final |indirect |nonisolated |override )*(?:struct|enum|class|actor|protocol|func|init|var|let|typealias|subscript)\b"#
        )
        // An implementation of a whole port, or of a protocol of Swift's, documented by that.
        let implementations: Set<String> = [
            "Sources/Records/Storage/MemoryReplica.swift", "Sources/Sync/Storage/MemoryStore.swift",
            "Sources/Sync/Storage/MemoryStore+Assets.swift", "Sources/Sync/Storage/MemoryStore+Custody.swift",
            "Sources/Sync/Storage/MemoryStore+Notes.swift",
            "Sources/Sync/Storage/MemoryStore+Replica.swift", "Sources/Sync/Storage/MemoryStore+Evictions.swift",
            "Sources/Sync/Storage/MemoryStore+Links.swift", "Sources/Sync/Links/MemoryLinkedFiles.swift",
            "Sources/Linking/LinkedRoots.swift", "Sources/Linking/RootWatch.swift",
            "Sources/Node/Node+Interface.swift", "Sources/KairanInterface/JSON/ForwardingContainers.swift",
        ]
        let files = try SourceTree("Sources").files.filter { !implementations.contains($0.path) }
        let places = files.flatMap { file in
            file.lines.indices.compactMap { index -> String? in
                guard file.lines[index].contains(declaration),
                    !Self.witnesses.contains(where: { file.lines[index].contains($0) })
                else { return nil }
                var above = index - 1
                while above >= 0, file.lines[above].trimmingCharacters(in: .whitespaces).hasPrefix("@") { above -= 1 }
                let before = above >= 0 ? file.lines[above].trimmingCharacters(in: .whitespaces) : ""
                return before.hasPrefix("///") ? nil : "\(file.path):\(index + 1): \(file.lines[index])"
            }
        }
        #expect(places.isEmpty, "\(places.joined(separator: "\n"))")
    }
}

@Suite struct `The product` {
    @Test func `names documents in its messages as they are installed`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let tree = try SourceTree("Sources")
        let bare = try tree.places(of: #"(?:^|[^/A-Za-z])docs/[a-z-]+/"#, in: Self.programs)
            // An assertion, for developers.
            .filter { !$0.hasPrefix("Sources/Node/Health/HealthBoard.swift") }
        #expect(bare.isEmpty, "\(bare.joined(separator: "\n"))")
        let expression = try Regex(#"/usr/share/doc/kairan/([A-Za-z/-]+\.md)"#)
        let named = tree.files.flatMap(\.lines).flatMap { line in
            line.matches(of: expression).compactMap { $0.output[1].substring.map(String.init) }
        }
        #expect(named.count >= 10)
        for document in named {
            #expect(FileManager.default.fileExists(atPath: root.appending(path: document).path()), "\(document)")
        }
        // All of docs but three folders is installed, and beside it the files that are named one by one.
        let installer = try String(contentsOf: root.appending(path: "scripts/install"), encoding: .utf8)
        for document in named where !document.hasPrefix("docs/") {
            #expect(installer.contains("put 644 \(document) "), "\(document)")
        }
        let left = ["docs/architecture/", "docs/cli/", "docs/testing/"]
        #expect(!named.contains { document in left.contains { document.hasPrefix($0) } })
    }

    private static let programs: Set<String> = [
        "Invocation", "KairanClient", "LocalAPI", "Node", "PeerControl", "PeerDaemon", "Store",
    ]

    @Test func `has one version everywhere`() throws {
        let expression = try Regex(#"version\s*[:=]\s*"?(\d+\.\d+\.\d+)"#)
        let versions = try SourceTree("Sources").files.flatMap { file in
            file.lines.compactMap { try? expression.firstMatch(in: $0)?.output[1].substring.map(String.init) }
        }
        #expect(versions.count >= 2)
        #expect(Set(versions).count == 1, "\(versions)")
    }
}

@Suite struct `The tests` {
    @Test func `never sleep`() throws {
        let places = try SourceTree("Tests").places(of: #"\b(?:usleep|Thread\.sleep|Task\.sleep|sleep)\("#)
            .filter { !$0.hasPrefix("Tests/TidyTests") }
        #expect(places.isEmpty, "\(places.joined(separator: "\n"))")
    }

    @Test func `raise the documented health warnings, and no others`() throws {
        let expression = try Regex(#"(?:code: |[cC]ode = )"([a-z]+\.[a-z_]+)""#)
        var raised: Set<String> = []
        for file in try SourceTree("Sources").files where file.target == "Node" {
            for line in file.lines {
                for match in line.matches(of: expression) {
                    if let code = match.output[1].substring { raised.insert(String(code)) }
                }
            }
        }
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/operations/health.md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| `") }
        let told = Set(rows.compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) })
        #expect(raised == told, "\(raised.symmetricDifference(told))")
    }
}
