import FileRecords
import KairanClient
import Testing

@testable import Mounting

@Suite struct `The files of a record` {
    private func paths(_ record: Record) -> [String] { RecordFiles(record).claims.map(\.path.text) }

    @Test func `are the file that it describes, at its path`() throws {
        let files = RecordFiles(SomeRecords.file("2026/lake.jpg", isExecutable: true))
        let claim = try #require(files.claims.first)
        #expect(files.claims.count == 1 && claim.path.text == "2026/lake.jpg" && claim.rank.isFile)
        #expect(claim.file.place == FilePlace(record: Name("2026/lake.jpg"), field: Name("content"), item: nil))
        #expect(claim.file.isExecutable && claim.file.modified == 200_000 && claim.file.device == "d2")
    }

    @Test func `are none where it is deleted, or says that it is a file and is none`() {
        var deleted = SomeRecords.file("a")
        deleted.isDeleted = true
        #expect(paths(deleted).isEmpty)
        #expect(
            paths(SomeRecords.record("b", type: "File", ["path": "a", "content": SomeRecords.asset("a1")])).isEmpty
        )
        #expect(paths(SomeRecords.record("c", ["text": "hello"])).isEmpty)
    }

    @Test func `are the assets of any other record, in a folder of its name`() {
        let record = SomeRecords.record(
            "2026/lake",
            [
                "picture": SomeRecords.asset("a1", name: "lake.jpg"), "sound": SomeRecords.asset("a2"),
                "more": .list([.integer(1), SomeRecords.asset("a3", name: "b.jpg"), .list([SomeRecords.asset("a4")])]),
            ]
        )
        #expect(paths(record) == ["2026/lake/b.jpg", "2026/lake/more-2", "2026/lake/lake.jpg", "2026/lake/sound"])
        #expect(RecordFiles(record).claims.map(\.file.place.item) == [1, 2, nil, nil])
        #expect(RecordFiles(record).claims.map(\.file.modified) == [100_000, 100_000, 100_000, 100_000])
    }

    @Test func `are counted and not shown where a path has more than 64 parts`() throws {
        func path(_ count: Int) -> String { Array(repeating: "d", count: count).joined(separator: "/") }
        let shown = RecordFiles(SomeRecords.file(path(64)))
        #expect(shown.claims.count == 1 && shown.deepCount == 0 && !shown.isEmpty)
        let deep = RecordFiles(SomeRecords.file(path(65)))
        #expect(deep.claims.isEmpty && deep.deepCount == 1 && !deep.isEmpty)
        let assets: RecordValue = .list([SomeRecords.asset("a1", name: "x"), SomeRecords.asset("a2", name: "y")])
        #expect(RecordFiles(SomeRecords.record(path(63), ["f": assets])).claims.count == 2)
        let others = RecordFiles(SomeRecords.record(path(64), ["f": assets]))
        #expect(others.claims.isEmpty && others.deepCount == 2)

        var tree = MountTree(at: 0)
        #expect(tree.replace(with: [deep, others], at: 1).isEmpty)
        #expect(tree.deepFileCount == 3 && tree.fileCount == 0 && tree.folders.count == 1)
        _ = tree.apply(RecordFiles(without: path(64)), at: 2)
        #expect(tree.deepFileCount == 1)
        _ = tree.replace(with: [], at: 3)
        #expect(tree.deepFileCount == 0)
    }

    @Test func `have names without slashes and dots alone, whatever the record says`() {
        let asset = SomeRecords.asset("a1", name: "x")
        #expect(paths(SomeRecords.record("/a", ["f": asset])) == ["_a/x"])
        #expect(paths(SomeRecords.record("a//../b", ["f": asset])) == ["a__.._b/x"])
        for name in ["", ".", "..", "a/b"] {
            #expect(paths(SomeRecords.record("r", ["f/g": SomeRecords.asset("a1", name: name)])) == ["r/f_g"])
            #expect(paths(SomeRecords.record("r", ["..": SomeRecords.asset("a1", name: name)])) == ["r/_"])
        }
        let long = String(repeating: "é", count: 127)
        let found = paths(SomeRecords.record("r", [long: .list([SomeRecords.asset("a1")])]))
        #expect(found == ["r/" + String(repeating: "é", count: 126) + "-0"])
    }

    @Test func `ask for another name of at most 255 bytes that keeps a short ending`() throws {
        func other(_ name: String) throws -> String {
            let record = SomeRecords.record("r", ["f": SomeRecords.asset("a1", name: name)])
            return try #require(RecordFiles(record).claims.first).otherName
        }
        let plain = try other("lake.jpg")
        #expect(plain.hasPrefix("lake [") && plain.hasSuffix("].jpg") && plain.utf8.count == "lake.jpg".utf8.count + 15)
        #expect(try other(".profile").hasPrefix(".profile ["))
        #expect(try other("a." + String(repeating: "b", count: 20)).hasSuffix("]"))
        let long = try other(String(repeating: "é", count: 120) + ".jpg")
        #expect(long.utf8.count <= 255 && long.hasSuffix("].jpg") && FilePath(long) != nil)
    }

    @Test func `have digits in that name that do not depend on the order of a list`() {
        let (one, two) = (SomeRecords.asset("a1", name: "x"), SomeRecords.asset("a2", name: "x"))
        let names = [[one, two], [two, one]].map { list in
            Set(RecordFiles(SomeRecords.record("r", ["f": .list(list)])).claims.map(\.otherName))
        }
        #expect(names[0] == names[1] && names[0].count == 2)
    }
}
