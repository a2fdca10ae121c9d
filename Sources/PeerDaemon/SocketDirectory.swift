import Glibc

/// The directory of the local socket; the usual one in `$XDG_RUNTIME_DIR` is gone after each boot.
struct SocketDirectory {
    private let path: String
    private let isForOthers: Bool
    private let isDefault: Bool
    private let places: SettingPlaces

    /// The directory that a configuration's socket lies in.
    init(_ configuration: DaemonConfiguration) {
        path = configuration.socket.lastIndex(of: "/").map { String(configuration.socket[..<$0]) } ?? ""
        isForOthers = configuration.showsStatusToOthers || !configuration.applications.isEmpty
        isDefault = configuration.hasDefaultSocket
        places = configuration.places
    }

    /// Makes the directory if it is missing, for its owner alone unless others are let in on the socket.
    ///
    /// For a default path, the directories above it are made as well, for their owner alone.
    /// - Throws: `DaemonConfiguration.Refusal`.
    func make() throws(DaemonConfiguration.Refusal) {
        guard !path.isEmpty else { return }
        if isDefault {
            for slash in path.indices.dropFirst() where path[slash] == "/" {
                // If this fails, the last one fails too, with the reason.
                mkdir(String(path[..<slash]), 0o700)
            }
        }
        if mkdir(path, 0o700) == 0 {
            // Independent of the mask; if this fails, only the owner gets access.
            if isForOthers { chmod(path, 0o711) }
            return
        }
        guard errno != EEXIST else { return }
        throw places.refusal(
            "socket",
            ": \(path) cannot be made: \(String(cString: strerror(errno))); name another path"
        )
    }
}
