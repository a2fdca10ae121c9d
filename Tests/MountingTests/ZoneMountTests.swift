import FoundationEssentials
import Glibc
import KairanClient
import KairanTesting
import Synchronization
import Testing

@testable import Mounting

/// A zone of a daemon in memory, and a mount of it that a test asks in place of the kernel.
struct MountedMemory: Sendable {
    let daemon: MemoryDaemon
    let zone: RecordZone
    let mount: ZoneMount
    let feed: ZoneFeed
    let kernel: StandInKernel

    /// A test waits for the feed to end.
    struct AwaitsEnd: Error {}
    /// The kernel would get another answer.
    struct OtherAnswer: Error {}

    /// Runs a mount for the time of a test: after a closure that writes into the zone, one that uses the mount and the news for the kernel.
    static func run(
        staging: StagingFolder? = nil,
        told: Told = Told(),
        _ fill: (RecordZone) async throws -> Void = { _ in },
        _ body: (MountedMemory, AsyncStream<TreeNews>) async throws -> Void
    ) async throws {
        let daemon = MemoryDaemon()
        let zone = try await daemon.kairan.container("org.example.files").privateDatabase.createZone(named: "files")
        try await fill(zone)
        let client = daemon.kairan.client
        let settings = ZoneMount.Settings(
            zone: zone.id,
            client: client,
            content: client.assets,
            waitMilliseconds: 0,
            report: { told.note($0) },
            staging: staging,
            device: "desk",
            now: { 1_000_000 }
        )
        let mount = ZoneMount(settings, at: 0)
        let feed = ZoneFeed(zone: try await zone.describe(), client: client, mount: mount, now: { 1_000 })
        let token = try await feed.load()
        let (news, tell) = AsyncStream.makeStream(of: TreeNews.self)
        let memory = MountedMemory(daemon: daemon, zone: zone, mount: mount, feed: feed, kernel: StandInKernel(mount))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await mount.work() }
            group.addTask { try await feed.follow(since: token) { tell.yield($0) } }
            defer { group.cancelAll() }
            do {
                try await body(memory, news)
            } catch is AwaitsEnd {
                _ = try await group.next()
            }
        }
        mount.pending.failAll()
        mount.keepAll()
    }

    /// Looks up a path from the root, as the kernel does.
    func find(_ path: String) async -> NodeAttributes? {
        var found: NodeAttributes?
        for part in path.split(separator: "/") {
            let request = KernelRequest.lookUp(name: Name(String(part)), folder: found?.id ?? .root)
            guard case .entry(let next) = await kernel.ask(request) else { return nil }
            found = next
        }
        return found
    }

    /// Opens a file.
    func open(_ path: String) async throws -> UInt64 {
        let id = try #require(await find(path)).id
        guard case .opened(let handle) = await kernel.ask(.open(id, flags: O_RDONLY)) else { throw OtherAnswer() }
        return handle
    }

    /// Writes a file of the zone.
    static func write(_ path: String, _ bytes: [UInt8], to zone: RecordZone) async throws {
        let content = try await zone.upload(Data(bytes))
        try await zone.save(
            RecordWrite(path, type: "File", fields: ["path": .string(path), "content": .asset(content)])
        )
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A mounted zone` {
    private static let bytes: [UInt8] = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 4) }

    @Test func `shows its files with size, kind and content`() async throws {
        try await MountedMemory.run { zone in
            try await MountedMemory.write("2026/lake.jpg", Self.bytes, to: zone)
            try await MountedMemory.write("empty", [], to: zone)
        } _: { memory, _ async throws in
            let lake = try #require(await memory.find("2026/lake.jpg"))
            #expect(lake.byteCount == 300_000 && !lake.isFolder && !lake.isExecutable)
            let folder = try #require(await memory.find("2026"))
            #expect(folder.isFolder && folder.modified == 1_000)
            #expect(await memory.kernel.ask(.attributes(lake.id)) == .attributes(lake))
            #expect(await memory.find("2026/pond.jpg") == nil)
            #expect(await memory.kernel.ask(.lookUp(name: nil, folder: .root)) == .failure(ENOENT))
            let handle = try await memory.open("2026/lake.jpg")
            var read: [UInt8] = []
            while case .bytes(let part) = await memory.kernel.ask(
                .read(handle: handle, offset: UInt64(read.count), count: 65_536)
            ), !part.isEmpty {
                read += part
            }
            #expect(read == Self.bytes)
            #expect(await memory.kernel.ask(.read(handle: handle, offset: 400_000, count: 10)) == .bytes([]))
            memory.kernel.tell(.release(handle: handle))
            #expect(await memory.kernel.ask(.read(handle: handle, offset: 0, count: 10)) == .failure(EBADF))
            #expect(
                await memory.kernel.ask(.statistics) == .statistics(byteCount: 300_000, fileCount: 2)
            )
            #expect(await memory.kernel.ask(.open(lake.id, flags: O_WRONLY)) == .failure(EROFS))
            #expect(await memory.kernel.ask(.open(folder.id, flags: O_RDONLY)) == .failure(ESTALE))
        }
    }

    @Test func `lists a folder in pages, and counts what the kernel has looked up`() async throws {
        try await MountedMemory.run { zone in
            for number in 0..<20 { try await MountedMemory.write("d/f\(number)", [1], to: zone) }
        } _: { memory, _ async throws in
            let folder = try #require(await memory.find("d")).id
            guard case .opened(let handle) = await memory.kernel.ask(.openFolder(folder)) else {
                Issue.record("the folder is not opened")
                return
            }
            func page(_ offset: UInt64, isPlus: Bool) async -> Int {
                let request = KernelRequest.readFolder(handle: handle, offset: offset, room: 1_000, isPlus: isPlus)
                guard case .bytes(let bytes) = await memory.kernel.ask(request) else { return -1 }
                return bytes.count
            }
            // Each entry takes 24 bytes and its name, in steps of 8; with attributes 128 more.
            #expect(await page(0, isPlus: false) == 22 * 32)
            #expect(await page(22, isPlus: false) == 0)
            #expect(await page(0, isPlus: true) == 6 * 160)
            let counted = memory.mount.state.withLock { $0.tree.lookups }
            #expect(counted.count == 5 && counted[folder] == 1, "the folder itself and four files, without . and ..")
            // An answer that the kernel has dropped counts nothing.
            let request = KernelRequest.readFolder(handle: handle, offset: 2, room: 1_000, isPlus: true)
            _ = await memory.kernel.send(request, result: ENOENT).answer.first()
            #expect(memory.mount.state.withLock { $0.tree.lookups } == counted)
            _ = await memory.kernel.send(.lookUp(name: Name("f9"), folder: folder), result: ENOENT).answer.first()
            #expect(memory.mount.state.withLock { $0.tree.lookups } == counted)
            memory.kernel.tell(.releaseFolder(handle: handle))
            #expect(
                await memory.kernel.ask(.readFolder(handle: handle, offset: 0, room: 9, isPlus: false))
                    == .failure(EBADF)
            )
        }
    }

    @Test func `follows changes, and tells the kernel about names that it knows`() async throws {
        try await MountedMemory.run { zone in
            try await MountedMemory.write("a", [1], to: zone)
        } _: { memory, news async throws in
            var told = news.makeAsyncIterator()
            let old = try #require(await memory.find("a"))
            try await MountedMemory.write("a", [2, 3], to: memory.zone)
            #expect(await told.next()?.names == [NamePlace(folder: .root, name: Name("a"))])
            let new = try #require(await memory.find("a"))
            #expect(new.id != old.id && new.byteCount == 2)
            try await memory.zone.delete("a")
            _ = await told.next()
            #expect(await memory.find("a") == nil)
            // Both are known to the kernel, and so stay as they are.
            #expect(await memory.kernel.ask(.attributes(old.id)) == .attributes(old))
            memory.kernel.tell(.forget(old.id, count: 1))
            #expect(await memory.kernel.ask(.attributes(old.id)) == .failure(ESTALE))
        }
    }

    @Test func `reads an open file to its end only by the content that was opened`() async throws {
        try await MountedMemory.run { zone in
            try await MountedMemory.write("a", Self.bytes, to: zone)
        } _: { memory, news async throws in
            var told = news.makeAsyncIterator()
            let handle = try await memory.open("a")
            let first = KernelRequest.read(handle: handle, offset: 0, count: 1_000)
            #expect(await memory.kernel.ask(first) == .bytes(Array(Self.bytes.prefix(1_000))))
            // The record is moved: the content is at another place, and the reading goes on there.
            let record = try await memory.zone.record("a")
            let content = try #require(record.fields["content"])
            try await memory.zone.save(RecordWrite("b", type: "File", fields: ["path": "b", "content": content]))
            try await memory.zone.delete("a")
            for _ in 0..<2 { _ = await told.next() }
            #expect(await memory.kernel.ask(first) == .bytes(Array(Self.bytes.prefix(1_000))))
            // Other content takes its place, and nothing names it any more.
            try await MountedMemory.write("b", [9, 9, 9], to: memory.zone)
            _ = await told.next()
            #expect(await memory.kernel.ask(first) == .failure(ESTALE))
        }
    }

    @Test func `fails to read while the daemon is gone, and reads again when it is back`() async throws {
        try await MountedMemory.run { zone in
            try await MountedMemory.write("a", Self.bytes, to: zone)
        } _: { memory, _ async throws in
            let handle = try await memory.open("a")
            let request = KernelRequest.read(handle: handle, offset: 100_000, count: 50_000)
            memory.daemon.stop()
            #expect(await memory.kernel.ask(request) == .failure(EIO))
            #expect(await memory.find("a") != nil, "names are still known")
            memory.daemon.start()
            #expect(await memory.kernel.ask(request) == .bytes(Array(Self.bytes[100_000..<150_000])))
        }
    }

    @Test func `tells facts by extended attributes`() async throws {
        try await MountedMemory.run { zone in
            let content = try await zone.upload(Data([1, 2, 3]), mediaType: "text/plain", thumbnail: Data([7, 8]))
            try await zone.save(RecordWrite("note", type: "Note", fields: ["file": .asset(content)]))
        } _: { memory, _ async throws in
            let id = try #require(await memory.find("note/file")).id
            func text(_ name: String) async -> String? {
                guard case .bytes(let bytes) = await memory.kernel.ask(.extended(id, name: name, room: 1_000)) else {
                    return nil
                }
                return String(decoding: bytes, as: UTF8.self)
            }
            #expect(await text("user.kairan.state") == "present")
            #expect(await text("user.kairan.percent") == "100")
            #expect(await text("user.kairan.media_type") == "text/plain")
            #expect(await text("user.kairan.conflicts") == "0")
            #expect(await memory.kernel.ask(.extended(id, name: "user.kairan.thumbnail", room: 9)) == .bytes([7, 8]))
            #expect(await memory.kernel.ask(.extended(id, name: "user.kairan.digest", room: 9)) == .failure(ENODATA))
            #expect(await memory.kernel.ask(.extended(id, name: "user.kairan.state", room: 0)) == .size(7))
            #expect(await memory.kernel.ask(.extended(id, name: "user.kairan.state", room: 3)) == .failure(ERANGE))
            #expect(await memory.kernel.ask(.extended(.root, name: "user.kairan.state", room: 9)) == .failure(ENODATA))
            #expect(await memory.kernel.ask(.extendedNames(.root, room: 0)) == .size(0))
            memory.daemon.stop()
            #expect(await memory.kernel.ask(.extended(id, name: "user.kairan.state", room: 9)) == .failure(EIO))
        }
    }

    @Test func `reads everything anew when the daemon's store is another one`() async throws {
        try await MountedMemory.run { zone in
            try await MountedMemory.write("a", [1], to: zone)
        } _: { memory, news async throws in
            var told = news.makeAsyncIterator()
            _ = try #require(await memory.find("a"))
            memory.daemon.stop()
            memory.daemon.start()
            try await memory.zone.delete("a")
            memory.daemon.expireTokens()
            while await memory.find("a") != nil { _ = await told.next() }
        }
    }

    @Test func `ends when the zone is deleted`() async throws {
        let error = await #expect(throws: ZoneEnd.self) {
            try await MountedMemory.run { memory, _ in
                try await memory.zone.delete()
                throw MountedMemory.AwaitsEnd()
            }
        }
        #expect(error?.description.contains("was deleted") == true)
    }
}
