import FileRecords
import FoundationEssentials
import KairanInterface
import Testing

@testable import Folders

@Suite struct `A conflict in a record` {
    private static func sibling(_ file: FileRecord, by device: String) -> Sibling {
        Sibling(version: "side", by: device, fields: file.write(ifVersion: nil).fields)
    }

    private static func file(_ content: String, states: Bool = true) -> FileRecord {
        var file = CoreBench.file("a.txt", content, states: states)
        file.content.modifiedAt = Date(milliseconds: 1_784_626_200_000)
        return file
    }

    /// A bench that has looked at a conflict of one record, and knows the digests of some contents as the reader of these.
    private static func looked(
        _ winner: FileRecord,
        _ loser: FileRecord,
        known: [String: String] = [:]
    ) -> (CoreBench, [FolderDecision]) {
        var bench = CoreBench()
        for (content, bytes) in known { bench.core.contents.note(digest(bytes), of: "asset of \(content)") }
        bench.receive(winner, version: "v3", conflicts: 2)
        bench.begin()
        guard bench.decide() == [.look(path("a.txt"))] else { return (bench, []) }
        let shown = record(path("a.txt"), winner, version: "v3", conflicts: 2)
        let sides = [sibling(winner, by: "device-a"), sibling(loser, by: "device-b")]
        bench.finish(.look(path("a.txt")), .looked(shown, sides))
        return (bench, bench.core.decide(at: bench.now))
    }

    @Test func `becomes a file of its own and is ended, in one write`() throws {
        let (winner, loser) = (Self.file("winner"), Self.file("loser"))
        var (bench, decisions) = Self.looked(winner, loser)
        let split = try #require(decisions.first)
        let writes = try #require(split.splitFiles)
        #expect(writes.map(\.version) == ["", "v3"])
        #expect(writes.map(\.file.path.text) == ["a (conflict laptop 2026-07-21 09-30-00).txt", "a.txt"])
        #expect(writes[0].file.content.asset == "asset of loser" && writes[0].file.conflictOf == path("a.txt"))
        #expect(writes[1].file.content.asset == "asset of winner" && writes[1].file.conflictOf == nil)

        bench.finish(split, .written(writes.map { record($0.file.path, $0.file, version: "v4") }))
        let asks = bench.core.decide(at: bench.now)
        #expect(Set(asks) == Set(writes.map { FolderDecision.ask($0.file.path) }))
        for (ask, write) in zip(asks.sorted { $0.path < $1.path }, writes.sorted { $0.file.path < $1.file.path }) {
            bench.finish(ask, .asked(record(write.file.path, write.file, version: "v4"), wasDeleted: false))
        }
        #expect(bench.core.decide(at: bench.now).count { $0.work == .downloading } == 2)
    }

    @Test func `of two contents that were read here, with the same bytes, makes no conflict file`() throws {
        let known = ["winner": "same", "loser": "same"]
        let split = try #require(Self.looked(Self.file("winner"), Self.file("loser"), known: known).1.first)
        let writes = try #require(split.splitFiles)
        #expect(writes.map(\.file.path.text) == ["a.txt"])
    }

    private static let differing: [[String: String]] = [
        [:], ["winner": "winner"], ["loser": "loser"], ["winner": "winner", "loser": "loser"],
    ]

    @Test(arguments: differing)
    func `keeps a version that is stated to have the digest of the other one`(known: [String: String]) throws {
        var (winner, loser) = (Self.file("winner"), Self.file("loser"))
        (winner.digest, loser.digest) = (digest("stated"), digest("stated"))
        let split = try #require(Self.looked(winner, loser, known: known).1.first)
        let writes = try #require(split.splitFiles)
        #expect(writes.map(\.file.content.asset) == ["asset of loser", "asset of winner"])
    }

    @Test func `keeps a version whose digest is not known`() throws {
        let split = try #require(Self.looked(Self.file("winner"), Self.file("loser", states: false)).1.first)
        let writes = try #require(split.splitFiles)
        #expect(writes.count == 2)
    }

    @Test func `of fields of other programs is left to them`() {
        let decisions = Self.looked(Self.file("winner"), Self.file("winner")).1
        #expect(decisions == [.download(Self.file("winner"), expecting: .nothing)])
    }

    @Test func `that may not be ended here does not keep the file away`() throws {
        var (bench, decisions) = Self.looked(Self.file("winner"), Self.file("loser"))
        let split = try #require(decisions.first)
        bench.finish(split, .failed(FolderFailure("this account may not write", isTemporary: false)))
        #expect(bench.core.decide(at: bench.now) == [.download(Self.file("winner"), expecting: .nothing)])
    }

    @Test func `is looked at again if the record changes meanwhile`() throws {
        var (bench, decisions) = Self.looked(Self.file("winner"), Self.file("loser"))
        let split = try #require(decisions.first)
        bench.finish(split, .mismatch(record(path("a.txt"), Self.file("third"), version: "v5", conflicts: 2)))
        #expect(bench.core.decide(at: bench.now) == [.ask(path("a.txt"))])
        let third = record(path("a.txt"), Self.file("third"), version: "v5", conflicts: 2)
        bench.finish(.ask(path("a.txt")), .asked(third, wasDeleted: false))
        #expect(bench.core.decide(at: bench.now) == [.look(path("a.txt"))])
    }
}

@Suite struct `The name of a conflict file` {
    @Test(arguments: [
        ("a.txt", "a (conflict desk now).txt"), ("d/a", "d/a (conflict desk now)"),
        (".profile", ".profile (conflict desk now)"), ("a.tar.gz", "a.tar (conflict desk now).gz"),
        ("Mr. Smith goes", "Mr. Smith goes (conflict desk now)"),
        // Of a conflict file it is that of the first file.
        ("a (conflict lap then).txt", "a (conflict desk now).txt"),
    ])
    func `has device and time before the extension`(name: String, expected: String) {
        #expect(ConflictName.path(of: path(name), device: "desk", time: "now")?.text == expected)
    }

    @Test func `names the file that it is another version of`() {
        #expect(ConflictName.original(of: path("d/a (conflict desk 2026-07-21 09-30-00 2).txt")) == path("d/a.txt"))
        for name in ["a.txt", "a (conflict).txt", "a (conflict x).txt", " (conflict a b)", "a (conflict a b) more"] {
            #expect(ConflictName.original(of: path(name)) == nil, "\(name)")
        }
    }

    @Test func `has room for the mark, whatever the names are`() throws {
        let long = String(repeating: "ü", count: 125) + ".jpeg"
        let device = "a/b (c)\n" + String(repeating: "x", count: 80)
        let found = try #require(ConflictName.path(of: path(long), device: device, time: "now", number: 12))
        #expect(found.text.utf8.count <= FilePath.partByteCountMax)
        #expect(found.text.hasSuffix(" now 12).jpeg") && found.text.contains("(conflict a-b -c--xx"))
        #expect(ConflictName.original(of: found) != nil)
        let extended = "a." + String(repeating: "x", count: 250)
        #expect(ConflictName.path(of: path(extended), device: "desk", time: "now")?.lastPart.hasPrefix("a.x") == true)
    }
}
