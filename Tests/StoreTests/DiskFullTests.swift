import Foundation
import Glibc
import Store
import Sync
import TestSupport
import Testing
import Wire

@Suite("A full disk")
struct DiskFullTests {
    private let content = [UInt8](repeating: 7, count: 16_000)

    @Test func `refuses writes with a typed error, serves reads, and recovers when there is space`() async throws {
        try await onSmallDisk(ballast: 2_000_000) { state, ballast in
            let store = try await SQLiteStore.open(state)
            let count = try await fill(store)
            let content = content
            await expectStorageError(.diskFull) { try await store.write { try $0.setValue(content, named: "again") } }
            try await store.read { transaction throws in
                #expect(try transaction.value(named: "\(count - 1)") == content)
                #expect(try transaction.value(named: "\(count)") == nil, "a refused write has no effect")
            }
            try FileManager.default.removeItem(atPath: ballast)
            try await store.write { try $0.setValue(content, named: "after") }
            try await store.close()
            try await expectEverything(state, count: count, names: ["after"])
        }
    }

    @Test func `lets the store be closed, and loses nothing`() async throws {
        try await onSmallDisk(ballast: 2_000_000) { state, ballast in
            let store = try await SQLiteStore.open(state)
            let count = try await fill(store)
            await expectStorageError(.diskFull) { try await store.close() }
            try FileManager.default.removeItem(atPath: ballast)
            try await expectEverything(state, count: count, names: [])
        }
    }

    @Test func `refuses a chunk of a payload, and takes the same one when there is space`() async throws {
        try await onSmallDisk(ballast: 2_000_000) { state, ballast in
            let store = try await SQLiteStore.open(state)
            let payload = PayloadRow(
                number: 1,
                id: .zero,
                zone: .zero,
                state: .wanted,
                byteCount: 1,
                secret: StoredSecret([UInt8](repeating: 7, count: StoredSecret.byteCount)),
                begun: 1
            )
            try await store.write { try $0.save(payload) }
            func chunk(_ position: UInt64) -> ChunkRow {
                let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: position), count: 60_000)
                return ChunkRow(position: position, hash: .zero, bytes: bytes)
            }
            var count: UInt64 = 0
            var refusal: StorageError?
            while refusal == nil, count < 100 {
                do {
                    let next = chunk(count)
                    try await store.write { try $0.save(next, of: 1) }
                    count += 1
                } catch let error as StorageError {
                    refusal = error
                }
            }
            #expect(refusal?.code == .diskFull && count > 3)
            let refused = chunk(count)
            #expect(try await store.read { try $0.chunk(of: 1, at: refused.position) } == nil)
            try FileManager.default.removeItem(atPath: ballast)
            try await store.write { try $0.save(refused, of: 1) }
            try await store.close()
            let again = try await SQLiteStore.open(state)
            for position in 0...count {
                #expect(try await again.read { try $0.chunk(of: 1, at: position) } == chunk(position))
            }
            try await again.close()
        }
    }

    /// Writes until the disk is full.
    /// - Returns: How many values were answered, named "0" and up.
    private func fill(_ store: SQLiteStore) async throws -> Int {
        let content = content
        for index in 0..<1_000 {
            do {
                try await store.write { try $0.setValue(content, named: "\(index)") }
            } catch let error as StorageError {
                #expect(error.code == .diskFull)
                #expect(index > 10)
                return index
            }
        }
        Issue.record("the disk did not fill")
        return 0
    }

    /// Opens the store again and looks for all values.
    private func expectEverything(_ state: StateDirectory, count: Int, names: [String]) async throws {
        let store = try await SQLiteStore.open(state)
        let content = content
        try await store.read { transaction throws in
            for name in (0..<count).map(String.init) + names {
                #expect(try transaction.value(named: name) == content)
            }
            #expect(try transaction.value(named: "again") == nil)
        }
        #expect(try await store.quickCheck() == [])
        try await store.close()
    }

    /// Mounts 4 MiB of memory, of which a file takes some.
    private func onSmallDisk(
        ballast byteCount: Int,
        _ body: (StateDirectory, String) async throws -> Void
    ) async throws {
        let mount = try TemporaryDirectory()
        guard getuid() == 0, try run("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", mount.path]) == 0 else {
            return try cannotRun("a full disk is tested only as root, on a small tmpfs")
        }
        defer {
            // Left mounted it would only outlive the test run.
            _ = try? run("umount", ["-l", mount.path])
        }
        let ballast = mount.path + "/ballast"
        try mount.write([UInt8](repeating: 0, count: byteCount), to: ballast)
        try await body(StateDirectory(path: mount.path + "/state"), ballast)
    }

    private func run(_ program: String, _ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
