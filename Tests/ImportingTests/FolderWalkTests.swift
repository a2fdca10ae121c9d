import FileRecords
import Glibc
import Testing

@testable import Importing

@Suite("Walking through a folder")
struct FolderWalkTests {
    private func walk(_ path: String, _ options: FolderWalk.Options = FolderWalk.Options()) throws -> FolderWalk {
        FolderWalk(try ImportedFolder(path), options)
    }

    @Test("Files come in the order of their folders and names, with size, time and mark")
    func order() async throws {
        try await TemporaryFolder.with { path in
            for name in ["b/z", "b/c/d", "a", "b/y", "~"] { TemporaryFolder.write("\(path)/\(name)", [1, 2]) }
            chmod("\(path)/a", 0o755)
            let walk = try walk(path)
            #expect(walk.files.map(\.source.text) == ["a", "~", "b/y", "b/z", "b/c/d"])
            #expect(walk.files.map(\.path) == walk.files.map(\.source))
            #expect(walk.files.allSatisfy { $0.size == 2 && $0.modifiedMilliseconds == 1_784_626_200_125 })
            #expect(walk.files.map(\.isExecutable) == [true, false, false, false, false])
            #expect(walk.others.isEmpty)
        }
    }

    @Test("Files go into a folder of the zone where one is named, and a path that becomes too long is refused")
    func into() async throws {
        try await TemporaryFolder.with { path in
            TemporaryFolder.write("\(path)/a", [])
            #expect(try walk(path, .init(into: .sample("2026/summer"))).files.map(\.path.text) == ["2026/summer/a"])
            let long = try FilePath.sample(String(repeating: "n/", count: 2_047) + "n")
            let walk = try walk(path, .init(into: long))
            #expect(walk.files.isEmpty)
            #expect(walk.others.map(\.obstacle) == [.badName])
        }
    }

    @Test("Symbolic links and pipes are left out, and no link is followed")
    func links() async throws {
        try await TemporaryFolder.with { path in
            TemporaryFolder.write("\(path)/a", [1])
            mkdir("\(path)/d", 0o755)
            symlink("a", "\(path)/link")
            symlink("/etc", "\(path)/d/etc")
            symlink("..", "\(path)/d/loop")
            mkfifo("\(path)/pipe", 0o644)
            let walk = try walk(path)
            #expect(walk.files.map(\.source.text) == ["a"])
            #expect(walk.others.map(\.source) == ["link", "pipe", "d/etc", "d/loop"])
            #expect(walk.others.map(\.obstacle) == [.symbolicLink, .special, .symbolicLink, .symbolicLink])
            #expect(walk.others.allSatisfy { $0.kind == .leftOut })
        }
    }

    @Test("Names that are not UTF-8 are refused and shown, those of folders with all that is in them")
    func oddNames() async throws {
        try await TemporaryFolder.with { path in
            let odd = Array("\(path)/".utf8CString.dropLast()) + [CChar(bitPattern: 0xFF), 0]
            #expect(mkdir(odd, 0o755) == 0)
            TemporaryFolder.write("\(path)/a\nb", [1])
            TemporaryFolder.write("\(path)/\u{202E}x", [1])
            let walk = try walk(path)
            #expect(walk.others.map(\.source) == ["\u{FFFD}"])
            #expect(walk.others.map(\.obstacle) == [.badName])
            #expect(walk.files.map(\.source.text) == ["a\nb", "\u{202E}x"])
        }
    }

    @Test("Hidden names are passed over and counted, or included on request")
    func hidden() async throws {
        try await TemporaryFolder.with { path in
            for name in [".a", ".git/config", "b"] { TemporaryFolder.write("\(path)/\(name)", [1]) }
            let walk = try walk(path)
            #expect(walk.files.map(\.source.text) == ["b"])
            #expect(walk.hiddenCount == 2)
            let all = try self.walk(path, .init(includesHidden: true))
            #expect(all.files.map(\.source.text) == [".a", "b", ".git/config"])
            #expect(all.hiddenCount == 0)
        }
    }

    @Test("A folder that does not exist, and a file in its place, cannot be imported")
    func noFolder() async throws {
        try await TemporaryFolder.with { path in
            TemporaryFolder.write("\(path)/a", [1])
            for wrong in ["\(path)/none", "\(path)/a"] {
                let error = #expect(throws: FolderUnreadable.self) { try walk(wrong) }
                #expect(error?.description.hasPrefix("\(wrong) cannot be read: ") == true)
            }
        }
    }

    @Test("A file that was replaced by a link or a pipe since is not opened")
    func replaced() async throws {
        try await TemporaryFolder.with { path in
            symlink("/etc/passwd", "\(path)/a")
            symlink("/etc", "\(path)/d")
            mkfifo("\(path)/pipe", 0o644)
            let folder = try ImportedFolder(path)
            for name in ["a", "d/passwd", "none", "pipe"] {
                #expect(throws: Obstacle.changed) { try OpenedFile(try .sample(name), in: folder) }
            }
        }
    }

    @Test("A file that is written to while it is open has changed")
    func changed() async throws {
        try await TemporaryFolder.with { path in
            TemporaryFolder.write("\(path)/a", [1, 2, 3])
            let file = try OpenedFile(try .sample("a"), in: try ImportedFolder(path))
            #expect(!file.hasChanged)
            #expect(try file.readAll() == [1, 2, 3])
            #expect(try file.digest { _ in } == FileDigest(of: [1, 2, 3]))
            TemporaryFolder.write("\(path)/a", [1, 2])
            #expect(file.hasChanged)
            #expect(throws: Obstacle.changed) { try file.readAll() }
            #expect(throws: Obstacle.changed) { try file.digest { _ in } }
        }
    }

    @Test("A file that is written to as soon as it is open has changed, also with its size and time as before")
    func changedAtOnce() async throws {
        try await TemporaryFolder.with { path in
            let folder = try ImportedFolder(path)
            for number in 0..<10 {
                TemporaryFolder.write("\(path)/\(number)", [1, 2, 3])
                let file = try OpenedFile(try .sample("\(number)"), in: folder)
                TemporaryFolder.write("\(path)/\(number)", [3, 2, 1])
                #expect(file.hasChanged)
            }
        }
    }

    @Test("A change of long ago, or one that is to come, is not waited for")
    func pauses() {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        for seconds in [0, now.tv_sec - 1_000, now.tv_sec + 1_000, .min, .max] {
            #expect(FileStamp.pause(behind: timespec(tv_sec: seconds, tv_nsec: 0)) == nil)
        }
    }

    @Test("Each obstacle has a code and a sentence")
    func obstacles() {
        let all: [Obstacle] = [
            .symbolicLink, .special, .otherFileSystem, .badName, .unreadable(reason: "Permission denied"), .changed,
            .older(than: 0), .conflict, .nameTaken,
        ]
        #expect(Set(all.map(\.code)).count == all.count)
        for obstacle in all { #expect(obstacle.description.hasSuffix("."), "\(obstacle)") }
        #expect(Obstacle.older(than: 0).description.contains("1970-01-01T00:00:00.000Z"))
    }
}
