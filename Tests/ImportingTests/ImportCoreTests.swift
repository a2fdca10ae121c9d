import FileRecords
import KairanInterface
import Testing

@testable import Importing

@Suite("The decisions of an import")
struct ImportCoreTests {
    @Test("A file whose record has its size and time is passed over, and no other one")
    func unchanged() throws {
        let digest = try FileDigest.sample(1)
        let known = KnownFiles.one(try .file("a", digest: digest), try .content(of: "a", "A"))
        let files = [
            try FoundFile.sample("a"), try .sample("b"), try .sample("a", size: 11), try .sample("a", at: 5_001),
        ]
        var core = ImportCore(files: files, known: known)
        #expect(core.told() == ["a unchanged"])
        #expect(core.nextBundle() == [1, 2, 3])
        #expect(core.progress == FolderProgress(fileCount: 0, fileTotal: 3, byteCount: 0, byteTotal: 31))
    }

    @Test("A dry run has an outcome for each file at once")
    func dryRun() throws {
        let known = KnownFiles.one(try .file("a"), try .content(of: "a", "A"))
        let files = [try FoundFile.sample("a"), try .sample("b"), try .sample("a", at: 9_000)]
        var core = ImportCore(files: files, hiddenCount: 2, known: known, isDryRun: true)
        #expect(core.told() == ["a unchanged", "b new", "a unread"])
        #expect(core.nextBundle() == nil)
        #expect(core.isDone)
        #expect(core.summary.hiddenCount == 2)
        #expect(core.summary.exitCode == 0)
    }

    @Test("Things that are no files are left out, and names that are none are refused")
    func others() throws {
        let others = [
            FileOutcome(source: "link", path: nil, refusedFor: .symbolicLink),
            FileOutcome(source: "pipe", path: nil, refusedFor: .special),
            FileOutcome(source: "mount", path: nil, refusedFor: .otherFileSystem),
            FileOutcome(source: "n\u{FFFD}", path: nil, refusedFor: .badName),
        ]
        var core = ImportCore(files: [], others: others, known: KnownFiles())
        #expect(
            core.told() == ["link file.link", "pipe file.special", "mount file.other_system", "n\u{FFFD} file.name"]
        )
        #expect(core.summary.count(.leftOut) == 3)
        #expect(core.summary.exitCode == 1)
    }

    @Test("A new small file is read into memory, uploaded, and its record written")
    func small() throws {
        var core = ImportCore(files: [try .sample("a")], known: KnownFiles())
        #expect(core.nextBundle() == [0])
        #expect(core.nextBundle() == nil)
        #expect(core.opened(0, try .sample("a")) == .read)
        let digest = try FileDigest.sample(1)
        #expect(core.digested(0, digest) == .upload)
        core.uploaded(0, digest, asset: "A")
        core.read(0, byteCount: 99)
        #expect(core.progress.byteCount == 10)
        #expect(!core.isDone)
        try core.save(0, .saved(try .file("a")))
        #expect(core.told() == ["a added"])
        #expect(core.isDone)
        #expect(core.progress == FolderProgress(fileCount: 1, fileTotal: 1, byteCount: 10, byteTotal: 10))
        #expect(core.summary.byteCount == 10)
    }

    @Test("A file that was changed to the state of its record meanwhile needs nothing")
    func meanwhile() throws {
        let known = KnownFiles.one(try .file("a"), try .content(of: "a", "A"))
        var core = ImportCore(files: [try .sample("a", at: 6_000)], known: known)
        #expect(core.nextBundle() == [0])
        #expect(core.opened(0, try .sample("a")) == .done)
        #expect(core.told() == ["a unchanged"])
    }

    @Test("A file with another mark is described anew, and not read")
    func mark() throws {
        let known = KnownFiles.one(try .file("a"), try .content(of: "a", "A"))
        var file = try FoundFile.sample("a")
        file.isExecutable = true
        var core = ImportCore(files: [file], known: known)
        #expect(core.nextBundle() == [0])
        #expect(core.opened(0, file) == .describe)
        try core.save(0, .saved(try .file("a")), kind: .described)
        #expect(core.told() == ["a described"])
    }

    @Test("A file with another time and the digest of its record is described anew")
    func time() throws {
        let digest = try FileDigest.sample(1)
        let known = KnownFiles.one(try .file("a", digest: digest), try .content(of: "a", "A"))
        for milliseconds: Int64 in [4_000, 6_000] {
            var core = ImportCore(files: [try .sample("a", at: milliseconds)], known: known)
            #expect(core.nextBundle() == [0])
            #expect(core.opened(0, try .sample("a", at: milliseconds)) == .read)
            #expect(core.digested(0, digest) == .check(asset: "A", record: "a"))
            #expect(core.checked(0, digest, asset: "A", read: digest) == .describe)
        }
    }

    @Test("A file whose record names content of other devices alone is described anew by the digest that it states")
    func timeElsewhere() throws {
        let digest = try FileDigest.sample(1)
        let known = KnownFiles.one(try .file("a", digest: digest), try .content(of: "a", "A", state: .remote))
        var core = ImportCore(files: [try .sample("a", at: 6_000)], known: known)
        #expect(core.nextBundle() == [0])
        #expect(core.opened(0, try .sample("a", at: 6_000)) == .read)
        #expect(core.digested(0, digest) == .describe)
    }

    @Test("A file is uploaded where the content that a record states to be its own is another one, or cannot be read")
    func falseDigest() throws {
        let digest = try FileDigest.sample(1)
        for read in [try FileDigest.sample(2), nil] {
            for name in ["a", "b"] {
                let known = KnownFiles.one(try .file("a", digest: digest), try .content(of: "a", "A"))
                let files = [try FoundFile.sample(name, at: 6_000), try .sample("c")]
                var core = ImportCore(files: files, known: known)
                #expect(core.nextBundle() == [0, 1])
                for index in 0..<2 { #expect(core.opened(index, files[index]) == .read) }
                #expect(core.digested(0, digest) == .check(asset: "A", record: "a"))
                #expect(core.digested(1, digest) == .done)
                #expect(core.checked(0, digest, asset: "A", read: read) == .upload)
                #expect(core.nextBundle() == nil)
                core.uploaded(0, digest, asset: "B")
                #expect(core.nextBundle() == [1])
                #expect(core.opened(1, files[1]) == .read)
                #expect(core.digested(1, digest) == .reuse(asset: "B"))
            }
        }
    }

    @Test("A file whose content no device has is uploaded again, whatever its record says")
    func missing() throws {
        let digest = try FileDigest.sample(1)
        let known = KnownFiles.one(try .file("a", digest: digest), try .content(of: "a", "A", state: .missing))
        var core = ImportCore(files: [try .sample("a")], known: known)
        #expect(core.nextBundle() == [0])
        #expect(core.opened(0, try .sample("a")) == .read)
        #expect(core.digested(0, digest) == .upload)
    }

    @Test("A file that was moved, or is there twice, names the content that the zone has")
    func moved() throws {
        let digest = try FileDigest.sample(1)
        let known = KnownFiles.one(try .file("a", digest: digest), try .content(of: "a", "A"))
        var core = ImportCore(files: [try .sample("b")], known: known)
        #expect(core.nextBundle() == [0])
        #expect(core.opened(0, try .sample("b")) == .read)
        #expect(core.digested(0, digest) == .check(asset: "A", record: "a"))
        #expect(core.checked(0, digest, asset: "A", read: digest) == .reuse(asset: "A"))
    }

    @Test("A digest that is of other content than its record names is not believed")
    func staleDigest() throws {
        let digest = try FileDigest.sample(1)
        let known = KnownFiles.one(try .file("a", digest: digest), try .content(of: "a", "A", size: 12))
        // Neither for the file of the record, nor for another one of its bytes.
        for name in ["a", "b"] {
            var core = ImportCore(files: [try .sample(name)], known: known)
            #expect(core.nextBundle() == [0])
            #expect(core.opened(0, try .sample(name)) == .read)
            #expect(core.digested(0, digest) == .upload)
        }
    }

    @Test("Content that is not on this device is uploaded, and not only named")
    func elsewhere() throws {
        let digest = try FileDigest.sample(1)
        let known = KnownFiles.one(try .file("a", digest: digest), try .content(of: "a", "A", state: .remote))
        var core = ImportCore(files: [try .sample("b"), try .sample("a")], known: known)
        #expect(core.told() == ["a unchanged"])
        #expect(core.nextBundle() == [0])
        #expect(core.opened(0, try .sample("b")) == .read)
        #expect(core.digested(0, digest) == .upload)
    }

    @Test("An older file does not replace a newer one")
    func older() throws {
        let known = KnownFiles.one(
            try .file("a", digest: try .sample(1)),
            try .content(of: "a", "A", size: 20_000_000, at: 5_000)
        )
        let file = try FoundFile.sample("a", size: 30_000_000, at: 4_999)
        var core = ImportCore(files: [file], known: known)
        #expect(core.nextBundle() == [0])
        // Its digest first, so that nothing is uploaded in vain.
        #expect(core.opened(0, file) == .digest)
        #expect(core.digested(0, try .sample(2)) == .done)
        #expect(core.told() == ["a file.older"])
        #expect(core.summary.exitCode == 1)
    }

    @Test("A newer file, and one whose record states no time, replaces the content")
    func newer() throws {
        for time in [Int64(4_999), nil] {
            let known = KnownFiles.one(try .file("a", digest: try .sample(1)), try .content(of: "a", "A", at: time))
            var core = ImportCore(files: [try .sample("a")], known: known)
            #expect(core.nextBundle() == [0])
            #expect(core.opened(0, try .sample("a")) == .read)
            #expect(core.digested(0, try .sample(2)) == .upload)
        }
    }

    @Test("A record with concurrent values is left to the person")
    func conflict() throws {
        let known = KnownFiles.one(try .file("a", conflicts: 1), try .content(of: "a", "A"))
        var core = ImportCore(files: [try .sample("a", at: 6_000)], known: known)
        #expect(core.nextBundle() == [0])
        #expect(core.opened(0, try .sample("a", at: 6_000)) == .done)
        #expect(core.told() == ["a record.conflict"])
    }

    @Test("Two equal files are uploaded once, also while the first is on its way")
    func twins() throws {
        let digest = try FileDigest.sample(1)
        var core = ImportCore(files: [try .sample("a"), try .sample("b"), try .sample("c")], known: KnownFiles())
        #expect(core.nextBundle() == [0, 1, 2])
        for index in 0..<3 { #expect(core.opened(index, core.file(index)) == .read) }
        #expect(core.digested(0, digest) == .upload)
        #expect(core.digested(1, digest) == .done)
        #expect(core.nextBundle() == nil)
        core.uploaded(0, digest, asset: "A")
        #expect(core.digested(2, digest) == .reuse(asset: "A"))
        #expect(core.nextBundle() == [1])
        #expect(core.opened(1, core.file(1)) == .read)
        #expect(core.digested(1, digest) == .reuse(asset: "A"))
    }

    @Test("Where the upload of the first of two equal files fails, the second is uploaded")
    func failedTwin() throws {
        let digest = try FileDigest.sample(1)
        var core = ImportCore(files: [try .sample("a"), try .sample("b")], known: KnownFiles())
        #expect(core.nextBundle() == [0, 1])
        for index in 0..<2 { #expect(core.opened(index, core.file(index)) == .read) }
        #expect(core.digested(0, digest) == .upload)
        #expect(core.digested(1, digest) == .done)
        core.uploaded(0, digest, asset: nil)
        core.end(0, .refused(code: "asset.too_large", detail: "A detail.", isRetryable: false))
        #expect(core.nextBundle() == [1])
        #expect(core.opened(1, core.file(1)) == .read)
        #expect(core.digested(1, digest) == .upload)
    }

    @Test("A large file is uploaded in one reading, and another one of its size waits")
    func large() throws {
        let size = ImportCore.memoryByteCountMax + 1
        let files = [try FoundFile.sample("a", size: size), try .sample("b", size: size)]
        var core = ImportCore(files: files, known: KnownFiles())
        #expect(core.nextBundle() == [0, 1])
        #expect(core.opened(0, files[0]) == .stream)
        #expect(core.opened(1, files[1]) == .done)
        #expect(core.nextBundle() == nil)
        let digest = try FileDigest.sample(1)
        core.uploaded(0, digest, asset: "A")
        #expect(core.nextBundle() == [1])
        // The digest of another content of this size is known now.
        #expect(core.opened(1, files[1]) == .digest)
        #expect(core.digested(1, digest) == .reuse(asset: "A"))
    }

    @Test("A large file whose upload breaks off lets the other one of its size begin")
    func brokenStream() throws {
        let size = ImportCore.memoryByteCountMax + 1
        let files = [try FoundFile.sample("a", size: size), try .sample("b", size: size)]
        var core = ImportCore(files: files, known: KnownFiles())
        #expect(core.nextBundle() == [0, 1])
        #expect(core.opened(0, files[0]) == .stream)
        #expect(core.opened(1, files[1]) == .done)
        core.uploaded(0, nil, asset: nil)
        core.end(0, .changed)
        #expect(core.nextBundle() == [1])
        #expect(core.opened(1, files[1]) == .stream)
    }

    @Test("A bundle has at most 16 files, and one file where they are large")
    func bundles() throws {
        let small = try (0..<17).map { try FoundFile.sample("f\($0)") }
        var core = ImportCore(files: small, known: KnownFiles())
        #expect(core.nextBundle()?.count == ImportCore.bundleCountMax)
        #expect(core.nextBundle() == [16])
        let large = try (0..<2).map { try FoundFile.sample("f\($0)", size: ImportCore.bundleByteCountMax) }
        core = ImportCore(files: large, known: KnownFiles())
        #expect(core.nextBundle() == [0])
        #expect(core.nextBundle() == [1])
    }
}
