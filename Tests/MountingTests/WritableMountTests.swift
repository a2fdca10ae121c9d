import FileRecords
import Foundation
import Glibc
import KairanClient
import KairanTesting
import Synchronization
import TestSupport
import Testing

@testable import Mounting

@Suite(.timeLimit(.minutes(5))) struct `A writable mount` {
    private static let bytes: [UInt8] = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 11 >> 3) }

    @Test func `has a new file in the zone when it is closed`() async throws {
        try await MountedMemory.writable { memory, _ async throws in
            try await memory.makeFolder("d")
            let handle = try await memory.open("d/new", O_WRONLY)
            #expect(await memory.find("d/new")?.byteCount == 0)
            try await memory.make(.write(handle: handle, offset: 0, bytes: Self.bytes))
            #expect(await memory.find("d/new")?.byteCount == 700_000)
            #expect(try await memory.stored().isEmpty, "no program has success for it")
            try await memory.make(.synchronize(handle: handle))
            #expect(try await memory.stored() == ["d/new": Self.bytes])
            let version = try await memory.zone.record("d/new").version
            try await memory.close(handle)
            #expect(try await memory.zone.record("d/new").version == version, "nothing has changed since")
            let record = try await memory.zone.record("d/new")
            let file = try #require(FileRecord(record))
            #expect(file.digest != nil && file.content.name == "new" && !file.isExecutable)
            #expect(file.content.modifiedAt?.timeIntervalSince1970 == 1_000)
            #expect(await memory.find("d/new")?.byteCount == 700_000)
            #expect(try await memory.bytes("d/new") == Self.bytes)
        }
    }

    @Test func `stores a file for a descriptor that only reads it, when a program synchronizes that`() async throws {
        try await MountedMemory.writable { zone in
            try await MountedMemory.write("a", [1], to: zone)
        } _: { memory, _ async throws in
            let before = try await memory.open("a", O_RDONLY)
            let writer = try await memory.open("a", O_RDWR)
            let after = try await memory.open("a", O_RDONLY)
            for (handle, byte) in [(before, 5), (after, 6)] as [(UInt64, UInt8)] {
                try await memory.make(.write(handle: writer, offset: 0, bytes: [byte]))
                let version = try await memory.zone.record("a").version
                try await memory.make(.flush(handle: handle))
                #expect(try await memory.zone.record("a").version == version, "a reader is closed")
                try await memory.make(.synchronize(handle: handle))
                #expect(try await memory.stored() == ["a": [byte]])
            }
            for handle in [before, writer, after] { try await memory.close(handle) }
        }
    }

    @Test func `has a file that only was created in the zone too`() async throws {
        try await MountedMemory.writable { memory, _ async throws in
            try await memory.close(try await memory.open("lock", O_WRONLY | O_EXCL))
            #expect(try await memory.stored() == ["lock": []])
        }
    }

    @Test func `changes bytes of a file, and a program sees its own writes`() async throws {
        try await MountedMemory.writable { zone in
            try await MountedMemory.write("a", Self.bytes, to: zone)
        } _: { memory, _ async throws in
            let handle = try await memory.open("a", O_RDWR)
            try await memory.make(.write(handle: handle, offset: 5, bytes: [1, 2, 3]))
            // Behind the end: the gap has zeros.
            try await memory.make(.write(handle: handle, offset: 700_010, bytes: [9]))
            var expected = Self.bytes
            expected.replaceSubrange(5..<8, with: [1, 2, 3])
            expected += Array(repeating: 0, count: 10) + [9]
            #expect(try await memory.bytes(of: handle) == expected)
            #expect(try await memory.stored()["a"] == Self.bytes)
            try await memory.close(handle)
            #expect(try await memory.stored() == ["a": expected])
            #expect(try await memory.bytes("a") == expected)
        }
    }

    @Test func `gives readers of a written file its new bytes, and its pages to no other content`() async throws {
        try await MountedMemory.writable { zone in
            try await MountedMemory.write("a", [1, 2, 3], to: zone)
        } _: { memory, _ async throws in
            let before = try #require(await memory.find("a")).id
            let reader = try await memory.open("a", O_RDONLY)
            let writer = try await memory.open("a", O_RDWR)
            #expect(await memory.find("a")?.id == before, "it is one file while it is written")
            try await memory.make(.write(handle: writer, offset: 0, bytes: [7]))
            #expect(try await memory.bytes(of: reader) == [7, 2, 3])
            try await memory.close(writer)
            let after = try #require(await memory.find("a")).id
            #expect(after != before)
            // The first content again: the kernel may still have pages of the written one under the number.
            try await memory.put("a", [1, 2, 3])
            #expect(await memory.find("a")?.id != before)
            #expect(try await memory.bytes(of: reader) == [7, 2, 3])
            memory.kernel.tell(.release(handle: reader))
            #expect(memory.mount.state.withLock { $0.written.files.isEmpty && $0.staged.isEmpty })
        }
    }

    @Test func `cuts files off, by the path too, and stores facts alone without an upload`() async throws {
        try await MountedMemory.writable { zone in
            try await MountedMemory.write("a", Self.bytes, to: zone)
        } _: { memory, _ async throws in
            let id = try #require(await memory.find("a")).id
            try await memory.make(.set(id, handle: nil, NodeChange(byteCount: 4)))
            #expect(try await memory.stored() == ["a": Array(Self.bytes.prefix(4))])
            let other = try #require(await memory.find("a")).id
            let asset = try #require(FileRecord(try await memory.zone.record("a"))).content.asset
            try await memory.make(.set(other, handle: nil, NodeChange(mode: 0o100755, modified: 77_000)))
            let file = try #require(FileRecord(try await memory.zone.record("a")))
            #expect(file.isExecutable && file.content.asset == asset)
            #expect(file.content.modifiedAt?.timeIntervalSince1970 == 77)
            #expect(await memory.find("a")?.isExecutable == true)
            // Other bits, and the user who has it already, are no change; another user is refused.
            try await memory.make(.set(other, handle: nil, NodeChange(mode: 0o100700, user: getuid())))
            await #expect(throws: MountedMemory.Refused(number: EPERM)) {
                try await memory.make(.set(other, handle: nil, NodeChange(user: getuid() &+ 1)))
            }
        }
    }

    @Test func `stores facts that a program sets by the path of an open file at once`() async throws {
        try await MountedMemory.writable { zone in
            try await MountedMemory.write("a", [1], to: zone)
        } _: { memory, _ async throws in
            let handle = try await memory.open("a", O_RDWR)
            let id = try #require(await memory.find("a")).id
            try await memory.make(.set(id, handle: nil, NodeChange(mode: 0o100755, modified: 77_000)))
            let file = try #require(FileRecord(try await memory.zone.record("a")))
            #expect(file.isExecutable && file.content.modifiedAt?.timeIntervalSince1970 == 77)
            try await memory.close(handle)
            #expect(try await memory.stored() == ["a": [1]])
        }
    }

    @Test func `keeps a version that another device has written meanwhile, and the written one beside it`() async throws
    {
        let told = Told()
        try await MountedMemory.writable(told: told) { zone in
            try await MountedMemory.write("a.txt", [1], to: zone)
        } _: { memory, _ async throws in
            let handle = try await memory.open("a.txt", O_RDWR)
            try await memory.make(.write(handle: handle, offset: 0, bytes: [5, 6]))
            try await MountedMemory.write("a.txt", [9], to: memory.zone)
            try await memory.make(.flush(handle: handle))
            let conflict = "a (conflict desk 1970-01-01 00-16-40).txt"
            #expect(try await memory.stored() == ["a.txt": [9], conflict: [5, 6]])
            let file = try #require(FileRecord(try await memory.zone.record(conflict)))
            #expect(file.conflictOf?.text == "a.txt")
            // The program goes on with its own version.
            try await memory.make(.write(handle: handle, offset: 2, bytes: [7]))
            try await memory.close(handle)
            #expect(try await memory.stored() == ["a.txt": [9], conflict: [5, 6, 7]])
            #expect(try await memory.bytes("a.txt") == [9])
            #expect(told.all.count { $0.contains("changed by another device") } == 1)
        }
    }

    @Test func `restores a file that another device has deleted while it was written`() async throws {
        try await MountedMemory.writable { zone in
            try await MountedMemory.write("a", [1], to: zone)
        } _: { memory, _ async throws in
            let handle = try await memory.open("a", O_RDWR)
            try await memory.make(.write(handle: handle, offset: 1, bytes: [2]))
            try await memory.zone.delete("a")
            try await memory.close(handle)
            #expect(try await memory.stored() == ["a": [1, 2]])
        }
    }

    @Test func `fails to close while the daemon is gone, and keeps the bytes in a file of their own`() async throws {
        let told = Told()
        try await MountedMemory.writable(told: told) { memory, unsaved async throws in
            let handle = try await memory.open("d.txt", O_WRONLY)
            try await memory.make(.write(handle: handle, offset: 0, bytes: [1, 2, 3]))
            memory.daemon.stop()
            await #expect(throws: MountedMemory.Refused(number: EIO)) {
                try await memory.make(.synchronize(handle: handle))
            }
            // The same bytes are stored when it is back.
            memory.daemon.start()
            try await memory.make(.synchronize(handle: handle))
            #expect(try await memory.stored() == ["d.txt": [1, 2, 3]])
            try await memory.make(.write(handle: handle, offset: 3, bytes: [4]))
            memory.daemon.stop()
            await #expect(throws: MountedMemory.Refused(number: EIO)) { try await memory.close(handle) }
            while !told.all.contains(where: { $0.contains("Its bytes are in") }) { await Task.yield() }
            let kept = try FileManager.default.contentsOfDirectory(atPath: unsaved)
            #expect(kept == ["1970-01-01 00-16-40 d.txt"])
            #expect(memory.mount.settings.staging?.unsavedCount == 1)
            #expect(try Data(contentsOf: URL(filePath: unsaved + "/" + (kept.first ?? ""))) == Data([1, 2, 3, 4]))
            memory.daemon.start()
            #expect(try await memory.stored() == ["d.txt": [1, 2, 3]])
        }
    }

    @Test func `stores files that are open at its end`() async throws {
        try await MountedMemory.writable { memory, unsaved async throws in
            for name in ["a", "b"] {
                let handle = try await memory.open(name, O_WRONLY)
                try await memory.make(.write(handle: handle, offset: 0, bytes: Array(name.utf8)))
            }
            await memory.mount.storeAll()
            memory.mount.keepAll()
            #expect(try await memory.stored() == ["a": Array("a".utf8), "b": Array("b".utf8)])
            #expect(try FileManager.default.contentsOfDirectory(atPath: unsaved).isEmpty)
        }
    }

    @Test func `replaces a file by renaming another one over it, and keeps the record`() async throws {
        try await MountedMemory.writable { zone in
            try await MountedMemory.write("a", [1], to: zone)
            try await zone.save(RecordWrite("a", fields: ["note": "of another program"]))
        } _: { memory, _ async throws in
            let created = try await memory.zone.record("a")
            try await memory.put(".a.swp", [5, 6])
            try await memory.rename(".a.swp", to: "a")
            #expect(try await memory.stored() == ["a": [5, 6]])
            let record = try await memory.zone.record("a")
            #expect(record.fields["note"] == "of another program" && record.createdBy == created.createdBy)
            #expect(memory.names() == ["a"])
            #expect(try await memory.bytes("a") == [5, 6])
        }
    }

    @Test func `moves files without an upload, with their other fields, and refuses what has no place`() async throws {
        try await MountedMemory.writable { zone in
            try await MountedMemory.write("a", [1], to: zone)
            try await zone.save(RecordWrite("a", fields: ["camera": "c"]))
            try await MountedMemory.write("b", [2], to: zone)
            let content = try await zone.upload(Data([3]))
            try await zone.save(RecordWrite("note", type: "Note", fields: ["file": .asset(content)]))
        } _: { memory, _ async throws in
            try await memory.makeFolder("d")
            let asset = try #require(FileRecord(try await memory.zone.record("a"))).content.asset
            try await memory.rename("a", to: "d/c")
            let record = try await memory.zone.record("d/c")
            #expect(record.fields["camera"] == "c" && FileRecord(record)?.content.asset == asset)
            #expect(FileRecord(record)?.content.name == "c")
            #expect(try await memory.stored() == ["d/c": [1], "b": [2]])
            for (from, to, flags, number) in [
                ("b", "d/c", 1, EEXIST), ("b", "d/c", 2, EINVAL), ("b", "d", 0, EISDIR), ("d", "b", 0, ENOTDIR),
                ("gone", "x", 0, ENOENT), ("note/file", "x", 0, EPERM), ("b", "note/file", 0, EPERM),
                ("note", "x", 0, EPERM), ("b", String(repeating: "x", count: 256), 0, ENAMETOOLONG),
            ] as [(String, String, UInt32, Int32)] {
                await #expect(throws: MountedMemory.Refused(number: number), "\(from) to \(to)") {
                    try await memory.rename(from, to: to, flags: flags)
                }
            }
            #expect(try await memory.stored() == ["d/c": [1], "b": [2]])
        }
    }

    @Test func `moves a folder with all files beneath it, open ones and empty folders too`() async throws {
        try await MountedMemory.writable { zone in
            for name in ["d/a", "d/e/b", "other"] { try await MountedMemory.write(name, Array(name.utf8), to: zone) }
        } _: { memory, _ async throws in
            try await memory.makeFolder("d/empty")
            let handle = try await memory.open("d/open", O_WRONLY)
            try await memory.make(.write(handle: handle, offset: 0, bytes: [1]))
            try await memory.rename("d", to: "x")
            #expect(memory.names() == ["other", "x"])
            #expect(await memory.find("x/empty")?.isFolder == true)
            #expect(try await memory.bytes("x/e/b") == Array("d/e/b".utf8))
            try await memory.make(.write(handle: handle, offset: 1, bytes: [2]))
            try await memory.close(handle)
            let files = try await memory.stored()
            #expect(Set(files.keys) == ["x/a", "x/e/b", "x/open", "other"] && files["x/open"] == [1, 2])
        }
    }

    @Test func `shows a folder that replaces an empty one under another number`() async throws {
        try await MountedMemory.writable { zone in
            try await MountedMemory.write("d/a", [1], to: zone)
        } _: { memory, _ async throws in
            try await memory.makeFolder("x")
            let replaced = try #require(await memory.find("x")).id
            try await memory.rename("d", to: "x")
            let shown = try #require(await memory.find("x"))
            #expect(shown.isFolder && shown.id != replaced)
            #expect(try await memory.bytes("x/a") == [1])
        }
    }

    @Test func `stores no file a second time that is synchronized while its folder is moved`() async throws {
        try await MountedMemory.writable { zone in
            for name in ["d/a", "d/b"] { try await MountedMemory.write(name, [1], to: zone) }
        } _: { memory, _ async throws in
            let handles = [try await memory.open("d/a", O_RDWR), try await memory.open("d/b", O_RDWR)]
            for handle in handles { try await memory.make(.write(handle: handle, offset: 0, bytes: [2])) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await memory.rename("d", to: "x") }
                for step in 0..<20 {
                    let handle = handles[step % 2]
                    group.addTask {
                        try await memory.make(.write(handle: handle, offset: UInt64(step), bytes: [2]))
                        try await memory.make(.synchronize(handle: handle))
                    }
                }
                try await group.waitForAll()
            }
            for handle in handles { try await memory.close(handle) }
            #expect(Set(try await memory.stored().keys) == ["x/a", "x/b"])
        }
    }

    @Test func `lets tasks hold several files in any order`() async throws {
        let gates = NodeGates()
        let (first, second) = (NodeID(number: 8), NodeID(number: 9))
        let count = Counter()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    await gates.hold(number % 2 == 0 ? [first, second] : [second, first, second]) {
                        let before = count.value.withLock { $0 }
                        await Task.yield()
                        count.value.withLock { $0 = before + 1 }
                    }
                }
            }
        }
        #expect(count.value.withLock { $0 } == 40)
    }

    @Test func `removes files, and one that is open is read and written to its end`() async throws {
        try await MountedMemory.writable { zone in
            for name in ["d/a", "d/b"] { try await MountedMemory.write(name, Array(name.utf8), to: zone) }
        } _: { memory, _ async throws in
            let reader = try await memory.open("d/a", O_RDONLY)
            let writer = try await memory.open("d/b", O_RDWR)
            for name in ["d/a", "d/b"] { try await memory.unlink(name) }
            #expect(try await memory.stored().isEmpty)
            #expect(try await memory.bytes(of: reader) == Array("d/a".utf8))
            try await memory.make(.write(handle: writer, offset: 0, bytes: [1]))
            #expect(try await memory.bytes(of: writer) == [1] + Array("/b".utf8))
            try await memory.close(writer)
            #expect(try await memory.stored().isEmpty)
            memory.kernel.tell(.release(handle: reader))
            // The folder stays until a program removes it.
            #expect(await memory.find("d")?.isFolder == true)
            try await memory.removeFolder("d")
            #expect(memory.names().isEmpty)
        }
    }

    @Test func `opens no file to be written that has lost its name since it was looked up`() async throws {
        try await MountedMemory.writable { zone in
            try await MountedMemory.write("a", [1], to: zone)
        } _: { memory, _ async throws in
            let id = try #require(await memory.find("a")).id
            let reader = try await memory.open("a", O_RDONLY)
            try await memory.close(try await memory.open("a", O_RDWR))
            // The kernel asks for the name again, and finds the file of the content.
            #expect(await memory.kernel.ask(.open(id, flags: O_RDWR)) == .failure(ESTALE))
            #expect(try await memory.bytes(of: reader) == [1])
            try await memory.put("a", [2])
            #expect(try await memory.stored() == ["a": [2]])
            memory.kernel.tell(.release(handle: reader))
        }
    }

    @Test func `makes and removes folders, and refuses to remove one with files`() async throws {
        try await MountedMemory.writable { memory, _ async throws in
            try await memory.makeFolder("d")
            await #expect(throws: MountedMemory.Refused(number: EEXIST)) { try await memory.makeFolder("d") }
            let handle = try await memory.open("d/f", O_WRONLY)
            await #expect(throws: MountedMemory.Refused(number: ENOTEMPTY)) { try await memory.removeFolder("d") }
            try await memory.close(handle)
            await #expect(throws: MountedMemory.Refused(number: ENOTEMPTY)) { try await memory.removeFolder("d") }
            await #expect(throws: MountedMemory.Refused(number: EISDIR)) { try await memory.unlink("d") }
            await #expect(throws: MountedMemory.Refused(number: ENOTDIR)) { try await memory.removeFolder("d/f") }
            try await memory.unlink("d/f")
            try await memory.removeFolder("d")
            await #expect(throws: MountedMemory.Refused(number: ENOENT)) { try await memory.removeFolder("d") }
        }
    }

    @Test func `leaves assets of other records as they are`() async throws {
        try await MountedMemory.writable { zone in
            let content = try await zone.upload(Data([1]))
            try await zone.save(RecordWrite("note", type: "Note", fields: ["file": .asset(content)]))
        } _: { memory, _ async throws in
            await #expect(throws: MountedMemory.Refused(number: EACCES)) {
                try await memory.open("note/file", O_RDWR)
            }
            await #expect(throws: MountedMemory.Refused(number: EPERM)) { try await memory.unlink("note/file") }
            #expect(try await memory.bytes("note/file") == [1])
        }
    }

    @Test(arguments: UInt64(1)...12) func `has the same files as a plain file system`(seed: UInt64) async throws {
        try await MountedMemory.writable { memory, _ async throws in
            var generator = SeededGenerator(seed: seed)
            var model: [String: [UInt8]] = [:]
            for folder in ["d", "e"] { try await memory.makeFolder(folder) }
            let names = ["a", "b", "d/a", "d/b", "e/a"]
            for step in 0..<50 {
                let place: Comment = "seed \(seed), step \(step)"
                let (name, other) = (
                    names[Int.random(in: 0..<5, using: &generator)], names[Int.random(in: 0..<5, using: &generator)]
                )
                switch Int.random(in: 0..<6, using: &generator) {
                case 0, 1:
                    let bytes = (0..<Int.random(in: 0..<2_000, using: &generator)).map { UInt8(truncatingIfNeeded: $0) }
                    try await memory.put(name, bytes)
                    model[name] = bytes
                case 2:
                    guard var bytes = model[name] else { continue }
                    let first = Int.random(in: 0...bytes.count, using: &generator)
                    let handle = try await memory.open(name, O_RDWR)
                    try await memory.make(.write(handle: handle, offset: UInt64(first), bytes: [1, 2, 3]))
                    try await memory.close(handle)
                    bytes.replaceSubrange(first..<min(first + 3, bytes.count), with: [1, 2, 3])
                    model[name] = bytes
                case 3:
                    guard let bytes = model[name], let id = await memory.find(name)?.id else { continue }
                    let count = Int.random(in: 0...bytes.count, using: &generator)
                    try await memory.make(.set(id, handle: nil, NodeChange(byteCount: UInt64(count))))
                    model[name] = Array(bytes.prefix(count))
                case 4:
                    guard model[name] != nil else { continue }
                    try await memory.unlink(name)
                    model[name] = nil
                default:
                    guard let bytes = model[name], name != other else { continue }
                    try await memory.rename(name, to: other)
                    (model[name], model[other]) = (nil, bytes)
                }
                #expect(try await memory.stored() == model, place)
                for (name, bytes) in model { #expect(try await memory.bytes(name) == bytes, place) }
                for name in names where model[name] == nil { #expect(await memory.find(name) == nil, place) }
            }
            #expect(memory.mount.state.withLock { $0.written.files.isEmpty && $0.workers.isEmpty })
        }
    }

    @Test(arguments: UInt64(1)...12) func `loses no version while others write`(seed: UInt64) async throws {
        try await MountedMemory.writable { memory, _ async throws in
            var generator = SeededGenerator(seed: seed)
            var count: UInt8 = 0
            // The versions that the last writer of a name has not seen go: it has written over those that the mount showed alone.
            for step in 0..<30 {
                count += 2
                let (mine, theirs): ([UInt8], [UInt8]) = ([count], [count + 1])
                let handle = try await memory.open("a", O_RDWR | (step % 2 == 0 ? O_TRUNC : 0))
                try await memory.make(.write(handle: handle, offset: 0, bytes: mine))
                let isBetween = Bool.random(using: &generator)
                if isBetween { try await MountedMemory.write("a", theirs, to: memory.zone) }
                try await memory.close(handle)
                let stored = Set(try await memory.stored().values)
                #expect(stored.contains(mine), "seed \(seed), step \(step)")
                #expect(!isBetween || stored.contains(theirs), "seed \(seed), step \(step)")
                if Bool.random(using: &generator), await memory.find("a") != nil { try await memory.unlink("a") }
            }
        }
    }
}

/// A number that tasks read and write.
private final class Counter: Sendable {
    let value = Mutex(0)
}
