import FoundationEssentials
import Glibc
import KairanClient
import Node
import Synchronization
import Testing
import TestSupport

/// Files that records name, with a node and a store.
extension `The program kairan` {
    private static func withStore(
        _ body: @escaping @Sendable (_ run: Program, _ folder: String) async throws -> Void
    ) async throws {
        let path = (Subprocess.products ?? "") + "/kairan"
        guard access(path, X_OK) == 0 else {
            return try cannotRun("the program kairan was not built beside the tests")
        }
        try await LiveServer.withDirectory { directory in
            try await LiveNode.run(in: directory) { node in
                try await LiveServer.run(node: node, in: directory) { socket, _ in
                    let program = Program(path: path, socket: socket)
                    _ = try await program.json("zone", "create", "photos", "--container", "org.example.photos")
                    try await body(program, directory)
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `a file is added to a record, listed, and written to another file`()
        async throws
    {
        try await Self.withStore { kairan, folder in
            let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }
            let file = folder + "/lake.jpg"
            try Data(bytes).write(to: URL(filePath: file))
            try Data([1, 2, 3]).write(to: URL(filePath: folder + "/small"))
            let added = try await kairan.json(
                "asset",
                "add",
                "photos",
                "lake",
                "picture",
                file,
                "--media-type",
                "image/jpeg",
                "--thumbnail",
                folder + "/small"
            )
            let record = try await kairan.json("get", "photos", "lake")
            let value = try #require(record["fields"]?["picture"]?["$asset"])
            #expect(value["name"] == "lake.jpg" && value["media_type"] == "image/jpeg" && value["size"] == 300_000)
            #expect(value["thumbnail"] == "AQID" && value["modified_at"] != nil)
            let id = try #require(value["asset"]?.text)

            let listed = try #require(try await kairan.json("asset", "ls", "photos").elements)
            #expect(listed.count == 1 && listed[0]["asset"] == .string(id) && listed[0]["state"] == "present")
            #expect(listed[0]["copies"]?["machines"] == 1)
            let members = try #require(listed[0].members).filter { $0.name != "copies" }
            let version = try #require(record["version"])
            #expect(added.members == members + [JSONMember("version", version)])
            let table = try await kairan("asset", "ls", "photos").output.split(separator: "\n")
            #expect(table.count == 3 && table[1].hasPrefix("lake  ") && table[1].hasSuffix(id.prefix(8)))
            #expect(table.last == "1 content. It is on this machine alone.")

            let copy = folder + "/copy"
            let written = try await kairan("asset", "get", "photos", "lake", "picture", "-o", copy)
            #expect(written.output == "Written to \(copy): 300000 bytes.\n" && written.error.isEmpty)
            #expect(try Data(contentsOf: URL(filePath: copy)) == Data(bytes) && access(copy + ".part", F_OK) != 0)
            let json = try await kairan.json("asset", "get", "photos", "lake", "picture", "--output", copy)
            #expect(json["asset"] == .string(id) && json["size"] == 300_000 && json["media_type"] == "image/jpeg")

            let none = try await kairan("asset", "get", "photos", "lake", "title", "-o", copy + "2")
            #expect(none.status == 1 && none.output.isEmpty && access(copy + "2", F_OK) != 0)
            let missing = try await kairan("asset", "add", "photos", "lake", "picture", folder + "/none")
            #expect(missing.status == 1 && missing.error.contains("/none cannot be read: No such file"))
            let large = try await kairan("asset", "add", "photos", "lake", "picture", file, "--thumbnail", file)
            #expect(large.status == 1 && large.error.contains("more than 16.0 KiB"))
            let other = try await kairan("put", "photos", "lake", "by=@ada")
            #expect(other.status == 1 && other.error.contains("ada cannot be read") && other.error.contains("by=@@ada"))
        }
    }

    @Test(.timeLimit(.minutes(5))) func `put takes files and text that begins with an @`() async throws {
        try await Self.withStore { kairan, folder in
            let file = folder + "/notes.txt"
            try Data("Milk\n".utf8).write(to: URL(filePath: file))
            let put = try await kairan.json("put", "photos", "n", "by=@@ada", "notes=@" + file, "n:=1")
            #expect(put["fields"]?["by"] == "@ada" && put["fields"]?["n"] == 1)
            #expect(put["fields"]?["notes"]?["$asset"]?["name"] == "notes.txt")
            #expect(put["fields"]?["notes"]?["$asset"]?["media_type"] == nil)
            #expect(try await kairan("asset", "get", "photos", "n", "notes").output == "Milk\n")
            #expect(try await kairan("get", "photos", "n").output.contains("  notes  notes.txt, asset "))

            let piped = try await kairan.json(
                "put",
                "photos",
                "p",
                "notes=@-",
                "--media-type",
                "text/plain",
                input: "Tea\n"
            )
            let value = try #require(piped["fields"]?["notes"]?["$asset"])
            #expect(value["name"] == nil && value["modified_at"] == nil && value["media_type"] == "text/plain")
            #expect(try await kairan("asset", "get", "photos", "p", "notes", "-o", "-").output == "Tea\n")
            // A version that is not the record's is noticed before the file is sent.
            let stale = try await kairan("put", "photos", "p", "notes=@" + file, "--if-version", "00000000")
            #expect(stale.status == 1 && stale.error.contains("has the version"))
        }
    }

    @Test(.timeLimit(.minutes(5))) func `a folder is imported, and a second import passes over its files`()
        async throws
    {
        try await Self.withStore { kairan, folder in
            let pictures = folder + "/pictures"
            #expect(mkdir(pictures, 0o755) == 0 && mkdir(pictures + "/2026", 0o755) == 0)
            for name in ["a.txt", "b.txt", "2026/c\nd"] {
                try Data("content of \(name)".utf8).write(to: URL(filePath: pictures + "/" + name))
            }
            #expect(symlink("a.txt", pictures + "/link") == 0)
            let dry = try await kairan("asset", "import", pictures, "photos", "--dry-run")
            #expect(dry.status == 0 && dry.output.contains("Would import 3 files without a record"), "\(dry)")
            let first = try await kairan("asset", "import", pictures, "photos", "--metadata", "none")
            #expect(first.status == 0 && first.output.contains("Imported 3 files (3 new, 51 B)."), "\(first)")
            #expect(first.output.contains("link          It is a symbolic link."), "\(first.output)")
            #expect(try await kairan("asset", "get", "photos", "a.txt", "content").output == "content of a.txt")
            let record = try await kairan.json("get", "photos", "b.txt")
            #expect(record["type"] == "File" && record["fields"]?["path"] == "b.txt")
            #expect(record["fields"]?["content"]?["$asset"]?["name"] == "b.txt")

            try Data("other".utf8).write(to: URL(filePath: pictures + "/b.txt"))
            let second = try await kairan("asset", "import", pictures, "photos", "--json", "--metadata", "none")
            let lines = try second.output.split(separator: "\n").map { try JSONParser.parse(Array($0.utf8)) }
            #expect(second.status == 0 && lines.count == 5, "\(second)")
            #expect(lines.last?["unchanged"] == 2 && lines.last?["changed"] == 1 && lines.last?["complete"] == true)
            #expect(try await kairan("asset", "get", "photos", "b.txt", "content").output == "other")

            let odd = try await kairan("asset", "import", pictures + "/none", "photos")
            #expect(odd.status == 1 && odd.error.contains("/none cannot be read: No such file"), "\(odd)")
            let wrong = try await kairan("asset", "import", pictures, "photos", "--into", "/a")
            #expect(wrong.status == 64)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `the policy of a zone is set, and the state of an asset explained`()
        async throws
    {
        try await Self.withStore { kairan, _ in
            let policy = "photos: this device fetches assets up to 10.0 MiB by itself, and larger ones on request.\n"
            #expect(try await kairan("asset", "policy", "photos", "10M").output == policy)
            #expect(try await kairan("asset", "policy", "photos").output == policy)
            let json = try await kairan.json("asset", "policy", "photos", "default")
            #expect(json["policy"] == "always" && json["default"] == true)

            let added = try await kairan.json("asset", "add", "photos", "n", "notes", "-", input: "Milk\n")
            let id = try #require(added["asset"]?.text)
            let short = String(id.prefix(8))
            let fetched = try await kairan("asset", "fetch", "photos", "n", "notes")
            #expect(fetched.output == "asset \(short) is present.\n")
            #expect(try await kairan("asset", "cancel", "photos", "n", "notes").output == fetched.output)
            let why = try await kairan("asset", "why", short)
            #expect(why.output.hasPrefix("asset \(short), 5 B, is present.\n") && why.output.contains("photos"))
            #expect(try await kairan.json("asset", "why", id)["places"]?.elements?.count == 1)
            let unknown = try await kairan("asset", "why", "zzzzzzzz")
            #expect(unknown.status == 1 && unknown.error.contains("No asset has the name zzzzzzzz"))
            #expect(try await kairan("asset", "gc", "--dry-run").output == "a record names each asset that is here\n")
            #expect(try await kairan.json("asset", "gc", "--dry-run")["assets"] == [])
        }
    }

    @Test(.timeLimit(.minutes(5))) func `content is evicted once other devices keep it, that of a zone with consent`()
        async throws
    {
        let node = FakeNode()
        node.state.withLock {
            $0.assetState = .present
            $0.content.byteCount = 9
        }
        try await Self.withProgram(node: node) { kairan in
            let one = try await kairan("asset", "evict", "notes", "lake", "picture", "--item", "1", "--copies", "2")
            #expect(one.status == 0 && one.output.contains(", 9 B. Kept by:\nDEVICE"), "\(one)")
            #expect(node.calls.contains("evict lake.picture[1] copies:2 others:false"))
            let few = try await kairan("asset", "evict", "notes", "lake", "picture", "--copies", "3", "--others")
            #expect(few.status == 1 && few.error.contains("No. Connect them."), "\(few)")
            #expect(node.calls.contains("evict lake.picture copies:3 others:true"))

            let asked = try await kairan("asset", "evict", "notes", "--all")
            #expect(asked.status == 64 && asked.error.contains("Drops the content of 1 asset (9 B)"), "\(asked)")
            #expect(asked.error.contains("Add --yes"))
            #expect(!node.calls.contains("evict lake.picture copies:1 others:false"))
            let all = try await kairan("asset", "evict", "notes", "--all", "--yes")
            #expect(all.status == 0 && all.output == "Dropped the content of 1 asset, 9 B.\n", "\(all)")
            let none = try await kairan("asset", "evict", "notes", "--all", "--larger-than", "9", "--yes")
            #expect(none.status == 0 && none.output == "Dropped the content of 0 assets, 0 B.\n", "\(none)")
            let kept = try await kairan("asset", "evict", "notes", "--all", "--copies", "3", "--yes")
            #expect(kept.status == 1 && kept.output.contains("too few other devices keep it"), "\(kept)")
            let lines = try await kairan("asset", "evict", "notes", "--all", "--copies", "3", "--yes", "--json")
            #expect(lines.status == 1 && lines.output.contains(#""freed":0,"code":"asset.not_safe""#), "\(lines)")
        }
    }

    @Test(.timeLimit(.minutes(5))) func `assets without a record are dropped with consent alone`() async throws {
        let node = FakeNode()
        try await Self.withProgram(node: node) { kairan in
            let listed = try await kairan("asset", "gc", "--dry-run")
            #expect(listed.status == 0 && listed.output.hasSuffix("9 B in all\n"), "\(listed)")
            let refused = try await kairan("asset", "gc")
            #expect(refused.status == 64 && refused.error.contains("Drops 1 asset (9 B)"), "\(refused)")
            #expect(refused.error.contains("Add --yes") && !node.calls.contains("collect false"))
            #expect(try await kairan("asset", "gc", "--yes").output == "Dropped 1 asset.\n")
            #expect(node.calls.last == "collect false")
            #expect(try await kairan.json("asset", "gc", "--yes")["dropped"] == 1)
        }
    }
}
