import FileRecords
import Foundation
import Glibc
import KairanClient
import Testing

@testable import Mounting

@Suite struct `A written file` {
    static let place = NamePlace(folder: .root, name: Name("a"))

    static func path(_ text: String) throws -> FilePath { try #require(FilePath(text)) }

    static func source(_ path: String, version: String = "v1", asset: String = "a1") throws -> FileSource {
        let content = AssetDescription(asset: asset, size: 10)
        return FileSource(
            file: FileRecord(path: try self.path(path), content: content, digest: nil),
            version: version,
            conflictCount: 0
        )
    }

    private func new() throws -> WrittenFile {
        WrittenFile(NodeID(number: 9), new: try Self.path("a"), at: Self.place, isExecutable: false, time: 5)
    }

    private func opened() throws -> WrittenFile {
        WrittenFile(NodeID(number: 9), of: try Self.source("a"), at: Self.place, modified: 5)
    }

    @Test func `that is new is stored although nothing was written`() throws {
        var file = try new()
        let draft = try #require(file.draft)
        #expect(draft.source == nil && draft.hasNewContent && draft.byteCount == 0 && !file.hasUnstoredBytes)
        file.stored(draft, in: try Self.source("a"))
        #expect(file.draft == nil && file.source?.version == "v1" && file.place == Self.place)
    }

    @Test func `that is only opened has nothing to be stored`() throws {
        let file = try opened()
        #expect(file.draft == nil && !file.isUnstored && file.byteCount == 10)
    }

    @Test func `is stored again where it was written while it was stored`() throws {
        var file = try opened()
        file.wrote(5..<30, at: 7)
        let first = try #require(file.draft)
        #expect(first.byteCount == 30 && first.modified == 7 && first.hasNewContent)
        file.wrote(0..<2, at: 8)
        file.stored(first, in: try Self.source("a", version: "v2"))
        let second = try #require(file.draft)
        #expect(second.byteCount == 30 && second.modified == 8 && second.source?.version == "v2")
        file.stored(second, in: try Self.source("a", version: "v3"))
        #expect(file.draft == nil)
    }

    @Test func `takes a write of its record alone where only facts have changed`() throws {
        var file = try opened()
        file.set(isExecutable: true, modified: 9)
        let draft = try #require(file.draft)
        #expect(!draft.hasNewContent && draft.isExecutable && draft.modified == 9 && !file.hasUnstoredBytes)
        file.stored(draft, in: try Self.source("a"))
        file.set(isExecutable: true, modified: 9)
        #expect(file.draft == nil)
    }

    @Test func `that has no name any more is not stored, and no byte of it is kept`() throws {
        var file = try opened()
        file.wrote(0..<20, at: 7)
        #expect(file.hasUnstoredBytes)
        file.unlink()
        #expect(file.draft == nil && !file.hasUnstoredBytes)
    }

    @Test func `goes on as the conflict file that it was stored in`() throws {
        var file = try opened()
        file.wrote(0..<20, at: 7)
        file.stored(try #require(file.draft), in: try Self.source("a (conflict desk 1)", version: "v7"))
        #expect(file.path.text == "a (conflict desk 1)" && file.place?.name == Name("a (conflict desk 1)"))
        file.resized(to: 3, at: 8)
        #expect(file.draft?.source?.version == "v7" && file.draft?.byteCount == 3)
    }

    @Test func `is found by the name that it has now`() throws {
        var files = WrittenFiles()
        let id = NodeID(number: 9)
        files.insert(try new())
        #expect(files.names == [Self.place: id] && files.names(in: .root) == [Name("a"): id])
        let other = NamePlace(folder: NodeID(number: 4), name: Name("b"))
        let source = try Self.source("d/b")
        files.update(id) { $0.moved(to: other, source) }
        #expect(files.names == [other: id] && files[id]?.path.text == "d/b")
        files.remove(id)
        #expect(files.names.isEmpty && files.files.isEmpty)
    }
}

@Suite struct `Writes of a mount, beside the feed,` {
    private let name = Name("a")

    @Test func `are shown by their answers, and a later event of the same version says nothing new`() {
        var own = OwnWrites()
        own.begin(name)
        #expect(own.end(name) == false)
        own.expect("v2", of: name)
        #expect(own.told(name, "v2") == nil)
        #expect(own.told(name, "v3") == nil, "another device has written it")
        #expect(own.count == 0)
    }

    @Test func `are not undone by an event that may be older`() {
        var own = OwnWrites()
        own.expect("v2", of: name)
        #expect(own.told(name, "v1") == "v2")
        // The daemon says that the answer is the newest state, of which the feed will tell.
        #expect(own.asked(name, "v2", insteadOf: "v2") == true)
        #expect(own.told(name, "v2") == nil && own.count == 0)
    }

    @Test func `do not hide a newer version whose event came in place of theirs`() {
        var own = OwnWrites()
        own.expect("v2", of: name)
        #expect(own.told(name, "v3") == "v2")
        #expect(own.asked(name, "v3", insteadOf: "v2") == true)
        #expect(own.told(name, "v4") == nil)
        own.expect("v5", of: name)
        #expect(own.told(name, "v1") == "v5")
        own.expect("v6", of: name)
        #expect(own.asked(name, "v5", insteadOf: "v5") == false, "a further write has made the tree newer")
    }

    @Test func `are asked for again where the feed told of the record meanwhile`() {
        var own = OwnWrites()
        own.begin(name)
        _ = own.told(name, "v9")
        #expect(own.end(name) == true)
        own.begin(name)
        #expect(own.end(name) == false)
    }
}

@Suite struct `A write that is refused, since the record has changed,` {
    private func record(_ digest: UInt8?, asset: String, isExecutable: Bool = false) throws -> Record {
        var record = SomeRecords.file("a", asset: asset, isExecutable: isExecutable)
        if let digest {
            record.fields["sha256"] = .bytes(Array(repeating: digest, count: 32))
            record.fields["sha256_of"] = .string(asset)
        }
        return record
    }

    @Test func `was made, or is made anew, or is kept beside it`() throws {
        let digest = FileDigest(Array(repeating: 1, count: 32))
        let content = AssetDescription(asset: "a1", size: 10)
        let file = FileRecord(path: try `A written file`.path("a"), content: content, digest: digest)
        // The contents that this mount has uploaded.
        func decide(
            _ current: Record?,
            expected version: String = "v",
            sent: [String: UInt8] = [:]
        ) -> ZoneWriter.Decision {
            ZoneWriter.decide(current, file, expected: version) { asset in
                sent[asset].flatMap { FileDigest(Array(repeating: $0, count: 32)) }
            }
        }
        #expect(decide(nil) == .isNew, "a change wins over a deletion")
        #expect(decide(nil, expected: "") == .isConflict, "a name that no record has, and that is refused")
        let sent: [String: UInt8] = ["a7": 1, "a8": 2]
        #expect(try decide(record(1, asset: "a7"), sent: sent) == .isStored, "the answer was lost")
        #expect(try decide(record(1, asset: "a9"), sent: sent) == .isConflict, "another member states the digest")
        #expect(try decide(record(1, asset: "a8"), sent: sent) == .isConflict, "a member states it of earlier bytes")
        #expect(try decide(record(nil, asset: "a7"), sent: sent) == .isStored)
        #expect(try decide(record(nil, asset: "a1")) == .isStored)
        #expect(try decide(record(2, asset: "a7"), sent: ["a7": 2]) == .isConflict)
        #expect(try decide(record(nil, asset: "a7")) == .isConflict)
        #expect(try decide(record(1, asset: "a7", isExecutable: true), sent: sent) == .isConflict)
        #expect(decide(SomeRecords.record("a", ["f": .string("of another type")])) == .isConflict)
    }
}

@Suite struct `The contents that a mount has uploaded` {
    @Test func `are known by their digests, the last ones`() throws {
        var sent = SentContents()
        let digests = try (0..<2).map { try #require(FileDigest(Array(repeating: UInt8($0), count: 32))) }
        for number in 0...SentContents.countMax {
            sent.note(digests[number % 2], of: "a\(number)")
            sent.note(digests[number % 2], of: "a\(number)")
        }
        #expect(sent.digest(of: "a0") == nil)
        #expect(sent.digest(of: "a1") == digests[1])
        #expect(sent.digest(of: "a\(SentContents.countMax)") == digests[0])
        sent.note(digests[0], of: "new")
        #expect(sent.digest(of: "a1") == nil)
        #expect(sent.digest(of: "new") == digests[0])
    }
}

@Suite struct `The path of a written file` {
    @Test func `has at most 64 parts, as those that are shown`() throws {
        let folder = Array(repeating: "d", count: 63).joined(separator: "/")
        #expect(try WrittenPath.path(of: Name("f"), in: folder).text == folder + "/f")
        #expect(throws: WriteFault(ENAMETOOLONG)) { try WrittenPath.path(of: Name("f"), in: folder + "/d") }
    }
}

@Suite struct `The writes of a folder that is moved` {
    @Test func `are divided by their bytes, and a file stays whole`() {
        let large = String(repeating: "x", count: 1_000)
        let writes = (0..<10).flatMap { number in
            [RecordWrite("n\(number)", type: "File", fields: ["f": .string(large)]), .deletion("o\(number)")]
        }
        let batches = ZoneWriter.batches(writes, byteCountMax: 3_500)
        #expect(batches.map(\.count) == [6, 6, 6, 2])
        #expect(batches.flatMap { $0 } == writes)
        #expect(ZoneWriter.batches(writes, byteCountMax: 1).map(\.count) == [2, 2, 2, 2, 2, 2, 2, 2, 2, 2])
        #expect(ZoneWriter.batches([]).isEmpty)
    }
}
