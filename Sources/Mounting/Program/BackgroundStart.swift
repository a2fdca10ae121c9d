internal import CFUSE
internal import FoundationEssentials
internal import Glibc

/// The start of this program once more, in the background, by a process that waits until the folder is mounted.
///
/// The other process has the null device as standard input and output, and a pipe to this one as standard error. It writes its messages
/// there, and a NUL when the folder is mounted. So neither it nor the program that libfuse starts for it keeps a pipe of the caller open.
///
/// It has a session of its own, so that the key that interrupts programs of the terminal does not reach it. A person who interrupts the process that
/// waits wants no mount: this one looks for it before it mounts the folder, and once more behind that.
enum BackgroundStart {
    /// Starts the program with the same arguments, and waits until it is ready or has ended.
    /// - Parameter arguments: The arguments of this process, without its name.
    /// - Returns: 0 when the mount is there; otherwise the exit code of the other process, whose messages are on standard error.
    static func run(_ arguments: [String]) -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return EX_OSERR }
        let (reading, writing) = (ends[0], ends[1])
        defer { close(reading) }
        let process = start(["kairan-mount", "--background"] + arguments, errors: writing)
        close(writing)
        guard let process else { return EX_OSERR }
        if passMessages(from: reading) { return 0 }
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        // As the macros WIFEXITED and WEXITSTATUS have it.
        let code = status & 0x7F == 0 ? status >> 8 & 0xFF : 1
        return code == 0 ? 1 : code
    }

    /// Ends this process where the one that waits for it is gone: nothing is mounted yet.
    ///
    /// A signal at the end of the parent is no way to learn of that: the kernel notes it for one thread, and another one takes it back.
    static func endUnlessAwaited() {
        if !isAwaited(by: STDERR_FILENO) { Glibc.exit(1) }
    }

    /// Whether the process that waits has its end of the pipe.
    static func isAwaited(by pipe: Int32) -> Bool { kairan_has_reader(pipe) == 1 }

    /// Tells the process that waits that the folder is mounted, and leaves it.
    /// - Returns: Whether it was there; if not, the folder is to be unmounted.
    static func finish() -> Bool {
        var end: UInt8 = 0
        let isTold = unsafe write(STDERR_FILENO, &end, 1) == 1
        let null = unsafe open("/dev/null", O_RDWR)
        guard null >= 0 else { return isTold }
        dup2(null, STDERR_FILENO)
        close(null)
        return isTold
    }

    /// Writes messages to standard error as they come.
    /// - Returns: Whether a NUL came; if not, the other process has ended.
    private static func passMessages(from descriptor: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            let message = buffer.prefix(count).prefix { $0 != 0 }
            // No reader is left for a message about this one.
            _ = unsafe message.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if message.count < count { return true }
        }
    }

    /// Has the other process get none of the descriptors beside the standard ones.
    private static func keepDescriptors() {
        // Without the list, it gets those that the caller has left open.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        for number in names.compactMap({ Int32($0) }) where number > STDERR_FILENO {
            _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        }
    }

    private static func start(_ arguments: [String], errors: Int32) -> pid_t? {
        var actions = unsafe posix_spawn_file_actions_t()
        guard unsafe posix_spawn_file_actions_init(&actions) == 0 else { return nil }
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        keepDescriptors()
        guard unsafe posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO) == 0,
            unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0,
            unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) == 0
        else { return nil }
        // SAFETY: the copies live until the call has returned, and a nil ends the list.
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer {
            while let last = unsafe pointers.popLast() { unsafe free(last) }
        }
        var process: pid_t = 0
        // By its own path, so that lists of processes show its name.
        let own = unsafe realpath("/proc/self/exe", nil)
        defer { unsafe free(own) }
        // SAFETY: realpath returns a string that lives until it is freed.
        let program = unsafe own.map { unsafe String(cString: $0) } ?? "/proc/self/exe"
        let code = unsafe posix_spawn(&process, program, &actions, nil, &pointers, environ)
        return code == 0 ? process : nil
    }
}
