import Glibc
import Testing

@testable import Importing

@Suite("Programs with bounds")
struct ToolRunTests {
    private func run(
        _ script: String,
        bytes: Int = 1_000,
        seconds: Int = 60,
        exitCodes: Set<Int32> = [0]
    ) async throws -> String {
        let run = ToolRun(
            arguments: ["/bin/sh", "-c", script],
            outputByteCountMax: bytes,
            seconds: seconds,
            exitCodes: exitCodes
        )
        let output = try await Blocking.run { try run.perform() }
        return String(decoding: output, as: UTF8.self)
    }

    @Test("The output of a program comes back, its errors do not, and its input is empty")
    func output() async throws {
        #expect(try await run("echo out; echo error >&2; cat") == "out\n")
    }

    @Test("A program inherits the standard descriptors alone, whatever this process has open")
    func descriptors() async throws {
        // As the connections to a daemon are open: for programs too.
        let descriptor = open("/dev/null", O_RDONLY)
        defer { close(descriptor) }
        #expect(fcntl(descriptor, F_GETFD) == 0)
        #expect(descriptor > 2)
        #expect(
            try await run("test -e /proc/$$/fd/1 && echo out; test -e /proc/$$/fd/\(descriptor) || echo end")
                == "out\nend\n"
        )
    }

    @Test("An exit code that means failure is one, and another one is not")
    func exitCodes() async throws {
        await #expect(throws: ToolRun.Failure.failed(1)) { try await run("echo out; exit 1") }
        #expect(try await run("echo out; exit 1", exitCodes: [0, 1]) == "out\n")
    }

    @Test("A program that crashes has no output")
    func crash() async throws {
        await #expect(throws: ToolRun.Failure.crashed(9)) { try await run("echo out; kill -9 $$") }
    }

    @Test("A program that hangs is ended, with all that it has started")
    func hang() async throws {
        await #expect(throws: ToolRun.Failure.tooSlow) { try await run("tail -f /dev/null & wait", seconds: 1) }
        // Also one that has closed its output.
        await #expect(throws: ToolRun.Failure.tooSlow) {
            try await run("exec >/dev/null; tail -f /dev/null", seconds: 1)
        }
    }

    @Test("A program that puts out too much is ended")
    func flood() async throws {
        await #expect(throws: ToolRun.Failure.tooMuch) { try await run("yes") }
        #expect(try await run("printf 1234", bytes: 4) == "1234")
        await #expect(throws: ToolRun.Failure.tooMuch) { try await run("printf 12345", bytes: 4) }
    }

    @Test("A program that does not exist cannot be started")
    func missing() async throws {
        let run = ToolRun(arguments: ["/nowhere/tool"], outputByteCountMax: 10, seconds: 1)
        await #expect(throws: ToolRun.Failure.notStarted(2)) { try await Blocking.run { try run.perform() } }
    }

    @Test("Each failure is a part of a sentence")
    func words() {
        let failures: [ToolRun.Failure] = [.notStarted(2), .failed(1), .crashed(9), .tooSlow, .tooMuch]
        for failure in failures { #expect(failure.description.hasPrefix("the program ")) }
    }
}
