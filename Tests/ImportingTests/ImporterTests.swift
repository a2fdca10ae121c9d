import FileRecords
import FoundationEssentials
import Glibc
import KairanClient
import Synchronization
import Testing

@testable import Importing
@testable import KairanTesting

/// A daemon in memory that counts its requests by their methods and kinds.
private final class CountingTransport: DaemonTransport {
    private let daemon = MemoryTransport()
    private let counts = Mutex<[String: Int]>([:])

    /// The number of requests whose targets end so.
    func count(_ end: String) -> Int { counts.withLock { $0[end, default: 0] } }
    /// The number of all requests.
    var total: Int { counts.withLock { $0.values.reduce(0, +) } }

    func execute(_ request: SocketRequest) async throws -> SocketAnswer {
        let end = "\(request.method) \(request.target.split(separator: "/").last ?? "")"
        counts.withLock { $0[end, default: 0] += 1 }
        return try await daemon.execute(request)
    }
}

@Suite("The import of a folder", .timeLimit(.minutes(5)))
struct ImporterTests {
    /// A zone of a daemon in memory, and a folder.
    private struct Scene {
        var client: DaemonClient
        var zone: String
        var path: String

        /// Imports the folder; the outcomes in the order of their names, a line each.
        func imported(_ change: (inout Importer.Options) -> Void = { _ in }) async throws -> [String] {
            try await run(change).outcomes
        }

        func run(
            _ change: (inout Importer.Options) -> Void = { _ in }
        ) async throws -> (outcomes: [String], summary: ImportSummary) {
            var options = Importer.Options()
            options.metadata = .none
            change(&options)
            var outcomes: [String] = []
            let summary = try await Importer(path, into: zone, client: client, options: options).run(
                tell: { notice in
                    guard case .outcome(let outcome) = notice else { return }
                    outcomes.append("\(outcome.source) " + (outcome.obstacle?.code ?? outcome.kind.rawValue))
                },
                progress: { _ in }
            )
            return (outcomes.sorted(), summary)
        }

        func write(_ name: String, _ text: String, at seconds: Int = 1_784_626_200) {
            TemporaryFolder.write("\(path)/\(name)", Array(text.utf8), at: seconds)
        }

        func file(_ name: String) async throws -> FileRecord {
            let record = try await client.record(try FilePath.sample(name).recordName, in: zone)
            return try #require(FileRecord(record))
        }

        func content(of name: String) async throws -> String {
            let place = Asset.Place(zone: zone, record: try FilePath.sample(name).recordName, field: "content")
            var bytes: [UInt8] = []
            for try await piece in try await client.assets.content(of: place) { bytes += piece }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    private func scene(_ body: (Scene) async throws -> Void) async throws {
        try await TemporaryFolder.with { path in
            let client = MemoryDaemon().kairan.client
            let zone = try await client.createZone(name: "photos", container: "org.example.photos").zone
            try await body(Scene(client: client, zone: zone, path: path))
        }
    }

    @Test("Files become records with their content, and a second import passes over all of them")
    func twice() async throws {
        try await scene { scene in
            scene.write("a.txt", "first")
            scene.write("2026/b", "second")
            #expect(try await scene.imported() == ["2026/b added", "a.txt added"])
            let file = try await scene.file("2026/b")
            #expect(file.path.text == "2026/b")
            #expect(file.content.name == "b")
            #expect(file.content.size == 6)
            #expect(file.content.modifiedAt == Date(milliseconds: 1_784_626_200_125))
            #expect(file.digest == FileDigest(of: Array("second".utf8)))
            #expect(try await scene.content(of: "2026/b") == "second")
            let again = try await scene.run()
            #expect(again.outcomes == ["2026/b unchanged", "a.txt unchanged"])
            #expect(again.summary.exitCode == 0)
            #expect(again.summary.byteCount == 0)
        }
    }

    @Test("A changed file gets its new content, and one with another time alone keeps its content and its other fields")
    func changes() async throws {
        try await scene { scene in
            scene.write("a", "first")
            scene.write("b", "second")
            _ = try await scene.imported()
            let before = try await scene.file("b")
            try await scene.client.save(RecordWrite("b", fields: ["stars": 5]), in: scene.zone)
            scene.write("a", "newer", at: 1_784_626_300)
            TemporaryFolder.touch("\(scene.path)/b", at: 1_784_626_300)
            #expect(try await scene.imported() == ["a changed", "b described"])
            #expect(try await scene.content(of: "a") == "newer")
            let after = try await scene.file("b")
            #expect(after.content.asset == before.content.asset)
            #expect(after.content.modifiedAt == Date(milliseconds: 1_784_626_300_125))
            #expect(try await scene.client.record("b", in: scene.zone).fields["stars"] == 5)
            #expect(try await scene.imported() == ["a unchanged", "b unchanged"])
        }
    }

    @Test("A mark is taken over without reading the file")
    func mark() async throws {
        try await scene { scene in
            scene.write("a", "first")
            _ = try await scene.imported()
            chmod("\(scene.path)/a", 0o755)
            #expect(try await scene.imported() == ["a described"])
            #expect(try await scene.file("a").isExecutable)
        }
    }

    @Test("Equal files name one content, also when one comes later under another name")
    func duplicates() async throws {
        try await scene { scene in
            for number in 0..<40 { scene.write("d/\(number)", "equal") }
            _ = try await scene.imported { $0.jobCount = 4 }
            let first = try await scene.file("d/0").content.asset
            for number in 1..<40 { #expect(try await scene.file("d/\(number)").content.asset == first) }
            scene.write("moved", "equal")
            let run = try await scene.run()
            #expect(run.outcomes.contains("moved added"))
            #expect(try await scene.file("moved").content.asset == first)
        }
    }

    @Test("A file is uploaded where a record states its digest and names another content")
    func falseDigest() async throws {
        try await scene { scene in
            let other = try await scene.client.assets.upload(Data("other".utf8), in: scene.zone)
            let content = AssetDescription(asset: other.asset, size: other.size)
            let digest = FileDigest(of: Array("equal".utf8))
            let path = try FilePath.sample("theirs")
            let theirs = FileRecord(path: path, content: content, digest: digest)
            try await scene.client.save(theirs.write(ifVersion: ""), in: scene.zone)
            scene.write("ours", "equal")
            #expect(try await scene.imported() == ["ours added"])
            #expect(try await scene.content(of: "ours") == "equal")
            #expect(try await scene.content(of: "theirs") == "other")
        }
    }

    @Test("A large file is uploaded piece by piece, and a second one of the same bytes not at all")
    func large() async throws {
        try await scene { scene in
            let size = Int(ImportCore.memoryByteCountMax) + 1_000
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }
            for name in ["a", "b"] { TemporaryFolder.write("\(scene.path)/\(name)", bytes) }
            #expect(try await scene.imported() == ["a added", "b added"])
            let (first, second) = (try await scene.file("a"), try await scene.file("b"))
            #expect(first.digest == FileDigest(of: bytes))
            #expect(first.content.size == UInt64(size))
            #expect(second.content.asset == first.content.asset)
        }
    }

    @Test("An older file, a record of another form and a link stay as they are, and are reported")
    func refusals() async throws {
        try await scene { scene in
            scene.write("a", "first")
            _ = try await scene.imported()
            scene.write("a", "older", at: 1_784_000_000)
            scene.write("b", "second")
            symlink("a", "\(scene.path)/link")
            try await scene.client.save(RecordWrite("b", type: "Photo", fields: ["title": "B"]), in: scene.zone)
            let run = try await scene.run()
            #expect(run.outcomes == ["a file.older", "b record.other", "link file.link"])
            #expect(run.summary.exitCode == 1)
            #expect(try await scene.content(of: "a") == "first")
            #expect(try await scene.client.record("b", in: scene.zone).type == "Photo")
        }
    }

    @Test("A dry run writes nothing")
    func dryRun() async throws {
        try await scene { scene in
            scene.write("a", "first")
            let outcomes = try await scene.imported { $0.isDryRun = true }
            #expect(outcomes == ["a new"])
            let records = try await scene.client.records(in: scene.zone).records
            #expect(records.isEmpty)
        }
    }

    @Test("Files go into the folder of the zone that was named")
    func into() async throws {
        try await scene { scene in
            scene.write("a", "first")
            let folder = try FilePath.sample("2026/summer")
            #expect(try await scene.imported { $0.into = folder } == ["a added"])
            #expect(try await scene.content(of: "2026/summer/a") == "first")
        }
    }

    @Test("Names that are no names of records have records too")
    func oddNames() async throws {
        try await scene { scene in
            let long = String(repeating: "n", count: 200)
            for name in ["a\nb", "...", "\(long)/\(long)"] { scene.write(name, name) }
            let outcomes = try await scene.imported { $0.includesHidden = true }
            #expect(outcomes.count == 3)
            let content = try await scene.content(of: "...")
            #expect(content == "...")
            let again = try await scene.imported { $0.includesHidden = true }
            #expect(again.allSatisfy { $0.hasSuffix(" unchanged") })
        }
    }

    @Test("Thousands of small files are written in few batches, and the progress reaches its end")
    func many() async throws {
        try await scene { scene in
            for number in 0..<1_000 { scene.write("f\(number)", "\(number)") }
            let last = Mutex(FolderProgress())
            var options = Importer.Options()
            options.metadata = .none
            let summary = try await Importer(scene.path, into: scene.zone, client: scene.client, options: options).run(
                tell: { _ in },
                progress: { progress in last.withLock { $0 = progress } }
            )
            #expect(summary.count(.added) == 1_000)
            #expect(last.withLock { $0.fileTotal } == 1_000)
        }
    }

    @Test("A small file takes one request, and many files share the requests for their records")
    func requests() async throws {
        try await TemporaryFolder.with { path in
            let transport = CountingTransport()
            let client = DaemonClient(socketPath: "", transport: transport)
            let zone = try await client.createZone(name: "photos", container: "org.example.photos").zone
            let scene = Scene(client: client, zone: zone, path: path)
            for number in 0..<500 { scene.write("f\(number)", "\(number)") }
            let before = transport.total
            _ = try await scene.run()
            #expect(transport.count("POST assets") == 500)
            let records = transport.count("POST batch")
            #expect(records >= 2)
            // The zone, the list of its files and that of its contents.
            #expect(transport.total - before == 500 + records + 3)
            let again = try await scene.run()
            #expect(again.summary.count(.unchanged) == 500)
            #expect(transport.count("POST assets") == 500)
        }
    }

    @Test("An import whose daemon stops ends with its error, and the next one continues")
    func stopped() async throws {
        try await TemporaryFolder.with { path in
            let daemon = MemoryDaemon()
            let client = daemon.kairan.client
            let zone = try await client.createZone(name: "photos", container: "org.example.photos").zone
            let scene = Scene(client: client, zone: zone, path: path)
            for number in 0..<600 { scene.write("f\(number)", "\(number)") }
            var options = Importer.Options()
            (options.metadata, options.jobCount) = (.none, 1)
            let importer = Importer(path, into: zone, client: client, options: options)
            let error = await #expect(throws: KairanError.self) {
                try await importer.run(tell: { _ in daemon.stop() }, progress: { _ in })
            }
            #expect(error?.kind == .unreachable)
            daemon.start()
            let run = try await scene.run()
            #expect(run.summary.count(.unchanged) > 0)
            #expect(run.summary.count(.unchanged) + run.summary.count(.added) == 600)
        }
    }

    @Test("A folder that cannot be read, and a zone that does not exist, are errors")
    func errors() async throws {
        try await scene { scene in
            var wrong = scene
            wrong.path += "/none"
            await #expect(throws: FolderUnreadable.self) { try await wrong.imported() }
            wrong = scene
            wrong.zone = "none"
            let error = await #expect(throws: KairanError.self) { try await wrong.imported() }
            #expect(error?.code == "zone.unknown")
        }
    }
}
