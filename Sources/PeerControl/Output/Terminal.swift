import FoundationEssentials
import Glibc

/// Standard output and standard error, written at once and completely.
struct Terminal: Sendable {
    /// The reader of the output has left, as `head` does.
    struct OutputClosed: Error {}

    /// Whether people look at the output.
    let isOutputTerminal: Bool
    /// Whether people look at the errors, and so at progress.
    let isErrorTerminal: Bool
    /// The style of output for people.
    let style: Style
    /// Whether a person types the standard input, and no file or other program is behind it.
    static var isInputTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    /// Looks at the process's descriptors and environment.
    init() {
        isOutputTerminal = isatty(STDOUT_FILENO) == 1
        isErrorTerminal = isatty(STDERR_FILENO) == 1
        let environment = ProcessInfo.processInfo.environment
        style = Style(
            isColourful: isOutputTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
        )
        // A reader that leaves is an error to be handled, not a reason to be killed half-way through an import.
        signal(SIGPIPE, SIG_IGN)
        Self.keepStandardNumbers()
    }

    /// Keeps files opened later from getting the numbers of standard descriptors that were closed by the caller:
    /// otherwise records would be written into the connection to the daemon.
    private static func keepStandardNumbers() {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
            // The wrong way round, so that using it is still an error. The lowest free number is this one.
            _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Prints a line to standard output.
    func print(_ text: String) throws {
        try Self.write(Array(text.utf8) + [UInt8(ascii: "\n")], to: STDOUT_FILENO)
    }

    /// Prints the bytes of a line to standard output.
    func print(line: [UInt8]) throws {
        try Self.write(line + [UInt8(ascii: "\n")], to: STDOUT_FILENO)
    }

    /// Prints lines, each with its end already there.
    func print(raw: [UInt8]) throws {
        try Self.write(raw, to: STDOUT_FILENO)
    }

    /// Prints a line to standard error.
    func printError(_ text: String) {
        try? Self.write(Array(text.utf8) + [UInt8(ascii: "\n")], to: STDERR_FILENO)  // No reader is left for a message.
    }

    /// Replaces the line on which progress is shown; does nothing unless people look.
    func showProgress(_ text: String) {
        guard isErrorTerminal else { return }
        try? Self.write(Array("\r\u{1B}[K\(text)".utf8), to: STDERR_FILENO)  // Progress is not worth an error.
    }

    /// Removes the line on which progress is shown.
    func endProgress() {
        showProgress("")
    }

    /// From now on an interrupt (Ctrl-C) ends the process with 130 (128 + SIGINT) and without a word.
    static func endQuietlyOnInterrupt() {
        signal(SIGINT) { _ in _exit(128 + SIGINT) }
    }

    /// Closes the standard output, because some file systems report a failed write only now.
    ///
    /// - Throws: ``OutputError`` when written bytes are lost.
    static func closeOutput() throws {
        guard close(STDOUT_FILENO) != 0 else { return }
        let number = errno
        // The code that wrote to it has already reported an output that was closed all along; an interrupted close
        // has closed.
        guard number != EBADF, number != EINTR else { return }
        throw OutputError(place: "The standard output", number: number)
    }

    /// Ends the process.
    static func exit(_ code: Int32) -> Never {
        Glibc.exit(code)
    }

    /// Writes all bytes.
    /// - Throws: ``OutputClosed`` when the reader of a pipe has left, ``OutputError`` for every other failure.
    static func write(_ bytes: [UInt8], to descriptor: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
                continue
            }
            // A write of no bytes without an error is no progress either.
            let number = count == 0 ? EIO : errno
            switch number {
            case EAGAIN:
                // The process that passed on this descriptor made it non-blocking: wait until it takes more.
                var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&request, 1, -1)
            case EINTR: continue
            case EPIPE: throw OutputClosed()
            default:
                let name = descriptor == STDERR_FILENO ? "error output" : "output"
                throw OutputError(place: "The standard \(name)", number: number)
            }
        }
    }
}
