import FileRecords
import FoundationEssentials
import KairanInterface
import Testing

@testable import Folders

@Suite struct `A folder` {
    @Test func `that is in step decides nothing`() {
        var bench = CoreBench.inStep(["a", "d/b"])
        bench.begin()
        #expect(bench.decide().isEmpty)
        #expect(!bench.core.hasWork)
        #expect(bench.core.inStepCount == 2)
    }

    @Test func `uploads a new file, and names its content in a record that must not exist`() throws {
        var bench = CoreBench()
        let identity = bench.put("a")
        bench.begin()
        #expect(bench.core.decide(at: bench.now).isEmpty)
        let upload = FolderDecision.upload(path("a"), identity, digest("a"))
        #expect(bench.decideWithDigests([:]) == [upload])
        bench.finish(upload, .uploaded(asset: "asset of a"))
        let decision = try #require(bench.core.decide(at: bench.now).first)
        let (file, version) = try #require(decision.write)
        #expect(version.isEmpty && file.content.asset == "asset of a" && file.digest == digest("a"))
        #expect(file.content.modifiedAt == Date(milliseconds: 1_784_626_200_000))

        bench.finish(decision, .written([record(path("a"), file, version: "v1")]))
        #expect(bench.core.allBases[path("a")]?.version == "v1")
        #expect(bench.core.decide(at: bench.now).isEmpty)
        #expect(!bench.core.hasWork)
    }

    @Test func `looks at a file once it has not changed for a second`() {
        var bench = CoreBench()
        bench.put("a")
        bench.begin()
        bench.now += 900
        let identity = bench.put("a")
        bench.scan()
        bench.now += 900
        #expect(bench.core.decide(at: bench.now).isEmpty)
        #expect(bench.core.wakeAt.map { $0 > bench.now } == true)
        #expect(bench.decide() == [.hash(path("a"), identity)])
    }

    @Test func `takes a moved file for a deletion and a new file, and uploads nothing`() throws {
        var bench = CoreBench.inStep(["a", "b"])
        bench.begin()
        _ = bench.decide()
        bench.remove("a")
        bench.put("d/a")
        bench.scan()
        let decisions = bench.decideWithDigests(["d/a": "a"])
        let write = try #require(decisions.first)
        let (file, version) = try #require(write.write)
        #expect(file.content.asset == "asset of a" && version.isEmpty)
        #expect(Array(decisions.dropFirst()) == [.deleteRecord(path("a"), ifVersion: "v1")])
        // The daemon may have dropped the content by then: it is uploaded after all.
        bench.finish(write, .contentUnknown)
        #expect(bench.core.decide(at: bench.now).first?.isUpload(of: path("d/a")) == true)
    }

    @Test func `never takes another device's word for a content that is to be uploaded`() {
        var bench = CoreBench()
        bench.put("a")
        bench.receive(CoreBench.file("a", "a"), version: "v1")
        bench.begin()
        // Equal bytes, by the record: nothing is transferred.
        #expect(bench.decideWithDigests([:]).isEmpty)
        #expect(bench.core.allBases[path("a")]?.isVerified == false)
        bench.put("b")
        bench.scan()
        #expect(bench.decideWithDigests(["b": "a"]).first?.isUpload(of: path("b")) == true)
    }

    @Test func `has the trash keep bytes of which another device alone says that the zone has them`() throws {
        var bench = CoreBench()
        let identity = bench.put("a")
        bench.receive(CoreBench.file("a", "a"), version: "v1")
        bench.begin()
        #expect(bench.decideWithDigests([:]).isEmpty)
        let changed = CoreBench.file("a", "new")
        bench.receive(changed, version: "v2")
        #expect(bench.decide() == [.download(changed, expecting: .unsavedFile(identity))])
    }

    @Test func `downloads what changed in the zone, if the file is as it was`() {
        var bench = CoreBench.inStep(["a"])
        bench.begin()
        let changed = CoreBench.file("a", "new")
        bench.receive(changed, version: "v2")
        bench.receive(CoreBench.file("b", "b"), version: "v1")
        let identity = bench.files[path("a")]
        #expect(
            bench.decide() == [
                .download(changed, expecting: identity.map { .file($0) } ?? .nothing),
                .download(CoreBench.file("b", "b"), expecting: .nothing),
            ]
        )
    }

    @Test func `keeps both versions where both sides changed a file`() throws {
        var bench = CoreBench.inStep(["d/a.txt"])
        bench.begin()
        let identity = bench.put("d/a.txt")
        bench.scan()
        let theirs = CoreBench.file("d/a.txt", "theirs")
        bench.receive(theirs, version: "v2")
        let kept = path("d/a (conflict desk 2026-07-21 09-30-00).txt")
        let decision = FolderDecision.keepBoth(path("d/a.txt"), expecting: identity, as: kept)
        #expect(bench.decideWithDigests(["d/a.txt": "ours"]) == [decision])
        // Before the file is moved, the base is forgotten: the missing file is no deletion.
        #expect(bench.core.takeChanges().last == .forget(path("d/a.txt")))

        bench.finish(decision, .taken)
        let second = try #require(bench.core.decide(at: bench.now).first)
        let other = try #require(second.kept)
        #expect(other == path("d/a (conflict desk 2026-07-21 09-30-00 2).txt"))
        bench.finish(second, .changed(identity))
        let last = bench.core.decide(at: bench.now)
        #expect(last.contains(.download(theirs, expecting: .nothing)))
        #expect(last.contains(.upload(other, identity, digest("ours"))))
    }

    @Test func `adopts equal files in its first run, and compares contents of which no digest is stated`() {
        var bench = CoreBench()
        for name in ["equal", "unstated", "shorter"] { bench.put(name) }
        bench.receive(CoreBench.file("equal", "equal"), version: "v1")
        let unstated = CoreBench.file("unstated", "other", states: false)
        bench.receive(unstated, version: "v1")
        bench.receive(CoreBench.file("shorter", "other", size: 3, states: false), version: "v1")
        bench.begin()
        let decisions = bench.decideWithDigests([:])
        #expect(decisions.contains(.inspect(unstated)))
        #expect(decisions.contains { $0.path == path("shorter") && $0.kept != nil })
        #expect(decisions.count == 2)
        #expect(bench.core.takeNews().contains(.adopted(path("equal"))))
        bench.finish(.inspect(unstated), .hashed(digest("unstated")))
        #expect(bench.core.decide(at: bench.now).isEmpty)
        #expect(bench.core.allBases[path("unstated")]?.isVerified == true)
    }

    @Test func `moves to the trash what was deleted in the zone, and keeps a file that was changed since`() {
        var bench = CoreBench.inStep(["a", "b"])
        bench.begin()
        let identity = bench.files[path("a")]
        bench.put("b")
        bench.scan()
        bench.receiveDeletion("a")
        bench.receiveDeletion("b")
        let decisions = bench.decideWithDigests(["b": "changed"])
        #expect(identity.map { decisions.contains(.trash(path("a"), expecting: $0)) } == true)
        #expect(decisions.contains { $0.isUpload(of: path("b")) })
    }

    @Test func `deletes nothing because the daemon has lost its records`() throws {
        var bench = CoreBench.inStep(["a", "b"])
        bench.core.beganZone()
        bench.begin()
        #expect(bench.decide() == [.ask(path("a")), .ask(path("b"))])
        bench.finish(.ask(path("a")), .asked(nil, wasDeleted: false))
        bench.finish(.ask(path("b")), .asked(nil, wasDeleted: true))
        let decisions = bench.core.decide(at: bench.now)
        #expect(decisions.contains { $0.path == path("a") && $0.write?.version == "" })
        let identity = try #require(bench.files[path("b")])
        #expect(decisions.contains(.trash(path("b"), expecting: identity)))
    }

    @Test func `deletes a record only when its file has been gone for a second`() {
        var bench = CoreBench.inStep(["a", "b"])
        bench.begin()
        bench.remove("a")
        bench.scan()
        #expect(bench.core.decide(at: bench.now).isEmpty)
        #expect(bench.decide() == [.deleteRecord(path("a"), ifVersion: "v1")])
        bench.finish(.deleteRecord(path("a"), ifVersion: "v1"), .gone)
        #expect(bench.core.decide(at: bench.now).isEmpty)
        #expect(Set(bench.core.allBases.keys) == [path("b")])
    }

    @Test func `changes only the mark of execution where nothing else differs`() throws {
        var bench = CoreBench.inStep(["a", "b"])
        bench.begin()
        var marked = CoreBench.file("a", "a")
        marked.isExecutable = true
        bench.receive(marked, version: "v2")
        let (first, second) = (try #require(bench.files[path("a")]), try #require(bench.files[path("b")]))
        var executable = second
        (executable.isExecutable, executable.changed) = (true, 99)
        bench.files[path("b")] = executable
        bench.scan()
        let decisions = bench.decideWithDigests([:])
        #expect(decisions.contains(.mark(path("a"), isExecutable: true, expecting: first)))
        let written = try #require(decisions.compactMap(\.write).first)
        #expect(written.version == "v1" && written.file.isExecutable && written.file.content.asset == "asset of b")
    }

    @Test func `reports a record of another type that has the name of a file`() {
        var bench = CoreBench()
        bench.put("a")
        var other = record(path("a"), CoreBench.file("a", "a"), version: "v1")
        other.type = "Note"
        bench.core.received(other)
        bench.begin()
        #expect(bench.decideWithDigests([:]).isEmpty)
        #expect(bench.core.failedPaths.keys.map(\.text) == ["a"])
        #expect(!bench.core.hasWork)
        bench.receiveDeletion("a")
        #expect(bench.decide().count == 1)
    }

    @Test func `has at most two uploads and four downloads under way`() {
        var bench = CoreBench()
        for number in 0..<6 {
            bench.put("up\(number)")
            bench.receive(CoreBench.file("down\(number)", "\(number)"), version: "v1")
        }
        bench.begin()
        let decisions = bench.decideWithDigests([:])
        #expect(decisions.count { $0.work == .uploading } == 2)
        #expect(decisions.count { $0.work == .downloading } == 4)
        bench.finish(decisions[0], .failed(FolderFailure("no", isTemporary: true)))
        #expect(bench.core.decide(at: bench.now).count == 1)
    }

    @Test func `tries again after a while, or when something about the path changes`() {
        var bench = CoreBench()
        let file = CoreBench.file("a", "a")
        bench.receive(file, version: "v1")
        bench.begin()
        let download = FolderDecision.download(file, expecting: .nothing)
        #expect(bench.decide() == [download])
        bench.finish(download, .failed(FolderFailure("no device has it", isTemporary: true)))
        #expect(bench.core.decide(at: bench.now).isEmpty && !bench.core.hasWork)
        #expect(bench.core.takeNews() == [.problem("a", reason: "no device has it")])
        #expect(bench.decide() == [download])
        bench.finish(download, .failed(FolderFailure("no device has it", isTemporary: true)))
        #expect(bench.core.takeNews().isEmpty)
        #expect(bench.core.decide(at: bench.now).isEmpty)
        bench.core.arrived("asset of a")
        #expect(bench.core.decide(at: bench.now) == [download])
        bench.finish(download, .failed(FolderFailure("it is not wanted", isTemporary: false)))
        bench.now += 100_000_000
        #expect(bench.core.decide(at: bench.now).isEmpty)
        bench.core.retryAll()
        #expect(bench.core.decide(at: bench.now) == [download])
    }

    @Test func `asks for a record where the feed and an answer may have crossed`() {
        var bench = CoreBench.inStep(["a", "b"])
        bench.begin()
        bench.remove("a")
        bench.scan()
        let deletion = FolderDecision.deleteRecord(path("a"), ifVersion: "v1")
        #expect(bench.decide() == [deletion])
        // Another device has changed the record at the same time, and the feed says so before the answer comes.
        let changed = CoreBench.file("a", "theirs")
        bench.receive(changed, version: "v3")
        bench.finish(deletion, .gone)
        #expect(bench.core.decide(at: bench.now) == [.ask(path("a"))])
        let now = record(path("a"), changed, version: "v3")
        bench.finish(.ask(path("a")), .asked(now, wasDeleted: false))
        #expect(bench.core.decide(at: bench.now) == [.download(changed, expecting: .nothing)])
    }
}
