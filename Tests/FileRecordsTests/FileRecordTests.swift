import FileRecords
import FoundationEssentials
import KairanInterface
import Testing

@Suite("Files as records")
struct FileRecordTests {
    private static let content = AssetDescription(asset: "mfzwizlt", size: 3, name: "lake.jpg")

    private func record(
        _ name: String,
        type: String = "File",
        _ fields: NameDictionary<RecordValue>
    ) -> Record {
        let time = Date(timeIntervalSince1970: 0)
        return Record(
            zone: "z",
            name: name,
            type: type,
            fields: fields,
            version: "v",
            createdBy: "d",
            modifiedBy: "d",
            modifiedAt: time
        )
    }

    private func file() throws -> FileRecord {
        FileRecord(
            path: try #require(FilePath("2026/lake.jpg")),
            content: Self.content,
            digest: FileDigest(Array(repeating: 7, count: 32)),
            isExecutable: true
        )
    }

    @Test("A file that is written is read as it was")
    func roundTrip() throws {
        let write = try file().write(ifVersion: "")
        #expect(write.ifVersion == "")
        #expect(FileRecord(record(write.name, type: try #require(write.type), write.fields)) == (try file()))
    }

    @Test("A write removes the digest and the mark that the file lacks")
    func removes() throws {
        var file = try file()
        (file.digest, file.isExecutable) = (nil, false)
        let write = file.write(ifVersion: nil)
        #expect(write.removedFields == ["sha256", "sha256_of", "executable"])
        #expect(write.fields.keys == ["content", "path"])
        #expect(!write.replacesAll)
    }

    @Test("A conflict file names the file that it is another version of, and any other file none")
    func conflictOf() throws {
        var file = try file()
        #expect(file.write(ifVersion: nil).fields["conflict_of"] == nil)
        file.conflictOf = FilePath("2026/pond.jpg")
        let write = file.write(ifVersion: nil)
        #expect(write.fields["conflict_of"] == .string("2026/pond.jpg"))
        let read = try #require(FileRecord(record(write.name, write.fields)))
        #expect(read == file)
    }

    @Test("The content has the name of its file")
    func contentName() throws {
        let path = try #require(FilePath("2026/pond.jpg"))
        #expect(FileRecord(path: path, content: Self.content, digest: nil).content.name == "pond.jpg")
    }

    @Test("A record of another form is no file")
    func others() throws {
        let fields = try file().write(ifVersion: nil).fields
        #expect(FileRecord(record("2026/lake.jpg", type: "Photo", fields)) == nil)
        #expect(FileRecord(record("2026/pond.jpg", fields)) == nil)
        for name in ["path", "content"] {
            var fewer = fields
            fewer.removeValue(forKey: name)
            #expect(FileRecord(record("2026/lake.jpg", fewer)) == nil)
        }
        var outside = fields
        outside["path"] = .string("../lake.jpg")
        #expect(FileRecord(record("../lake.jpg", outside)) == nil)
        var deleted = record("2026/lake.jpg", fields)
        #expect(FileRecord(deleted) != nil)
        deleted.isDeleted = true
        #expect(FileRecord(deleted) == nil)
    }

    @Test("A digest that is not stated to be of the record's content states nothing")
    func otherDigest() throws {
        var fields = try file().write(ifVersion: nil).fields
        #expect(try #require(FileRecord(record("2026/lake.jpg", fields))).digest != nil)
        // As a merge leaves them: the content of one writer, and the digest of another one.
        fields["content"] = .asset(AssetDescription(asset: "nb2hi4dt", size: 3, name: "lake.jpg"))
        #expect(try #require(FileRecord(record("2026/lake.jpg", fields))).digest == nil)
        fields.removeValue(forKey: "sha256_of")
        #expect(try #require(FileRecord(record("2026/lake.jpg", fields))).digest == nil)
    }

    @Test("A digest of another length states nothing")
    func shortDigest() throws {
        var fields = try file().write(ifVersion: nil).fields
        fields["sha256"] = .bytes([1, 2, 3])
        let read = try #require(FileRecord(record("2026/lake.jpg", fields)))
        #expect(read.digest == nil)
    }
}
