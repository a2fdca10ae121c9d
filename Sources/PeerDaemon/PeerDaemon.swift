import ArgumentParser
import Configuration
import Glibc
import Invocation
import LocalAPI
import Logging
import Node
import Transport

/// The daemon as a whole, for the programs that are one.
package enum PeerDaemonProgram {
    /// Carries out the command in the process's arguments, and ends the process if that is impossible.
    /// - Parameter openCluster: Opens a cluster that keeps parcels; `nil` in a program that is linked to no client of
    ///   one.
    package static func main(openCluster: ParcelClusterOpening?) async { await PeerDaemon.main(openCluster) }
}

/// `kairand`: reads the configuration, puts the parts together, and runs them until a signal comes.
struct PeerDaemon: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kairand",
        abstract: "Keeps your zones of records in step with your other machines.",
        discussion: """
            Runs in the foreground until SIGTERM or SIGINT. No option is needed: by default the state is below \
            $XDG_STATE_HOME/kairan, socket in $XDG_RUNTIME_DIR/kairan, TCP port 7621 for peers, which are found by mDNS.

            Settings are taken from flags, then from the environment (KAIRAN_STATE, KAIRAN_LISTEN, …), then from \
            /etc/kairan/kairand.yaml and /etc/kairan/kairand.d/*.yaml. Applications are bound to containers by files in \
            /etc/kairan/applications.d.

            The files with keys stay sealed until `kairand unseal` if a passphrase or a systemd credential is given; each later start needs \
            the same one. /usr/share/doc/kairan/docs/operations/secrets.md has the details.

            If files of the state directory are lost the daemon does not replace them, and names the command to continue: \
            kairand accept-loss or kairand begin-anew. On a full disk it waits until there is space.

            Exit codes: 0 after a signal, 64 wrong usage or configuration, 73 the state directory cannot be used, 75 the state \
            directory, the socket or a port cannot be used at present.
            """,
        version: Node.version,
        subcommands: [
            SealCommand.self, ResealCommand.self, UnsealCommand.self, AcceptLossCommand.self, BeginAnewCommand.self,
        ]
    )

    @Option(help: ArgumentHelp("The state directory, with keys and data.", valueName: "directory"))
    var state: String?
    @Option(help: ArgumentHelp("The local socket, to which programs connect.", valueName: "path"))
    var socket: String?
    @Option(help: ArgumentHelp("An address to which peers connect; may be repeated.", valueName: "host:port"))
    var listen: [String] = []
    @Option(name: .customLong("peer"), help: ArgumentHelp("A peer to dial; may be repeated.", valueName: "host:port"))
    var peers: [String] = []
    @Flag(help: "Keep parcels for accounts that `kairan relay admit` admits.")
    var relay = false
    @Flag(name: .customLong("no-mdns"), help: "Neither publish nor browse through Avahi.")
    var noMulticastDNS = false
    @Option(
        name: .customLong("interface"),
        help: ArgumentHelp("Use only this interface for mDNS; may be repeated.", valueName: "name")
    )
    var interfaces: [String] = []
    @Option(help: ArgumentHelp("Members of this group may use the socket.", valueName: "name"))
    var group: String?
    @Option(help: ArgumentHelp("Read the files that bind applications from this directory.", valueName: "directory"))
    var applications: String?
    @Option(
        help: ArgumentHelp(
            "Join the account of the token in this file, then remove it. Default: enrolment-token in the state directory.",
            valueName: "file"
        )
    )
    var enrolmentToken: String?
    @Option(
        help: ArgumentHelp("Seal the keys with the passphrase in this file, or open their seal.", valueName: "file")
    )
    var passphraseFile: String?
    @Flag(help: "Ask for the passphrase at the terminal.")
    var askPassphrase = false
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp("Read this file instead of those in /etc/kairan.", valueName: "file")
    )
    var configurationFile: String?
    @Option(
        help: ArgumentHelp(
            "The level of the log: trace, debug, info, notice, warning, error or critical.",
            valueName: "level"
        )
    )
    var logLevel: String?
    @Flag(
        help: ArgumentHelp(
            "Read the configuration, report its mistakes, and end: with 64 if the daemon would not start."
        )
    )
    var check = false

    fileprivate static func main(_ openCluster: ParcelClusterOpening?) async {
        let arguments: [String]
        do {
            arguments = try ProcessEnvironment.invocation().arguments
        } catch {
            complain(error.description)
            Glibc.exit(EX_USAGE)
        }
        do {
            var command = try parseAsRoot(arguments)
            if let daemon = command as? PeerDaemon {
                try await daemon.serve(openCluster)
            } else {
                try command.run()
            }
        } catch {
            end(error)
        }
    }

    /// Ends with the code of an error, after a message that begins as all others do.
    private static func end(_ error: any Error) -> Never {
        let code = exitCode(for: error)
        guard !code.isSuccess else { exit(withError: error) }
        let text = fullMessage(for: error)
        if !text.isEmpty { complain(text.hasPrefix("Error: ") ? String(text.dropFirst("Error: ".count)) : text) }
        Glibc.exit(code.rawValue)
    }

    private func serve(_ openCluster: ParcelClusterOpening?) async throws {
        let environment = ProcessEnvironment.variables
        let opensClusters = openCluster != nil
        let configuration: DaemonConfiguration
        do {
            configuration = try self.configuration(environment, opensClusters: opensClusters)
        } catch {
            Self.complain("\(error)")
            throw ExitCode(EX_USAGE)
        }
        if check {
            for mistake in configuration.applications.mistakes { Self.complain(mistake.notice.sentence) }
            return
        }
        let level = LogLevel(configuration.logLevel)
        let journal = JournalSocket(environment: environment)
        LoggingSystem.bootstrap { DaemonLogHandler(label: $0, level: level, journal: journal) }
        let composition = Composition(
            configuration,
            environment: environment,
            logger: Logger(label: "kairand"),
            level: level,
            openCluster: openCluster,
            read: { [self] in try self.configuration(environment, opensClusters: opensClusters) }
        )
        do {
            try await composition.run()
        } catch let error as UnusableState {
            Self.complain(error.description)
            throw ExitCode(error.exitCode)
        } catch let error as DaemonConfiguration.Refusal {
            Self.complain(error.description)
            throw ExitCode(EX_USAGE)
        } catch let error as SocketError {
            Self.complain("socket: \(error.description)")
            throw ExitCode(error.isSetting ? EX_USAGE : EX_TEMPFAIL)
        } catch let error as TransportError {
            // Another program may have the port, or an interface not its address yet: neither is a wrong value.
            Self.complain("\(error); free the port, or change listen or relay-listen")
            throw ExitCode(EX_TEMPFAIL)
        }
    }

    private func configuration(
        _ environment: [String: String],
        opensClusters: Bool
    ) throws -> DaemonConfiguration {
        var flags: [String: ConfigValue] = [:]
        flags["state"] = state.map { ConfigValue(.string(Self.absolute($0)), isSecret: false) }
        flags["socket"] = socket.map { ConfigValue(.string(Self.absolute($0)), isSecret: false) }
        if !listen.isEmpty { flags["listen"] = ConfigValue(.stringArray(listen), isSecret: false) }
        if !peers.isEmpty { flags["peers"] = ConfigValue(.stringArray(peers), isSecret: false) }
        if !interfaces.isEmpty { flags["interfaces"] = ConfigValue(.stringArray(interfaces), isSecret: false) }
        if relay { flags["relay"] = ConfigValue(.bool(true), isSecret: false) }
        if noMulticastDNS { flags["mdns"] = ConfigValue(.bool(false), isSecret: false) }
        flags["group"] = group.map { ConfigValue(.string($0), isSecret: false) }
        flags["passphrase-file"] = passphraseFile.map { ConfigValue(.string(Self.absolute($0)), isSecret: false) }
        flags["enrolment-token"] = enrolmentToken.map { ConfigValue(.string(Self.absolute($0)), isSecret: false) }
        flags["applications"] = applications.map { ConfigValue(.string(Self.absolute($0)), isSecret: false) }
        flags["log-level"] = logLevel.map { ConfigValue(.string($0), isSecret: false) }
        let files = try ConfigurationFile.load(
            path: configurationFile ?? "/etc/kairan/kairand.yaml",
            dropIns: configurationFile == nil ? "/etc/kairan/kairand.d" : nil,
            isRequired: configurationFile != nil
        )
        var configuration = try DaemonConfiguration(
            flags: flags,
            environment: environment,
            files: files,
            defaults: Self.defaults(environment)
        )
        configuration.secretSources.asksPassphrase = askPassphrase
        try configuration.check(
            // Beside a running service, no service manager passes on a socket, and the service's own socket is in
            // use.
            inheritsSocket: check || InheritedSocket.descriptor(environment: environment) != nil
        )
        try configuration.check(opensClusters: opensClusters)
        if let directory = configuration.applicationDirectory {
            configuration.applications = try ApplicationFiles(directory: directory, isRequired: true)
        } else if configurationFile == nil {
            let directory = "/etc/kairan/applications.d"
            configuration.applications = try ApplicationFiles(directory: directory, isRequired: false)
        }
        return configuration
    }

    /// The default paths of an ordinary user's daemon (XDG Base Directory Specification).
    static func defaults(_ environment: [String: String]) -> (state: String, socket: String) {
        let home = environment.absolutePath("HOME") ?? "/root"
        let state = environment.absolutePath("XDG_STATE_HOME") ?? home + "/.local/state"
        let runtime = environment.absolutePath("XDG_RUNTIME_DIR") ?? state + "/kairan"
        return (state + "/kairan", runtime + "/kairan/kairand.sock")
    }

    static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/") else { return path }
        guard let current = getcwd(nil, 0) else { return path }
        defer { free(current) }
        return String(cString: current) + "/" + path
    }

    static func complain(_ message: String) {
        // The journal takes the priority of a line from its beginning, see sd-daemon(3).
        let priority = JournalSocket(environment: ProcessEnvironment.variables) == nil ? "" : "<3>"
        let bytes = Array((priority + "kairand: " + message + "\n").utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}

extension [String: String] {
    /// A variable that names a directory; an empty or relative one is treated as not set, as the XDG specification
    /// demands.
    fileprivate func absolutePath(_ name: String) -> String? {
        self[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
