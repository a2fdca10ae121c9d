import Glibc

/// Finds the listening socket that the service manager passed: `sd_listen_fds(3)`.
enum InheritedSocket {
    /// The first descriptor that is passed; fixed by the protocol.
    static let firstDescriptor: Int32 = 3

    /// The descriptor to listen on.
    /// - Parameters:
    ///   - environment: Holds `LISTEN_PID` and `LISTEN_FDS`.
    ///   - process: This process: descriptors meant for another one are left alone.
    /// - Returns: `nil` when none was passed to this process.
    static func descriptor(environment: [String: String], process: Int32 = getpid()) -> Int32? {
        guard environment["LISTEN_PID"] == String(process), let count = environment["LISTEN_FDS"].flatMap({ Int($0) }),
            count >= 1
        else { return nil }
        // Children must not inherit it.
        _ = fcntl(firstDescriptor, F_SETFD, FD_CLOEXEC)
        return firstDescriptor
    }
}
