import FileRecords
import Foundation
import Glibc
import Testing

@testable import Folders

@Suite struct `The files of a folder` {
    private static func part(_ root: FolderRoot, _ content: String, in folder: FilePath? = nil) throws -> PartFile {
        let part = try PartFile(in: root.open(folder, creating: true))
        try part.file.write(Array(content.utf8), "part")
        return part
    }

    private static func parts(_ folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.contains(FolderRoot.partPrefix) }
    }

    @Test func `are listed with folders, and with the entries that cannot be kept in step`() throws {
        try TestFolder.with { folder in
            try TestFolder.write("a", to: folder + "/a", mode: 0o755)
            try TestFolder.write("b", to: folder + "/d/b")
            try TestFolder.write("junk", to: folder + "/junk/x")
            try TestFolder.write("part", to: folder + "/.kairan-part-1")
            #expect(symlink("a", folder + "/link") == 0)
            #expect(mkfifo(folder + "/pipe", 0o600) == 0)
            let odd: [CChar] = (folder + "/").utf8.map { CChar(bitPattern: $0) } + [CChar(bitPattern: 0xFF), 0]
            #expect(mkdir(odd, 0o700) == 0)
            defer { rmdir(odd) }
            let root = try FolderRoot(folder)
            let listing = try #require(try root.list(nil, IgnoreRules(Array("junk/".utf8))))
            #expect(listing.files.keys.map(\.text) == ["a"])
            #expect(listing.files[path("a")]?.isExecutable == true && listing.files[path("a")]?.size == 1)
            #expect(listing.folders == [path("d")])
            #expect(listing.obstacles == [path("link"), path("pipe")])
            #expect(listing.problems.count == 3 && listing.problems["link"] == "it is a symbolic link")
            #expect(listing.hasParts)
            #expect(try root.list(path("d"), .none)?.files.keys.map(\.text) == ["d/b"])
            #expect(try root.list(path("none"), .none) == nil)
            #expect(try root.list(path("link"), .none) == nil)
        }
    }

    @Test func `get their places with all of their bytes, where nothing is`() throws {
        try TestFolder.with { folder in
            let root = try FolderRoot(folder)
            let part = try Self.part(root, "new", in: path("d/e"))
            let change = try root.place(part, at: path("d/e/a"), expecting: .nothing, on: "2026-07-21")
            let identity = try #require(try root.identity(of: path("d/e/a")))
            #expect(change == .done(identity))
            #expect(try TestFolder.files(folder) == ["d/e/a": "new"])

            let second = try Self.part(root, "second", in: path("d/e"))
            let again = try root.place(second, at: path("d/e/a"), expecting: .nothing, on: "2026-07-21")
            #expect(again == .stale(identity))
            second.abandon()
            #expect(try TestFolder.files(folder) == ["d/e/a": "new"])
            #expect(try Self.parts(folder).isEmpty)
        }
    }

    @Test func `are replaced only if they are as expected`() throws {
        try TestFolder.with { folder in
            let root = try FolderRoot(folder)
            try TestFolder.write("old", to: folder + "/a")
            let old = try #require(try root.identity(of: path("a")))
            let first = try Self.part(root, "new")
            let change = try root.place(first, at: path("a"), expecting: .file(old), on: "2026-07-21")
            let new = try #require(try root.identity(of: path("a")))
            #expect(change == .done(new) && TestFolder.read(folder + "/a") == "new")

            // A program has written to it since.
            try TestFolder.write("of the user", to: folder + "/a")
            let part = try Self.part(root, "newer")
            let present = try root.identity(of: path("a"))
            #expect(try root.place(part, at: path("a"), expecting: .file(new), on: "2026-07-21") == .stale(present))
            part.abandon()
            #expect(TestFolder.read(folder + "/a") == "of the user")
            #expect(try Self.parts(folder).isEmpty)
        }
    }

    @Test func `go to the trash where they are replaced and the zone may not have their bytes`() throws {
        try TestFolder.with { folder in
            let root = try FolderRoot(folder)
            try TestFolder.write("of the user", to: folder + "/d/a")
            let old = try #require(try root.identity(of: path("d/a")))
            let part = try Self.part(root, "new", in: path("d"))
            let change = try root.place(part, at: path("d/a"), expecting: .unsavedFile(old), on: "2026-07-21")
            let new = try #require(try root.identity(of: path("d/a")))
            #expect(change == .done(new) && TestFolder.read(folder + "/d/a") == "new")
            #expect(TestFolder.read(folder + "/.kairan-trash/2026-07-21/d/a") == "of the user")
            #expect(try Self.parts(folder).isEmpty)
        }
    }

    @Test func `are not replaced by way of a link that leads out`() throws {
        try TestFolder.with { outside in
            try TestFolder.with { folder in
                try TestFolder.write("outside", to: outside + "/a")
                #expect(symlink(outside, folder + "/d") == 0)
                #expect(symlink(outside + "/a", folder + "/a") == 0)
                let root = try FolderRoot(folder)
                #expect(throws: FileFault.self) { try root.open(path("d"), creating: true) }
                #expect(throws: FileFault.self) { try root.identity(of: path("d/a")) }
                #expect(try root.identity(of: path("a")) == nil)
                let part = try Self.part(root, "inside")
                #expect(throws: FileFault.self) {
                    try root.place(part, at: path("a"), expecting: .nothing, on: "2026-07-21")
                }
                #expect(TestFolder.read(outside + "/a") == "outside")
            }
        }
    }

    @Test func `move aside under a name that nothing has`() throws {
        try TestFolder.with { folder in
            let root = try FolderRoot(folder)
            try TestFolder.write("a", to: folder + "/d/a")
            try TestFolder.write("b", to: folder + "/d/b")
            let identity = try #require(try root.identity(of: path("d/a")))
            #expect(try root.moveAside(path("d/a"), expecting: identity, to: path("d/b")) == .taken)
            let change = try root.moveAside(path("d/a"), expecting: identity, to: path("d/c"))
            let moved = try #require(try root.identity(of: path("d/c")))
            #expect(change == .done(moved) && moved.isSameFile(as: identity))
            #expect(try root.moveAside(path("d/a"), expecting: identity, to: path("d/e")) == .stale(nil))
            #expect(try TestFolder.files(folder) == ["d/b": "b", "d/c": "a"])
        }
    }

    @Test func `get the mark of execution for all that may read them, and lose it for all`() throws {
        try TestFolder.with { folder in
            let root = try FolderRoot(folder)
            try TestFolder.write("a", to: folder + "/a", mode: 0o640)
            let identity = try #require(try root.identity(of: path("a")))
            let change = try root.mark(path("a"), isExecutable: true, expecting: identity)
            let marked = try #require(try root.identity(of: path("a")))
            #expect(change == .done(marked) && marked.isExecutable)
            #expect(FolderRoot.mode(0o640, isExecutable: true) == 0o750)
            #expect(FolderRoot.mode(0o755, isExecutable: false) == 0o644)
        }
    }

    @Test func `go to the trash by day, with the folders that are empty without them, and come back`() throws {
        try TestFolder.with { folder in
            let root = try FolderRoot(folder)
            for content in ["first", "second"] {
                try TestFolder.write(content, to: folder + "/d/e/a")
                let identity = try #require(try root.identity(of: path("d/e/a")))
                let change = try root.trash(path("d/e/a"), expecting: identity, on: "2026-07-21")
                if case .done = change {} else { Issue.record("\(change)") }
            }
            #expect(!FileManager.default.fileExists(atPath: folder + "/d"))
            let bins = try root.trashed()
            #expect(bins.map(\.bin) == ["2026-07-21.2", "2026-07-21"])
            #expect(bins.allSatisfy { $0.day == "2026-07-21" && $0.path == path("d/e/a") })
            #expect(try root.restore(path("d/e/a"))?.size == 6)
            #expect(TestFolder.read(folder + "/d/e/a") == "second")
            let error = #expect(throws: FolderError.self) { try root.restore(path("d/e/a")) }
            #expect(error?.code == "folder.taken")
            #expect(try root.restore(path("d/x")) == nil)
            #expect(try root.trashed().count == 1)
        }
    }

    @Test func `leave the trash after thirty days`() throws {
        try TestFolder.with { folder in
            let root = try FolderRoot(folder)
            for day in ["2026-06-20", "2026-06-21", "2026-07-20.3"] {
                try TestFolder.write(day, to: folder + "/.kairan-trash/\(day)/d/a")
            }
            try TestFolder.write("not ours", to: folder + "/.kairan-trash/notes/a")
            try root.emptyTrash(today: "2026-07-21")
            #expect(try root.trashed().map(\.bin) == ["2026-07-20.3", "2026-06-21"])
            #expect(TestFolder.read(folder + "/.kairan-trash/notes/a") == "not ours")
        }
    }

    @Test func `that an earlier run was writing go to the trash as well`() throws {
        try TestFolder.with { folder in
            let root = try FolderRoot(folder)
            try TestFolder.write("replaced", to: folder + "/d/.kairan-part-7")
            try root.clearParts(in: path("d"), on: "2026-07-21")
            #expect(TestFolder.read(folder + "/.kairan-trash/2026-07-21/d/.kairan-part-7") == "replaced")
        }
    }

    @Test func `report each folder in which something changes`() async throws {
        try await TestFolder.with { folder in
            let root = try FolderRoot(folder)
            try FileManager.default.createDirectory(atPath: folder + "/d", withIntermediateDirectories: false)
            let (events, sender) = AsyncStream<FolderWatch.Event>.makeStream()
            let watch = try FolderWatch { sender.yield($0) }
            watch.watch(nil, root.root)
            watch.watch(path("d"), try root.open(path("d")))
            #expect(watch.watches(path("d")) && !watch.watches(path("e")) && !watch.isIncomplete)
            var iterator = events.makeAsyncIterator()
            try TestFolder.write("a", to: folder + "/d/a")
            #expect(await iterator.next() == .changed(path("d")))
            // A folder that is moved is watched under its new path, once that is read.
            #expect(rename(folder + "/d", folder + "/e") == 0)
            var event = await iterator.next()
            while event == .changed(path("d")) { event = await iterator.next() }
            #expect(event == .changed(nil))
            watch.watch(path("e"), try root.open(path("e")))
            try TestFolder.write("b", to: folder + "/e/b")
            repeat { event = await iterator.next() } while event == .changed(nil)
            #expect(event == .changed(path("e")))
        }
    }
}
