import FoundationEssentials

/// The path of the daemon's socket.
public enum SocketPath {
    /// The socket of the system's daemon.
    public static let system = "/run/kairan/kairand.sock"

    /// Chooses the socket.
    /// - Parameters:
    ///   - option: The path given on the command line.
    ///   - environment: The process's environment.
    ///   - exists: A closure that tests whether a file exists at a path.
    /// - Returns: The option, else `KAIRAN_SOCKET`, else the system's if it is there, else the one that a daemon
    ///   without options makes for an ordinary user.
    public static func choose(
        option: String?,
        environment: [String: String],
        exists: (String) -> Bool
    ) -> String {
        if let option { return option }
        if let path = environment["KAIRAN_SOCKET"], !path.isEmpty { return path }
        if exists(system) { return system }
        return user(environment)
    }

    /// The socket that this process finds in its environment, see ``choose(option:environment:exists:)``.
    public static var standard: String {
        choose(
            option: nil,
            environment: ProcessInfo.processInfo.environment,
            exists: FileManager.default.fileExists(atPath:)
        )
    }

    /// The default path for an ordinary user's daemon; `kairand` computes it in the same way.
    private static func user(_ environment: [String: String]) -> String {
        // A variable that is empty or relative counts as not set, as the XDG specification demands.
        func absolutePath(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let home = absolutePath("HOME") ?? "/root"
        let state = absolutePath("XDG_STATE_HOME") ?? home + "/.local/state"
        return (absolutePath("XDG_RUNTIME_DIR") ?? state + "/kairan") + "/kairan/kairand.sock"
    }
}
