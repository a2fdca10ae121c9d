import FileRecords
import Foundation
import Glibc
import KairanClient
import KairanInterface
import KairanTesting
import Synchronization
import Testing

@testable import Folders

/// The driver on real folders, against a daemon in memory.
@Suite(.timeLimit(.minutes(5))) struct `Folders and a daemon` {
    /// Two folders and the zone of both.
    struct Bench: Sendable {
        let daemon: MemoryDaemon
        let zone: String
        let top: String

        var client: DaemonClient { daemon.kairan.client }
        var first: String { top + "/first" }
        var second: String { top + "/second" }

        func sync(_ folder: String, confirms: Bool = false) -> FolderSync {
            let name = folder.hasSuffix("first") ? "desk" : "laptop"
            let settings = FolderCore.Settings(deviceName: name, confirmsDeletions: confirms)
            // Each folder is one of a machine of its own.
            var options = FolderOptions(path: folder, statePath: top + "/state of \(name)", settings: settings)
            options.isOnce = true
            return FolderSync(client: client, zone: zone, options: options)
        }

        /// Brings a folder into step.
        @discardableResult
        func run(_ folder: String, confirms: Bool = false) async throws -> [FolderReport] {
            var reports: [FolderReport] = []
            let summary = try await sync(folder, confirms: confirms).run { reports.append($0) }
            #expect(summary.failed.isEmpty, "\(summary.failed)")
            return reports
        }
    }

    private static func with(_ body: (Bench) async throws -> Void) async throws {
        try await TestFolder.with { top in
            let daemon = MemoryDaemon()
            let zone = try await daemon.kairan.client.createZone(name: "files", container: "org.example.files")
            let bench = Bench(daemon: daemon, zone: zone.zone, top: top)
            for folder in [bench.first, bench.second] {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            }
            try await body(bench)
        }
    }

    @Test func `keep files, their times and marks, in step in both directions`() async throws {
        try await Self.with { bench in
            try TestFolder.write("a", to: bench.first + "/a")
            try TestFolder.write("tool", to: bench.first + "/d/e/tool", mode: 0o755)
            try TestFolder.write("", to: bench.first + "/empty")
            try TestFolder.write(String(repeating: "large", count: 200_000), to: bench.first + "/d/large")
            try TestFolder.write("b", to: bench.second + "/b")
            try await bench.run(bench.first)
            try await bench.run(bench.second)
            try await bench.run(bench.first)
            let files = try TestFolder.files(bench.first)
            #expect(files.count == 5 && files["b"] == "b" && files["empty"] == "")
            #expect(try TestFolder.files(bench.second) == files)

            let (first, second) = (try FolderRoot(bench.first), try FolderRoot(bench.second))
            for name in ["a", "d/e/tool"] {
                let mine = try #require(try first.identity(of: path(name)))
                let theirs = try #require(try second.identity(of: path(name)))
                #expect(mine.modifiedMilliseconds == theirs.modifiedMilliseconds)
                #expect(mine.isExecutable == theirs.isExecutable && mine.isExecutable == (name != "a"))
            }
            // Nothing is left to do.
            #expect(try await bench.run(bench.first) == [.inStep(files: 5, failed: 0)])
        }
    }

    @Test func `change, move and delete, and keep what was deleted elsewhere in the trash`() async throws {
        try await Self.with { bench in
            for name in ["a", "b", "c"] { try TestFolder.write(name, to: bench.first + "/" + name) }
            try await bench.run(bench.first)
            try await bench.run(bench.second)
            try TestFolder.write("changed", to: bench.second + "/a")
            #expect(rename(bench.second + "/b", bench.second + "/moved") == 0)
            #expect(unlink(bench.second + "/c") == 0)
            let sent = try await bench.run(bench.second)
            #expect(sent.contains(.news(.deleted(path("c")))) && sent.contains(.news(.uploaded(path("moved")))))
            let received = try await bench.run(bench.first)
            #expect(received.contains(.news(.trashed(path("c")))))
            #expect(try TestFolder.files(bench.first) == ["a": "changed", "moved": "b"])
            let trashed = try FolderRoot(bench.first).trashed()
            #expect(Set(trashed.map(\.path)) == [path("b"), path("c")])
        }
    }

    @Test func `keep both versions of a file that was changed in both`() async throws {
        try await Self.with { bench in
            try TestFolder.write("origin", to: bench.first + "/a.txt")
            try await bench.run(bench.first)
            try await bench.run(bench.second)
            try TestFolder.write("of the desk", to: bench.first + "/a.txt")
            try TestFolder.write("of the laptop", to: bench.second + "/a.txt")
            try await bench.run(bench.first)
            try await bench.run(bench.second)
            try await bench.run(bench.first)
            let files = try TestFolder.files(bench.first)
            #expect(try TestFolder.files(bench.second) == files)
            #expect(Set(files.values) == ["of the desk", "of the laptop"] && files["a.txt"] == "of the desk")
            let kept = try #require(files.keys.first { $0 != "a.txt" })
            #expect(kept.hasPrefix("a (conflict laptop 20") && kept.hasSuffix(").txt"))
            let record = try await bench.client.record(kept, in: bench.zone)
            #expect(FileRecord(record)?.conflictOf == path("a.txt"))
        }
    }

    @Test func `that are both full at first are merged without loss, also if a state is lost later`() async throws {
        try await Self.with { bench in
            for folder in [bench.first, bench.second] { try TestFolder.write("equal", to: folder + "/equal") }
            try TestFolder.write("one", to: bench.first + "/other")
            try TestFolder.write("two", to: bench.second + "/other")
            try await bench.run(bench.first)
            let merged = try await bench.run(bench.second)
            #expect(merged.contains(.news(.adopted(path("equal")))))
            try await bench.run(bench.first)
            let files = try TestFolder.files(bench.first)
            #expect(files.count == 3 && Set(files.values) == ["equal", "one", "two"])
            #expect(try TestFolder.files(bench.second) == files)

            try FileManager.default.removeItem(atPath: bench.top + "/state of desk")
            #expect(unlink(bench.first + "/equal") == 0)
            try await bench.run(bench.first)
            // Whether it was deleted is not known any more, so it is there again.
            #expect(try TestFolder.files(bench.first) == files)
        }
    }

    @Test func `leave out what the patterns name, links and Kairan's own files`() async throws {
        try await Self.with { bench in
            try TestFolder.write("*.o\n/out/\n", to: bench.first + "/.kairanignore")
            for name in ["a.c", "a.o", "out/x", "d/b.o"] { try TestFolder.write(name, to: bench.first + "/" + name) }
            #expect(symlink("a.c", bench.first + "/link") == 0)
            try TestFolder.write("mine", to: bench.second + "/b.o")
            let reports = try await bench.run(bench.first)
            #expect(reports.contains(.news(.problem("link", reason: "it is a symbolic link"))))
            try await bench.run(bench.second)
            #expect(try TestFolder.files(bench.second).keys.sorted() == [".kairanignore", "a.c", "b.o"])
            let names = try await bench.client.records(in: bench.zone).records.map(\.name)
            #expect(names.sorted() == [".kairanignore", "a.c"])
        }
    }

    @Test func `delete nothing because a disk is not there`() async throws {
        try await Self.with { bench in
            for name in ["a", "b"] { try TestFolder.write(name, to: bench.first + "/" + name) }
            try await bench.run(bench.first)
            // The folder where the disk was mounted.
            #expect(rename(bench.first, bench.top + "/disk") == 0)
            try FileManager.default.createDirectory(atPath: bench.first, withIntermediateDirectories: false)
            let unmounted = await #expect(throws: FolderError.self) { try await bench.run(bench.first) }
            #expect(unmounted?.code == "folder.unmarked")
            // A copy of the folder is none.
            #expect(rmdir(bench.first) == 0)
            try FileManager.default.copyItem(atPath: bench.top + "/disk", toPath: bench.first)
            let copied = await #expect(throws: FolderError.self) { try await bench.run(bench.first) }
            #expect(copied?.code == "folder.other")
            try FileManager.default.removeItem(atPath: bench.first)
            // It is there again, and somebody has emptied it.
            #expect(rename(bench.top + "/disk", bench.first) == 0)
            for name in ["a", "b"] { #expect(unlink(bench.first + "/" + name) == 0) }
            let empty = await #expect(throws: FolderError.self) { try await bench.run(bench.first) }
            #expect(empty?.code == "folder.mass_deletion")
            #expect(try await bench.client.records(in: bench.zone).records.count == 2)
            try await bench.run(bench.first, confirms: true)
            #expect(try await bench.client.records(in: bench.zone).records.isEmpty)
        }
    }

    @Test func `stop where the zone is gone, the folder is of another zone, or a process has it`() async throws {
        try await Self.with { bench in
            try TestFolder.write("a", to: bench.first + "/a")
            try await bench.run(bench.first)
            let other = try await bench.client.createZone(name: "other", container: "org.example.files")
            var settings = FolderOptions(
                path: bench.first,
                statePath: bench.top + "/state of desk",
                settings: FolderCore.Settings(deviceName: "desk")
            )
            settings.isOnce = true
            let wrong = FolderSync(client: bench.client, zone: other.zone, options: settings)
            let refused = await #expect(throws: FolderError.self) { try await wrong.run { _ in } }
            #expect(refused?.code == "folder.other_zone")

            do {
                let prepared = try PreparedFolder(settings, zone: bench.zone)
                let busy = await #expect(throws: FolderError.self) { try await bench.run(bench.first) }
                #expect(busy?.code == "folder.in_use")
                withExtendedLifetime(prepared) {}
            }

            try await bench.client.deleteZone(bench.zone)
            let gone = await #expect(throws: FolderError.self) { try await bench.run(bench.first) }
            #expect(gone?.code == "folder.zone_gone")
            #expect(try TestFolder.files(bench.first) == ["a": "a"])
        }
    }

    @Test func `show what they would do, and do nothing`() async throws {
        try await Self.with { bench in
            try TestFolder.write("a", to: bench.first + "/a")
            try await bench.run(bench.first)
            try TestFolder.write("b", to: bench.second + "/b")
            var options = FolderOptions(
                path: bench.second,
                statePath: bench.top + "/state of laptop",
                settings: FolderCore.Settings(deviceName: "laptop")
            )
            options.isDryRun = true
            var planned: [String] = []
            let sync = FolderSync(client: bench.client, zone: bench.zone, options: options)
            _ = try await sync.run { report in
                if case .planned(let decision) = report { planned.append(decision.path.text) }
            }
            #expect(planned.sorted() == ["a", "b"])
            #expect(try FileManager.default.subpathsOfDirectory(atPath: bench.second) == ["b"])
            #expect(!FileManager.default.fileExists(atPath: bench.top + "/state of laptop"))
        }
    }

    @Test func `follow changes of both sides, also after the daemon was away`() async throws {
        try await Self.with { bench in
            var options = FolderOptions(
                path: bench.first,
                statePath: bench.top + "/state of desk",
                settings: FolderCore.Settings(deviceName: "desk")
            )
            options.isOnce = false
            let sync = FolderSync(client: bench.client, zone: bench.zone, options: options)
            let (reports, sender) = AsyncStream<FolderReport>.makeStream()
            try await withThrowingTaskGroup { group in
                group.addTask { _ = try await sync.run { sender.yield($0) } }
                var step = 0
                for await report in reports {
                    switch (step, report) {
                    case (0, .inStep(0, 0)): try TestFolder.write("a", to: bench.first + "/d/a")
                    case (1, .news(.uploaded(path("d/a")))):
                        try TestFolder.write("b", to: bench.second + "/b")
                        try await bench.run(bench.second)
                    case (2, .news(.downloaded(path("b")))):
                        #expect(TestFolder.read(bench.first + "/b") == "b")
                        bench.daemon.stop()
                    case (3, .waiting):
                        #expect(unlink(bench.first + "/b") == 0)
                        bench.daemon.start()
                    case (4, .news(.deleted(path("b")))): break
                    default: continue
                    }
                    step += 1
                    if step == 5 { break }
                }
                #expect(step == 5)
                let names = try await bench.client.records(in: bench.zone).records.map(\.name)
                #expect(names == ["d/a"])
                group.cancelAll()
            }
        }
    }
}
