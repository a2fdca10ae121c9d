import Foundation
import Glibc
import Node
import Sync
import Testing

@testable import Linking

@Suite struct `Files beneath a root` {
    /// A root in a folder of its own, which is removed in the end.
    private final class Root {
        let url: URL
        let roots: LinkedRoots

        init() throws {
            let base = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            url = base.appending(path: "kairan-roots-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            roots = LinkedRoots([url.path])
        }

        deinit { try? FileManager.default.removeItem(at: url) }

        func write(_ text: String, to name: String) throws {
            let file = url.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: file)
        }

        func place(_ path: String) throws -> LinkedPlace {
            try LinkedPlace(root: url.path, path: Array(path.utf8))
        }
    }

    @Test func `are read where their facts are the expected ones`() throws {
        let root = try Root()
        try root.write("0123456789", to: "a/b.txt")
        let place = try root.place("a/b.txt")
        let facts = try root.roots.facts(of: place)
        #expect(facts.byteCount == 10)
        #expect(try root.roots.read(place, expecting: facts, from: 3, count: 4) == Array("3456".utf8))
        #expect(throws: LinkFault.changed) { try root.roots.read(place, expecting: facts, from: 8, count: 3) }
        try root.write("0123456789x", to: "a/b.txt")
        #expect(throws: LinkFault.changed) { try root.roots.read(place, expecting: facts, from: 0, count: 1) }
    }

    @Test func `are reached through no symbolic link, inside or out`() throws {
        let root = try Root()
        try root.write("secret", to: "real/a.txt")
        let files = FileManager.default
        try files.createSymbolicLink(
            at: root.url.appending(path: "folder"),
            withDestinationURL: root.url.appending(path: "real")
        )
        try files.createSymbolicLink(atPath: root.url.path + "/passwd", withDestinationPath: "/etc/passwd")
        for path in ["folder/a.txt", "passwd"] {
            #expect(throws: LinkFault.symbolicLink) { try root.roots.facts(of: root.place(path)) }
        }
        let names = try root.roots.entries(root: root.url.path, folder: []).map(\.name)
        #expect(names == [Array("real".utf8)])
    }

    @Test func `are regular ones, and a pipe keeps no caller waiting`() throws {
        let root = try Root()
        try root.write("x", to: "folder/a.txt")
        #expect(mkfifo(root.url.path + "/pipe", 0o600) == 0)
        for path in ["folder", "pipe"] {
            #expect(throws: LinkFault.special) { try root.roots.facts(of: root.place(path)) }
        }
        #expect(throws: LinkFault.missing) { try root.roots.facts(of: root.place("none")) }
        #expect(throws: LinkFault.missing) { try root.roots.facts(of: root.place("folder/a.txt/b")) }
    }

    @Test func `are not there while the root is not, and are there again with it`() throws {
        let root = try Root()
        try root.write("x", to: "a.txt")
        let place = try root.place("a.txt")
        let other = root.url.path + "-away"
        try FileManager.default.moveItem(atPath: root.url.path, toPath: other)
        #expect(throws: LinkFault.rootUnavailable) { try root.roots.facts(of: place) }
        #expect(throws: LinkFault.rootUnavailable) { try root.roots.entries(root: root.url.path, folder: []) }
        try FileManager.default.moveItem(atPath: other, toPath: root.url.path)
        #expect(try root.roots.facts(of: place).byteCount == 1)
        let foreign = try LinkedPlace(root: "/etc", path: Array("passwd".utf8))
        #expect(throws: LinkFault.rootUnavailable) { try root.roots.facts(of: foreign) }
    }

    @Test(.timeLimit(.minutes(1))) func `are watched, each folder by itself, up to a number of folders`() async throws {
        let root = try Root()
        try root.write("x", to: "folder/a.txt")
        let watch = try #require(RootWatch(countMax: 2))
        let (events, continuation) = AsyncStream.makeStream(of: LinkWatchEvent.self)
        watch.report { continuation.yield($0) }
        let (top, folder) = (
            LinkKeeper.Folder(root: root.url.path, path: []),
            LinkKeeper.Folder(root: root.url.path, path: Array("folder".utf8))
        )
        watch.watch(top)
        watch.watch(folder)
        #expect(!watch.isIncomplete)
        try root.write("y", to: "folder/b.txt")
        for await event in events {
            #expect(event == .changed(folder))
            break
        }
        try root.write("z", to: "other/c.txt")
        watch.watch(LinkKeeper.Folder(root: root.url.path, path: Array("other".utf8)))
        #expect(watch.isIncomplete)
    }
}
