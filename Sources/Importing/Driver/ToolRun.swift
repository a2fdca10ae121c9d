import Glibc
import Synchronization

/// A program that runs once, with bounded output and time, in a group of processes of its own.
///
/// It inherits the descriptors that are named here, and no others: this process opens all of its own so that programs do not inherit them.
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
    /// Its standard input; `nil` for an empty one.
    var input: Int32?
    /// The descriptors that it inherits from ``Sandbox/firstDescriptor`` on.
    var descriptors: [Int32] = []
    /// The bytes that it may put out.
    var outputByteCountMax: Int
    /// The time that it may take, in seconds.
    var seconds: Int
    /// The exit codes of a use that has an output.
    var exitCodes: Set<Int32> = [0]

    /// The number from which copies of descriptors are made, above all that the program gets.
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

    /// Held while a descriptor is open that a program would inherit by mistake, and while one is started.
    private static let starting = Mutex(())

    /// Both ends of a pipe that programs do not inherit.
    private static func pipeEnds() throws(Failure) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        let number = starting.withLock { _ -> Int32 in
            guard pipe(&ends) == 0 else { return errno }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return 0
        }
        guard number == 0 else { throw .notStarted(number) }
        return (ends[0], ends[1])
    }

    private func start(_ output: Int32) throws(Failure) -> pid_t {
        // A descriptor may have the number that another one gets, so all are first copied out of the way.
        var copies: [Int32] = []
        defer { for copy in copies { close(copy) } }
        for descriptor in descriptors + (input.map { [$0] } ?? []) {
            let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, Self.firstCopy)
            guard copy >= 0 else { throw .notStarted(errno) }
            copies.append(copy)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let target = fcntl(output, F_DUPFD_CLOEXEC, Self.firstCopy)
        guard target >= 0 else { throw .notStarted(errno) }
        copies.append(target)
        posix_spawn_file_actions_adddup2(&actions, target, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        if input == nil {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        } else {
            posix_spawn_file_actions_adddup2(&actions, copies[descriptors.count], STDIN_FILENO)
        }
        for position in descriptors.indices {
            let number = Int32(Sandbox.firstDescriptor + position)
            posix_spawn_file_actions_adddup2(&actions, copies[position], number)
        }
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
        let status = Self.starting.withLock { _ in
            posix_spawn(&process, arguments.first ?? "", &actions, &attributes, &pointers, &environment)
        }
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
