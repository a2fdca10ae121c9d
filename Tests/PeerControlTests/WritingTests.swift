import Foundation
import Glibc
import Testing

@testable import PeerControl

@Suite struct `A write of output` {
    @Test func `is an error with its name when the disk is full, and not a departed reader`() throws {
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(full >= 0)
        defer { close(full) }
        let error = #expect(throws: OutputError.self) { try Terminal.write([1, 2, 3], to: full) }
        #expect(error?.detail == "The standard output cannot be written: No space left on device.")
        #expect(error?.fix.contains("Make space") == true)
    }

    @Test func `is an error when writing there is not permitted`() throws {
        let readOnly = open("/dev/null", O_RDONLY | O_CLOEXEC)
        try #require(readOnly >= 0)
        defer { close(readOnly) }
        #expect(throws: OutputError.self) { try Terminal.write([1], to: readOnly) }
    }

    @Test func `ends silently when the reader of a pipe has left`() throws {
        // As the command line does: the signal would end the process.
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        close(ends[0])
        defer { close(ends[1]) }
        #expect(throws: Terminal.OutputClosed.self) { try Terminal.write([1], to: ends[1]) }
    }

    @Test func `waits for a pipe that is full`() async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        _ = fcntl(writer, F_SETFL, O_NONBLOCK)
        let bytes = [UInt8](repeating: 7, count: 300_000)
        let reading = Task.detached {
            var count = 0
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case let taken = read(reader, &buffer, buffer.count), taken > 0 { count += taken }
            return count
        }
        try Terminal.write(bytes, to: writer)
        close(writer)
        #expect(await reading.value == bytes.count)
        close(reader)
    }

    @Test
    func `into a file on a full disk is an output error, and into one that cannot be named a mistake of the name`() {
        let path = "/nowhere/" + UUID().uuidString
        #expect(
            OutputError.failure("/f", ENOSPC, fix: "") as? OutputError
                == OutputError(place: "/f", number: ENOSPC, fix: "")
        )
        let part = #expect(throws: InputError.self) { _ = try PartFile(path: path) }
        #expect(part?.detail == "\(path).part cannot be written: No such file or directory.")
        let secret = #expect(throws: InputError.self) { try SecretFile.create("a", at: path) }
        #expect(secret?.detail == "\(path) cannot be written: No such file or directory.")
    }

    @Test func `into a file is made by one program at a time, and replaces the file once it is complete`() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("part-\(UUID().uuidString)")
        let path = url.path
        defer { unlink(path) }
        try Data("before".utf8).write(to: url)
        var first: PartFile? = try PartFile(path: path)
        try first?.write([1, 2, 3])
        let second = #expect(throws: InputError.self) { _ = try PartFile(path: path) }
        #expect(second?.detail == "\(path).part is being written by another program.")
        #expect(try Data(contentsOf: url) == Data("before".utf8))
        try first?.finish()
        first = nil
        #expect(try Data(contentsOf: url) == Data([1, 2, 3]))

        var given: PartFile? = try PartFile(path: path)
        try given?.write([4])
        given = nil
        #expect(access(path + ".part", F_OK) != 0)
        #expect(try Data(contentsOf: url) == Data([1, 2, 3]))
    }
}
