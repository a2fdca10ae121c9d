import FileRecords
import KairanInterface
import Testing

@Suite("Paths of files in a zone")
struct FilePathTests {
    @Test(
        "A path that leads out of its folder, or that no file can have, is refused",
        arguments: [
            "", "/", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/./b", "a\u{0}b",
            String(repeating: "n", count: 256), String(repeating: "n/", count: 2_100) + "n",
        ]
    )
    func refused(text: String) {
        #expect(FilePath(text) == nil)
    }

    @Test("A path is divided into its folders and its name")
    func parts() throws {
        let path = try #require(FilePath("2026/summer/lake.jpg"))
        #expect(path.parts == ["2026", "summer", "lake.jpg"])
        #expect(path.lastPart == "lake.jpg")
        #expect(path.folder == FilePath("2026/summer"))
        #expect(path.folder?.folder?.folder == nil)
        #expect(FilePath("lake.jpg", in: path.folder) == path)
        #expect(FilePath("a/b", in: nil) == nil)
    }

    @Test("A file is beneath its folders, and not beneath a folder whose name only begins alike")
    func beneath() throws {
        let path = try #require(FilePath("2026/lake.jpg"))
        #expect(path.isBeneath(try #require(FilePath("2026"))))
        #expect(!path.isBeneath(try #require(FilePath("202"))))
        #expect(!path.isBeneath(path))
    }

    @Test("The record of a path has the path as its name where that is a name")
    func names() throws {
        #expect(try #require(FilePath("notes/to do.txt")).recordName == "notes/to do.txt")
    }

    @Test(
        "The record of any other path is named by the path's digest",
        arguments: ["...", "a\nb", "a\u{202E}b", "d/" + String(repeating: "n", count: 254)]
    )
    func digests(text: String) throws {
        let name = try #require(FilePath(text)).recordName
        #expect(name.utf8.count == 65)
        #expect(name.hasPrefix("/"))
    }

    @Test("Two forms of one letter are two paths")
    func bytes() throws {
        let (composed, decomposed) = (try #require(FilePath("\u{E9}")), try #require(FilePath("e\u{301}")))
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
    }

    @Test("The digest in a name is that of sha256sum")
    func hexadecimal() throws {
        let name = try #require(FilePath("a\nb")).recordName
        // printf 'a\nb' | sha256sum, of coreutils.
        #expect(name == "/7e18f737311b2dc3b2f269dd78396b0351f14fb66efa879f768cb23181883c78")
    }
}
