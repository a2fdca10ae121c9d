import Dispatch
import Glibc

@testable import LocalAPI

/// Another program that runs beside a test, with its three streams.
///
/// Reading and waiting block a thread, which must not be one of those that run the server: they have their own.
final class Subprocess: Sendable {
    /// The status and the output of a program.
    struct Result: Sendable {
        var status: Int32
        var output: String
        var error: String
    }

    private let process: pid_t
    private let input: CInt
    private let output: CInt
    private let error: CInt
    private let outputQueue = DispatchQueue(label: "subprocess.output")
    private let errorQueue = DispatchQueue(label: "subprocess.error")

    /// The sanitizer settings that `scripts/sanitize` passes to the tests, which hold for the programs that they
    /// start: those are built with the sanitizer, too.
    private static let sanitizing = ["ASAN_OPTIONS", "TSAN_OPTIONS", "LD_PRELOAD"].compactMap { (name: String) in
        getenv(name).map { "\(name)=\(String(cString: $0))" }
    }

    /// Starts a program of the search path.
    /// - Parameters:
    ///   - arguments: The program and its arguments.
    ///   - environment: Its variables.
    ///   - isAtTerminal: Whether its input and its errors are a terminal, and its output a pipe.
    /// - Throws: `SocketError` when it cannot be started.
    init(_ arguments: [String], environment: [String: String] = [:], isAtTerminal: Bool = false) throws {
        let (inputReading, inputWriting) = try isAtTerminal ? Self.terminalDescriptors() : Self.pipeDescriptors()
        let (outputReading, outputWriting) = try Self.pipeDescriptors()
        let (errorReading, errorWriting) =
            try isAtTerminal ? (Self.copy(inputWriting), Self.copy(inputReading)) : Self.pipeDescriptors()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (index, descriptor) in [inputReading, outputWriting, errorWriting].enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, CInt(index))
        }
        let variables =
            environment.map { "\($0.key)=\($0.value)" } + ["PATH=/usr/bin:/bin", "LD_LIBRARY_PATH=\(Self.libraries)"]
            + Self.sanitizing
        var pointers = arguments.map { strdup($0) } + [nil]
        var variablePointers = variables.map { strdup($0) } + [nil]
        defer { for pointer in pointers + variablePointers { free(pointer) } }
        var process: pid_t = 0
        let status = posix_spawnp(&process, arguments[0], &actions, nil, &pointers, &variablePointers)
        for descriptor in [inputReading, outputWriting, errorWriting] { close(descriptor) }
        guard status == 0 else { throw SocketError.system("posix_spawnp", status) }
        self.process = process
        (input, output, error) = (inputWriting, outputReading, errorReading)
    }

    /// Runs a program to its end.
    static func run(
        _ arguments: [String],
        input: String = "",
        environment: [String: String] = [:]
    ) async throws -> Result {
        let program = try Subprocess(arguments, environment: environment)
        program.write(input)
        return await program.finish()
    }

    /// Another number of a descriptor, which other programs do not inherit either.
    private static func copy(_ descriptor: CInt) -> CInt { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }

    /// Both ends of a terminal: the program's, and the person's.
    private static func terminalDescriptors() throws -> (CInt, CInt) {
        var (person, program): (CInt, CInt) = (0, 0)
        guard openpty(&person, &program, nil, nil, nil) == 0 else { throw SocketError.system("openpty", errno) }
        for descriptor in [person, program] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return (program, person)
    }

    /// Writes to the program's input; bytes that do not fit are the test's mistake.
    func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(input, bytes, bytes.count)
    }

    /// The next line of the program's output; `nil` at its end.
    func nextLine() async -> String? { await Self.line(of: output, on: outputQueue) }

    /// The next line of the program's errors; `nil` at their end.
    func nextErrorLine() async -> String? { await Self.line(of: error, on: errorQueue) }

    /// Sends the program a signal.
    func send(signal: Int32) { kill(process, signal) }

    private static func line(of descriptor: CInt, on queue: DispatchQueue) async -> String? {
        await withCheckedContinuation { continuation in
            queue.async {
                var line: [UInt8] = []
                var byte: UInt8 = 0
                while Glibc.read(descriptor, &byte, 1) == 1 {
                    if byte == UInt8(ascii: "\n") {
                        continuation.resume(returning: String(decoding: line, as: UTF8.self))
                        return
                    }
                    line.append(byte)
                }
                continuation.resume(returning: line.isEmpty ? nil : String(decoding: line, as: UTF8.self))
            }
        }
    }

    /// Ends the program's input and waits for its end.
    func finish() async -> Result {
        close(input)
        async let output = Self.all(output, on: outputQueue)
        async let error = Self.all(error, on: errorQueue)
        let texts = await (output, error)
        let process = process
        let status: Int32 = await withCheckedContinuation { continuation in
            outputQueue.async {
                var status: Int32 = 0
                waitpid(process, &status, 0)
                continuation.resume(returning: status)
            }
        }
        // The exit status is the second byte; a signal is the low seven bits.
        return Result(
            status: status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F),
            output: texts.0,
            error: texts.1
        )
    }

    private static func all(_ descriptor: CInt, on queue: DispatchQueue) async -> String {
        await withCheckedContinuation { continuation in
            queue.async {
                var bytes: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 65_536)
                while true {
                    let count = Glibc.read(descriptor, &buffer, buffer.count)
                    guard count > 0 else { break }
                    bytes += buffer.prefix(count)
                }
                close(descriptor)
                continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
            }
        }
    }

    /// Pipes that other programs do not inherit.
    private static func pipeDescriptors() throws -> (CInt, CInt) {
        var descriptors: [CInt] = [0, 0]
        guard pipe(&descriptors) == 0 else { throw SocketError.system("pipe", errno) }
        for descriptor in descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return (descriptors[0], descriptors[1])
    }

    private static var libraries: String {
        getenv("LD_LIBRARY_PATH").map { String(cString: $0) } ?? ""
    }

    /// The directory in which the tests' own program lies, and the others that were built with it.
    static var products: String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        let path = String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return path.lastIndex(of: "/").map { String(path[..<$0]) }
    }
}
