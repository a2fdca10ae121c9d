internal import CFiles
import Glibc

/// A program that runs once, with bounded output and time, in a group of processes of its own.
///
/// It inherits no descriptor beside the standard ones, whatever is open in this process: the connections to the daemon, which a library opens,
/// would go to it otherwise.
struct ToolRun: Sendable {
    /// The reasons why a program has no output that could be used.
    enum Failure: Error, Hashable {
        /// It could not be started.
        case notStarted(Int32)
        /// It ended with this exit code.
        case failed(Int32)
        /// A signal ended it.
        case crashed(Int32)
        /// It did not end in time.
        case tooSlow
        /// It put out too much.
        case tooMuch
    }

    /// The program and its arguments.
    var arguments: [String]
    /// The bytes that it may put out.
    var outputByteCountMax: Int
    /// The time that it may take, in seconds.
    var seconds: Int
    /// The exit codes of a use that has an output.
    var exitCodes: Set<Int32> = [0]

    /// The number from which copies of descriptors are made, above the standard ones.
    private static let firstCopy: Int32 = 128
    /// The time between two looks at a program that has closed its output, in milliseconds.
    private static let pauseMilliseconds: Int32 = 2

    /// Runs the program, and blocks the thread until it has ended.
    /// - Returns: Its standard output.
    /// - Throws: ``Failure``.
    func perform() throws(Failure) -> [UInt8] {
        let (reading, writing) = try Self.pipeEnds()
        defer { close(reading) }
        let process: pid_t
        do throws(Failure) {
            process = try start(writing)
        } catch {
            close(writing)
            throw error
        }
        close(writing)
        let deadline = Self.now() + Int64(seconds) * 1_000
        var output: [UInt8] = []
        var failure: Failure?
        do throws(Failure) {
            output = try read(reading, until: deadline)
        } catch {
            failure = error
        }
        let status = Self.wait(process, until: failure == nil ? deadline : 0)
        if let failure { throw failure }
        guard let status else { throw .tooSlow }
        let signal = status & 0x7F
        guard signal == 0 else { throw .crashed(signal) }
        let code = status >> 8 & 0xFF
        guard exitCodes.contains(code) else { throw .failed(code) }
        return output
    }

    // MARK: Starting

    /// Both ends of a pipe.
    private static func pipeEnds() throws(Failure) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw .notStarted(errno) }
        return (ends[0], ends[1])
    }

    private func start(_ output: Int32) throws(Failure) -> pid_t {
        // The pipe may have the number of a standard descriptor that this process lacks, so it is first copied out of the way.
        let target = fcntl(output, F_DUPFD_CLOEXEC, Self.firstCopy)
        guard target >= 0 else { throw .notStarted(errno) }
        defer { close(target) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, target, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        // Behind the others, so that the program has the standard ones alone.
        let closing = kairan_close_from(&actions, STDERR_FILENO + 1)
        guard closing == 0 else { throw .notStarted(closing) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The command line ignores a pipe without a reader; other programs expect to be ended by it.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var pointers = arguments.map { strdup($0) } + [nil]
        var environment: [UnsafeMutablePointer<CChar>?] = [nil]
        defer { for pointer in pointers { free(pointer) } }
        var process: pid_t = 0
        let status = posix_spawn(&process, arguments.first ?? "", &actions, &attributes, &pointers, &environment)
        guard status == 0 else { throw .notStarted(status) }
        return process
    }

    // MARK: Output and end

    private func read(_ descriptor: Int32, until deadline: Int64) throws(Failure) -> [UInt8] {
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let left = deadline - Self.now()
            guard left > 0 else { throw .tooSlow }
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&request, 1, Int32(clamping: left)) > 0 else { continue }
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return output }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw .crashed(0)
            }
            guard output.count + count <= outputByteCountMax else { throw .tooMuch }
            output += buffer.prefix(count)
        }
    }

    /// Waits for the end of a process, and ends it with its group where it does not end by itself.
    /// - Returns: Its status; `nil` where it had to be ended.
    private static func wait(_ process: pid_t, until deadline: Int64) -> Int32? {
        var status: Int32 = 0
        while now() < deadline {
            let ended = waitpid(process, &status, WNOHANG)
            if ended == process { return status }
            if ended < 0, errno != EINTR { return nil }
            poll(nil, 0, pauseMilliseconds)
        }
        // The sandbox ends the program in it when it is ended itself.
        kill(-process, SIGKILL)
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return nil
    }

    /// The time of a clock that is never set, in milliseconds.
    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}

extension ToolRun.Failure: CustomStringConvertible {
    /// The reason, as a part of a sentence.
    var description: String {
        switch self {
        case .notStarted(let number): "the program could not be started: \(ImportedFolder.text(number))"
        case .failed(let code): "the program ended with \(code)"
        case .crashed(let signal): "the program was ended by signal \(signal)"
        case .tooSlow: "the program took too long"
        case .tooMuch: "the program put out too much"
        }
    }
}
