import FileRecords
import KairanInterface
import Testing

@testable import Importing

@Suite("Files that an import tries again")
struct ImportRetryTests {
    private func begun(_ known: KnownFiles = KnownFiles()) throws -> ImportCore {
        var core = ImportCore(files: [try .sample("a")], known: known)
        #expect(core.nextBundle() == [0])
        return core
    }

    @Test("A file that changes while it is read is tried once more, at the end")
    func changed() throws {
        var core = ImportCore(files: [try .sample("a"), try .sample("b")], known: KnownFiles())
        #expect(core.nextBundle() == [0, 1])
        core.end(0, .changed)
        #expect(core.told().isEmpty)
        #expect(core.nextBundle() == nil, "the other file is under way")
        try core.save(1, .saved(try .file("b")))
        #expect(!core.isDone)
        #expect(core.nextBundle() == [0])
        core.end(0, .changed)
        #expect(core.told() == ["b added", "a file.changed"])
        #expect(core.isDone)
        #expect(core.summary.exitCode == 75)
    }

    @Test("A file that cannot be read is not tried again")
    func unreadable() throws {
        var core = try begun()
        core.end(0, .unreadable(reason: "Permission denied"))
        #expect(core.told() == ["a file.unreadable"])
        #expect(core.isDone)
        #expect(core.summary.exitCode == 1)
    }

    @Test("A record that another program has written meanwhile is compared again, as it is now")
    func mismatch() throws {
        var core = try begun()
        let digest = try FileDigest.sample(1)
        let content = AssetDescription(asset: "B", size: 10, modifiedAt: .init(milliseconds: 5_000))
        let current = try Record.file("a", version: "w", digest: digest, content: content)
        try core.save(0, .refusal("record.version_mismatch", current: current, currentVersion: "w"))
        #expect(core.told().isEmpty)
        #expect(core.nextBundle() == [0])
        #expect(core.record(0)?.version == "w")
        #expect(core.opened(0, try .sample("a")) == .done)
        #expect(core.told() == ["a unchanged"])
    }

    @Test("A record that was deleted meanwhile is made anew")
    func deleted() throws {
        var core = try begun(.one(try .file("a", version: "v"), try .content(of: "a", "A", at: 4_000)))
        try core.save(0, .refusal("record.version_mismatch", currentVersion: ""), kind: .changed)
        #expect(core.nextBundle() == [0])
        #expect(core.record(0) == nil)
    }

    @Test("A record of another form is never replaced")
    func nameTaken() throws {
        var core = try begun()
        let other = try Record.file("a", type: "Photo")
        try core.save(0, .refusal("record.version_mismatch", current: other, currentVersion: "v"))
        #expect(core.told() == ["a record.other"])
        #expect(core.isDone)
    }

    @Test("A version that does not fit twice ends the file for this time")
    func twice() throws {
        var core = try begun()
        for _ in 0..<2 {
            try core.save(0, .refusal("record.version_mismatch", currentVersion: "w"))
            _ = core.nextBundle()
        }
        #expect(core.told() == ["a record.version_mismatch"])
        #expect(core.summary.exitCode == 75)
    }

    @Test("Content that no record names any more is uploaded at the second attempt")
    func unknownAsset() throws {
        let digest = try FileDigest.sample(1)
        let known = KnownFiles.one(try .file("b", digest: digest, of: "B"), try .content(of: "b", "B"))
        var core = try begun(known)
        #expect(core.opened(0, try .sample("a")) == .read)
        #expect(core.digested(0, digest) == .check(asset: "B", record: "b"))
        #expect(core.checked(0, digest, asset: "B", read: digest) == .reuse(asset: "B"))
        core.write(0, RecordWrite("a"), digest: digest, kind: .added, at: 0)
        let batch = try core.dueBatch()
        #expect(core.saved(batch, [.refusal("asset.unknown")]) == nil)
        #expect(core.nextBundle() == [0])
        #expect(core.opened(0, try .sample("a")) == .read)
        #expect(core.digested(0, digest) == .upload)
    }

    @Test("A write that the zone's schema refuses is reported, and the others go on")
    func schema() throws {
        var core = try begun()
        core.write(0, RecordWrite("a"), digest: nil, kind: .added, at: 0)
        let batch = try core.dueBatch()
        #expect(core.saved(batch, [.refusal("schema.violation")]) == nil)
        #expect(core.told() == ["a schema.violation"])
        #expect(core.summary.exitCode == 1)
    }

    @Test("A write that is refused for now is tried again")
    func retryable() throws {
        var core = try begun()
        try core.save(0, .refusal("record.later", isRetryable: true))
        #expect(core.nextBundle() == [0])
    }

    @Test(
        "A refusal that all writes would get ends the import",
        arguments: ["right.too_low", "zone.deleted", "storage.disk_full", "busy"]
    )
    func fatal(code: String) throws {
        var core = try begun()
        core.write(0, RecordWrite("a"), digest: nil, kind: .added, at: 0)
        let batch = try core.dueBatch()
        #expect(core.saved(batch, [.refusal(code)])?.code == code)
    }

    @Test("A write without an answer is tried again")
    func unanswered() throws {
        var core = try begun()
        core.write(0, RecordWrite("a"), digest: nil, kind: .added, at: 0)
        let batch = try core.dueBatch()
        #expect(core.saved(batch, []) == nil)
        #expect(core.nextBundle() == [0])
    }

    @Test("A record that has changed since it was listed is looked at again")
    func changedRecord() throws {
        var core = try begun(.one(try .file("a"), try .content(of: "a", "A", at: 4_000)))
        core.recordChanged(0, nil)
        #expect(core.nextBundle() == [0])
        #expect(core.record(0) == nil)
        core = try begun()
        core.recordChanged(0, try .file("a", type: "Photo"))
        #expect(core.told() == ["a record.other"])
    }

    @Test("A busy daemon is asked again after growing pauses, and not for ever")
    func patience() {
        var patience = Patience()
        var pauses: [Int64?] = []
        for _ in 0..<Patience.attemptCountMax { pauses.append(patience.pause(after: "busy", wish: nil)) }
        #expect(pauses == [500, 1_000, 2_000, 4_000, 8_000, nil])
        patience = Patience()
        #expect(patience.pause(after: "request.too_many", wish: 1_200) == 1_200)
        #expect(patience.pause(after: "request.too_many", wish: 999_999) == 30_000)
        #expect(patience.pause(after: "asset.too_large", wish: nil) == nil)
    }
}
