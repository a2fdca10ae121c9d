internal import ArgumentParser
internal import CFUSE
internal import FoundationEssentials
internal import Glibc
internal import Invocation
internal import KairanClient
internal import UnixSignals

/// The program `kairan-mount` as a whole.
package enum MountingProgram {
    /// Carries out the command in the process's arguments, and ends the process.
    package static func main() async { await MountCommand.carryOut() }
}

/// `kairan-mount`: shows a zone as a folder until it is unmounted.
struct MountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kairan-mount",
        abstract: "Show the files of a zone in a folder.",
        discussion: """
            `kairan mount` starts this program, and `kairan help mount` explains it. `fusermount3 -u FOLDER` ends it.

            Exit codes: 0 unmounted, or with 0 in the background mounted; 1 refused or failed, 64 wrong usage, 69 the daemon cannot be \
            reached.
            """,
        version: "0.1.0"
    )

    @Option(help: ArgumentHelp("The daemon's socket.", valueName: "path"))
    var socket: String?
    @Flag(help: "Stay in the foreground, until the folder is unmounted or the program gets SIGTERM.")
    var foreground = false
    @Flag(help: "Let other users read the files too; /etc/fuse.conf has to allow it.")
    var allowOther = false
    @Flag(help: "Let programs in the zone be executed.")
    var exec = false
    @Flag(help: "Let programs create, change and remove files, where the account may write in the zone.")
    var writable = false
    @Option(help: ArgumentHelp("The time to wait for content that another machine has.", valueName: "seconds"))
    var wait = 30
    @Flag(help: .hidden)
    var background = false
    @Argument(help: "The zone.")
    var zone: String
    @Argument(help: "An empty folder.")
    var folder: String

    func validate() throws {
        guard (0...300).contains(wait) else { throw ValidationError("--wait is 0 to 300 seconds.") }
    }

    fileprivate static func carryOut() async {
        do {
            let invocation = try Invocation.current(reading: Invocation.isRead)
            guard let command = try parseAsRoot(invocation.arguments) as? MountCommand else { return }
            if command.foreground || command.background {
                try await command.serve(invocation.environment)
            } else {
                _ = try MountPoint.checked(command.folder)
                let code = BackgroundStart.run(invocation.arguments)
                if code == 0 { say(command.sentence, to: STDOUT_FILENO) }
                Glibc.exit(code)
            }
        } catch {
            end(error)
        }
    }

    private var sentence: String {
        "Mounted \(FaultLog.visible(zone)) at \(FaultLog.visible(folder)); `fusermount3 -u` unmounts it."
    }

    /// Raises the limit of descriptors to the highest one that this process may have: each written file takes one.
    private static func raiseDescriptorLimit() {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limits = rlimit()
        guard unsafe getrlimit(resource, &limits) == 0, limits.rlim_cur < limits.rlim_max else { return }
        limits.rlim_cur = limits.rlim_max
        // If this fails, fewer files are written at a time.
        _ = unsafe setrlimit(resource, &limits)
    }

    private func serve(_ environment: [String: String]) async throws {
        Self.raiseDescriptorLimit()
        let folder = try MountPoint.checked(folder)
        let path = SocketPath.choose(
            option: socket,
            environment: environment,
            exists: FileManager.default.fileExists(atPath:)
        )
        let token = try Self.token(environment)
        // A reader that leaves is an error to be handled.
        signal(SIGPIPE, SIG_IGN)
        // A terminal that closes ends its own programs alone.
        if background { setsid() }
        // Before the mount: a signal that comes in between ends it too.
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
        try await DaemonClient.withClient(socketPath: path, token: token) { client in
            try await DaemonClient.withClient(socketPath: path, token: token) { content in
                var account: Account?
                if writable { account = try? await client.account() }
                let own = account?.devices.first { $0.isThis }
                let mayWrite = own.map { $0.role == .full } ?? true
                if writable, !mayWrite { Self.complain("This device may not write, so the folder is read-only.") }
                let run = MountRun(
                    zone: zone,
                    folder: folder,
                    allowsOthers: allowOther,
                    allowsExecution: exec,
                    waitMilliseconds: wait * 1_000,
                    staging: writable && mayWrite ? StagingFolder(environment) : nil,
                    // An application may not ask for it: conflict files have the name of the machine then.
                    device: own?.name ?? Self.hostName,
                    client: client,
                    content: content,
                    report: report
                )
                let willMount = { if background { BackgroundStart.endUnlessAwaited() } }
                try await run.run(until: { for await _ in signals { return } }, mounting: willMount) { _ in
                    // The file system of the folder in which it was started can be unmounted meanwhile.
                    _ = unsafe chdir("/")
                    ServiceNotifier(environment: environment).notify("READY=1")
                    // It was interrupted: the mount ends as by that signal.
                    if background, !BackgroundStart.finish() { kill(getpid(), SIGTERM) }
                }
            }
        }
    }

    /// Takes messages: for standard error, and in the background, where that leads nowhere, for the log of the system.
    private var report: @Sendable (String) -> Void {
        let isInBackground = background
        return { message in
            Self.complain(message)
            if isInBackground { unsafe kairan_log(FaultLog.visible(message)) }
        }
    }

    private static var hostName: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&bytes, bytes.count - 1) == 0 else { return "" }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The token of the application that the environment names, as for `kairan`.
    private static func token(_ environment: [String: String]) throws -> String? {
        guard let path = environment["KAIRAN_TOKEN_FILE"], !path.isEmpty else { return nil }
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { throw UnreadableToken(path: path) }
        return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined()
    }

    /// Ends with the code of an error, after a message.
    private static func end(_ error: any Error) -> Never {
        switch error {
        case let error as KairanError:
            complain("\(error.problem.detail) \(error.problem.fix)")
            Glibc.exit(error.kind == .unreachable ? EX_UNAVAILABLE : 1)
        case let error as NotUTF8:
            complain(error.description)
            Glibc.exit(EX_USAGE)
        case is MountError, is MountPointRefusal, is ZoneEnd, is UnreadableToken, is WriteFault:
            complain("\(error)")
            Glibc.exit(1)
        case is CancellationError: Glibc.exit(1)
        default: exit(withError: error)
        }
    }

    private static func complain(_ message: String) {
        say("kairan-mount: " + FaultLog.visible(message), to: STDERR_FILENO)
    }

    private static func say(_ message: String, to descriptor: Int32) {
        let bytes = Array((message + "\n").utf8)
        // No reader is left for a message about this one.
        _ = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    }
}

/// A file with a token that cannot be read.
struct UnreadableToken: Error, Hashable, CustomStringConvertible {
    /// Its path.
    let path: String

    /// The reason and the fix.
    var description: String {
        "The token file \(path) cannot be read. Set KAIRAN_TOKEN_FILE to a file that you may read, or unset it."
    }
}
