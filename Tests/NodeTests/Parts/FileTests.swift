import Foundation
import Identity
import TestSupport
import Testing
import Wire

@testable import Node

@Suite struct `A private file` {
    private let directory: TestDirectory
    private let file: PrivateFile

    init() throws {
        directory = try TestDirectory()
        file = PrivateFile(path: directory.path + "/secret")
    }

    private func mode(_ name: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.path + "/" + name)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }

    @Test func `is read as it was written, and is nil before`() throws {
        #expect(try file.read() == nil)
        for bytes in [[1, 2, 3], [], [UInt8](repeating: 7, count: 200_000)] {
            try file.replace(bytes)
            #expect(try file.read() == bytes)
        }
    }

    @Test func `is readable by its owner alone, even if its mode was opened to all`() throws {
        try file.replace([1])
        #expect(try mode("secret") == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        // A file that a crash has left beside it is not trusted either.
        try Data().write(to: URL(fileURLWithPath: file.path + ".new"))
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file.path + ".new")
        try file.replace([2])
        #expect(try mode("secret") == 0o600 && file.read() == [2])
    }

    @Test func `is replaced atomically: a reader that has it open still reads the old content`() throws {
        try file.replace([1, 1, 1])
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: file.path))
        try file.replace([2])
        #expect(try handle.readToEnd().map { [UInt8]($0) } == [1, 1, 1])
        #expect(try file.read() == [2])
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["secret"])
    }

    @Test func `is unchanged when it cannot be replaced, and nothing is left beside it`() throws {
        let inside = PrivateFile(path: directory.path + "/missing/secret")
        #expect(throws: PrivateFile.Failure.self) { try inside.replace([1]) }
        // A directory in its place cannot be renamed over.
        try FileManager.default.createDirectory(atPath: file.path + "/x", withIntermediateDirectories: true)
        #expect(throws: PrivateFile.Failure.self) { try file.replace([1]) }
        #expect(!directory.exists("secret.new"))
    }

    @Test func `is never a link, which could lead anywhere`() throws {
        let target = directory.path + "/target"
        try Data([9]).write(to: URL(fileURLWithPath: target))
        try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: target)
        #expect(throws: PrivateFile.Failure.self) { try file.read() }
        try FileManager.default.createSymbolicLink(atPath: file.path + ".new", withDestinationPath: target)
        #expect(throws: PrivateFile.Failure.self) { try file.replace([1]) }
        #expect(try directory.bytes("target") == [9])
    }

    @Test func `has a bounded size`() throws {
        try file.replace([UInt8](repeating: 0, count: PrivateFile.byteCountMax + 1))
        #expect(throws: PrivateFile.Failure.self) { try file.read() }
        #expect(try file.read(limit: PrivateFile.byteCountMax + 1)?.count == PrivateFile.byteCountMax + 1)
    }
}

@Suite struct `The sentinel's file` {
    private let directory: TestDirectory
    private let files: IdentityFiles

    init() throws {
        directory = try TestDirectory()
        files = IdentityFiles(directory: directory.path)
        try files.prepare()
        try files.deviceKey.replace([1])
    }

    private var sentinel: SentinelFile {
        SentinelFile(file: files.sentinel, machine: Array("machine".utf8), witness: files.deviceKey.file)
    }

    private func stored() throws -> Sentinel { try Sentinel(decoding: try #require(try files.sentinel.read())) }

    @Test func `never goes back, and is truncated with its content`() throws {
        var random = SeededGenerator(seed: 1)
        let file = sentinel
        let (first, second) = (Incarnation(using: &random), Incarnation(using: &random))
        for number in [UInt64(3), 100_000, 2, 99_999] { try file.write(commitNumber: number, incarnation: first) }
        #expect(try stored().commitNumber == 100_000)
        try file.write(commitNumber: 100_001, incarnation: second)
        #expect(try stored().incarnation == second)
        // Another process begins with the store's number.
        try sentinel.write(commitNumber: 7, incarnation: second)
        #expect(try stored().commitNumber == 7)
    }

    @Test func `names the machine and this very directory: a copy is another one, a renamed one is not`()
        throws
    {
        let own = sentinel.machine
        let other = SentinelFile(file: files.sentinel, machine: Array("other".utf8), witness: files.deviceKey.file)
        #expect(own != other.machine && own == sentinel.machine)
        let copy = IdentityFiles(directory: try directory.copy().path)
        let copied = SentinelFile(file: copy.sentinel, machine: Array("machine".utf8), witness: copy.deviceKey.file)
        #expect(copied.machine != own)
        let renamed = directory.path + "/renamed"
        try FileManager.default.moveItem(atPath: directory.path + "/keys", toPath: renamed)
        let witness = PrivateFile(path: renamed + "/device.key")
        let moved = SentinelFile(file: files.sentinel, machine: Array("machine".utf8), witness: witness)
        #expect(moved.machine == own)
        // Written over in its place, as `cp` does: the same inode, another time of change.
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: witness.path))
        try handle.write(contentsOf: Data([1]))
        try handle.close()
        let overwritten = SentinelFile(file: files.sentinel, machine: Array("machine".utf8), witness: witness)
        #expect(overwritten.machine != own)
    }

    @Test func `accepts a machine's name of any length`() {
        let long = SentinelFile(
            file: files.sentinel,
            machine: [UInt8](repeating: 1, count: 1_000),
            witness: files.deviceKey.file
        )
        #expect(long.machine.count == Sentinel.machineByteCountMax)
    }
}

@Suite struct `The files of an account` {
    @Test func `hold an account log of any allowed size`() throws {
        let directory = try TestDirectory()
        let files = IdentityFiles(directory: directory.path)
        try files.prepare()
        #expect(try files.readAccountEntries().isEmpty)
        var random = SeededGenerator(seed: 3)
        let entries = (0..<Limits.accountEntryCountMax).map { _ in random.bytes(1_000) }
        try files.writeAccountEntries(entries)
        #expect(try files.readAccountEntries() == entries)
        try files.accountLog.replace([2, 0])
        #expect(throws: WireError.self) { try files.readAccountEntries() }
    }
}
