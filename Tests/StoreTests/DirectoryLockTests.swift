import Foundation
import Store
import Sync
import Testing

@Suite("The lock of a state directory")
struct DirectoryLockTests {
    @Test func `refuses a second store in the same process and names the holder`() async throws {
        let fixture = try await StoreFixture()
        let error = await #expect(throws: StorageError.self) {
            _ = try await SQLiteStore.open(fixture.directory.state)
        }
        #expect(error?.code == .locked)
        #expect(error?.message.contains("\(ProcessInfo.processInfo.processIdentifier)") == true)
        try await fixture.store.close()
    }

    @Test func `is free again once the store is closed`() async throws {
        var fixture = try await StoreFixture()
        try await fixture.reopen()
        try await fixture.store.close()
    }

    @Test func `keeps other processes out while the store is open`() async throws {
        let fixture = try await StoreFixture()
        let path = fixture.directory.state.lockPath
        #expect(try run("flock", ["-n", path, "true"]) != 0)
        try await fixture.store.close()
        #expect(try run("flock", ["-n", path, "true"]) == 0)
    }

    @Test func `keeps the store out while another process holds it`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write(Array("4711\n".utf8), to: directory.state.lockPath)
        let holder = Process()
        let (input, output) = (Pipe(), Pipe())
        holder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        holder.arguments = ["flock", directory.state.lockPath, "sh", "-c", "echo held; read line"]
        holder.standardInput = input
        holder.standardOutput = output
        try holder.run()
        #expect(output.fileHandleForReading.availableData == Data("held\n".utf8))

        let error = await #expect(throws: StorageError.self) { _ = try await SQLiteStore.open(directory.state) }
        #expect(error?.code == .locked)
        #expect(error?.message.contains("4711") == true)
        #expect(!directory.state.holdsDatabase, "nothing was made before the lock was held")

        try input.fileHandleForWriting.close()
        holder.waitUntilExit()
        let store = try await SQLiteStore.open(directory.state)
        try await store.close()
    }

    /// Runs a program and waits for its end.
    private func run(_ program: String, _ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
