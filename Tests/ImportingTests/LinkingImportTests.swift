import FileRecords
import KairanInterface
import Testing

@testable import Importing

@Suite("The decisions of an import that links")
struct LinkingImportTests {
    private static func link(_ path: String, _ state: AssetLink.State = .sound) -> AssetLink {
        AssetLink(
            asset: "A",
            root: "/srv",
            file: "/srv/photos/" + path,
            size: 10,
            state: state,
            place: Asset.Place(zone: "z", record: "a", field: "content")
        )
    }

    @Test("A file that was moved since it was linked keeps its record, and is not read")
    func moved() throws {
        var known = KnownFiles.one(try .file("a"), try .content(of: "a", "A"))
        known.note(Self.link("2026/b"), in: "/srv/photos")
        known.note(Self.link("c", .changed), in: "/srv/photos")
        known.note(Self.link("d"), in: "/srv/photo")
        let files = [try FoundFile.sample("2026/b"), try .sample("c"), try .sample("d")]
        var core = ImportCore(files: files, known: known, isLinking: true)
        #expect(core.told() == ["2026/b unchanged"])
        #expect(core.nextBundle() == [1, 2])
    }

    @Test("Equal files are contents of their own, neither of which waits for the other one")
    func equal() throws {
        let digest = try FileDigest.sample(1)
        let known = KnownFiles.one(try .file("a", digest: digest), try .content(of: "a", "A"))
        var core = ImportCore(files: [try .sample("b"), try .sample("c")], known: known, isLinking: true)
        #expect(core.nextBundle() == [0, 1])
        for index in 0..<2 {
            #expect(core.opened(index, core.file(index)) == .digest)
            #expect(core.digested(index, digest) == .upload)
        }
    }

    @Test("A linked file with another time is compared by its digest")
    func touched() throws {
        let digest = try FileDigest.sample(1)
        var known = KnownFiles.one(try .file("a", digest: digest), try .content(of: "a", "A"))
        known.note(Self.link("a"), in: "/srv/photos")
        var core = ImportCore(files: [try .sample("a", at: 9_000)], known: known, isLinking: true)
        #expect(core.nextBundle() == [0])
        #expect(core.opened(0, core.file(0)) == .digest)
        let record = try FilePath.sample("a").recordName
        #expect(core.digested(0, digest) == .check(asset: "A", record: record))
        #expect(core.checked(0, digest, asset: "A", read: digest) == .describe)
    }
}
