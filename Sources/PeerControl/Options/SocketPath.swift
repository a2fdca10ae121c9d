/// Where the daemon listens.
enum SocketPath {
    /// The socket of the system's daemon.
    static let system = "/run/kairan/kairand.sock"

    /// Chooses the socket.
    /// - Parameters:
    ///   - option: What the command line says.
    ///   - environment: The process's environment.
    ///   - exists: Whether there is something at a path.
    /// - Returns: The option, else `KAIRAN_SOCKET`, else the system's if it is there, else the user's own; the
    ///   system's when nothing is known.
    static func choose(
        option: String?,
        environment: [String: String],
        exists: (String) -> Bool
    ) -> String {
        if let option { return option }
        if let path = environment["KAIRAN_SOCKET"], !path.isEmpty { return path }
        if exists(system) { return system }
        guard let directory = environment["XDG_RUNTIME_DIR"], !directory.isEmpty else { return system }
        return directory + "/kairan/kairand.sock"
    }
}
