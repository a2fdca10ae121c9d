import FileRecords
import KairanInterface
import Testing

@testable import Importing

@Suite("The files of a zone")
struct KnownFilesTests {
    @Test("Records of another form are no files")
    func others() throws {
        var files = KnownFiles()
        var deleted = try Record.file("a")
        deleted.isDeleted = true
        var moved = try Record.file("a")
        moved.name = "b"
        for record in [deleted, moved, try .file("a", type: "Photo")] { files.note(record) }
        #expect(files.count == 0)
        files.note(try Asset.content(of: "a", "A"))
        #expect(files.count == 0)
    }

    @Test("A file has the facts of its record and of its content")
    func facts() throws {
        let digest = try FileDigest.sample(1)
        let record = try Record.file("a", version: "w", digest: digest, isExecutable: true)
        let files = KnownFiles.one(record, try .content(of: "a", "A", size: 7, at: 9))
        let path = try FilePath.sample("a")
        let file = try #require(files[path])
        #expect(file.version == "w")
        #expect(file.digest == digest)
        #expect(file.isExecutable)
        #expect(!file.hasConflict)
        let content = try #require(file.content)
        #expect(content.asset == "A")
        #expect(content.size == 7)
        #expect(content.modifiedMilliseconds == 9)
        #expect(content.isHere)
        #expect(files.content(of: digest, size: 7) == HeldContent(asset: "A", statedBy: "a"))
        #expect(files.content(of: digest, size: 8) == nil)
        #expect(files.hasContent(ofSize: 7))
        #expect(!files.hasContent(ofSize: 8))
    }

    @Test("A digest that is stated of another content is none")
    func digestOfAnother() throws {
        let digest = try FileDigest.sample(1)
        let files = KnownFiles.one(try .file("a", digest: digest, of: "B"), try .content(of: "a", "A"))
        let path = try FilePath.sample("a")
        #expect(files[path]?.digest == nil)
        #expect(files.content(of: digest, size: 10) == nil)
        #expect(!files.hasContent(ofSize: 10))
    }

    @Test("Assets of other fields, and those in lists, are not the content of a file")
    func otherAssets() throws {
        var files = KnownFiles.one(try .file("a", digest: try .sample(1)), nil)
        var cover = try Asset.content(of: "a", "A")
        cover.field = "cover"
        var item = try Asset.content(of: "a", "A")
        item.item = 0
        files.note(cover)
        files.note(item)
        let (path, digest) = (try FilePath.sample("a"), try FileDigest.sample(1))
        #expect(files[path]?.content == nil)
        #expect(files.content(of: digest, size: 10) == nil)
    }

    @Test("Content is known by its digest until no record names it")
    func forgetting() throws {
        var files = KnownFiles()
        let digest = try FileDigest.sample(1)
        files.hold(digest, size: 3, asset: "A")
        #expect(files.content(of: digest, size: 3) == HeldContent(asset: "A"))
        files.forget(digest, size: 4)
        #expect(files.content(of: digest, size: 3) == HeldContent(asset: "A"))
        files.forget(digest, size: 3)
        #expect(files.content(of: digest, size: 3) == nil)
    }

    @Test("Names are compared as bytes")
    func names() throws {
        let files = KnownFiles.one(try .file("\u{E9}"), nil)
        let (composed, decomposed) = (try FilePath.sample("\u{E9}"), try FilePath.sample("e\u{301}"))
        #expect(files[composed] != nil)
        #expect(files[decomposed] == nil)
    }

    @Test("A path with a record of another form, or without its content, cannot be imported")
    func replacing() throws {
        var files = KnownFiles()
        let path = try FilePath.sample("a")
        let content = AssetDescription(asset: "A", size: 3)
        let records = [try Record.file("a", type: "Photo"), try .file("a"), try .file("a", content: content)]
        #expect(records.map { files.replace(path, with: $0) } == [false, false, true])
        #expect(files[path]?.content?.size == 3)
        let isFree = files.replace(path, with: nil)
        #expect(isFree)
        #expect(files[path] == nil)
    }
}
