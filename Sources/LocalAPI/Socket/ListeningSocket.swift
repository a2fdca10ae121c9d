import Glibc

/// A Unix socket that listens, with its place in the file system.
struct ListeningSocket: Sendable {
    /// The descriptor; the code that closes it must not use it again.
    let descriptor: CInt
    /// The path that was bound here, with the identity of the file behind it; `nil` for an inherited socket.
    private let binding: Binding?

    private struct Binding: Sendable {
        var path: String
        var device: UInt
        var file: UInt
    }

    /// Connections that wait to be accepted.
    private static let backlog: CInt = 128

    /// Binds a path, replacing a socket there without a listener.
    ///
    /// The mode is set before the path appears and again after it, so that unauthorised users can connect at no time.
    /// The directory must exist.
    /// - Parameters:
    ///   - path: The path; at most 107 bytes.
    ///   - group: The socket's group; `nil` = that of the process.
    ///   - isForOthers: Whether users other than owner and group may connect.
    /// - Returns: The socket; the caller closes it.
    /// - Throws: ``SocketError``.
    static func bind(
        path: String,
        group: UInt32? = nil,
        isForOthers: Bool = false
    ) throws(SocketError) -> ListeningSocket {
        let mode: mode_t = isForOthers ? 0o666 : 0o660
        var address = try SocketAddressUnix(path: path)
        try removeStale(path: path, address: address)
        let descriptor = socket(AF_UNIX, Self.streamType, 0)
        guard descriptor >= 0 else { throw .system("socket", errno) }
        do throws(SocketError) {
            // Linux gives the file the mode of the unbound socket, less the process's mask.
            guard fchmod(descriptor, mode) == 0 else { throw .system("fchmod", errno) }
            guard address.withPointer({ Glibc.bind(descriptor, $0, $1) }) == 0 else {
                throw errno == EADDRINUSE ? .inUse(path) : .system("bind", errno)
            }
            if let group, lchown(path, uid_t.max, group) != 0 { throw .system("chown", errno) }
            guard chmod(path, mode) == 0 else { throw .system("chmod", errno) }
            guard listen(descriptor, backlog) == 0 else { throw .system("listen", errno) }
            var status = stat()
            guard lstat(path, &status) == 0 else { throw .system("stat", errno) }
            let binding = Binding(path: path, device: UInt(status.st_dev), file: UInt(status.st_ino))
            return ListeningSocket(descriptor: descriptor, binding: binding)
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Takes over a socket that a service manager bound.
    /// - Parameter descriptor: Its number; belongs to the result from now on.
    /// - Returns: The socket, without a path of its own.
    /// - Throws: `notListening` when it is something else than a listening Unix stream socket.
    static func inherit(descriptor: CInt) throws(SocketError) -> ListeningSocket {
        guard option(SO_DOMAIN, of: descriptor) == AF_UNIX, option(SO_ACCEPTCONN, of: descriptor) == 1,
            option(SO_TYPE, of: descriptor) == CInt(SOCK_STREAM.rawValue)
        else { throw .notListening(descriptor) }
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0,
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
        else { throw .system("fcntl", errno) }
        return ListeningSocket(descriptor: descriptor, binding: nil)
    }

    /// Removes the path if it is still the one that was bound here; to be called when the socket is closed.
    ///
    /// A file system may give the number of a removed file to the next one, so the number alone is not enough: a
    /// socket with a listener belongs to another process.
    func removePath() {
        guard let binding else { return }
        var status = stat()
        guard lstat(binding.path, &status) == 0, UInt(status.st_dev) == binding.device,
            UInt(status.st_ino) == binding.file, let address = try? SocketAddressUnix(path: binding.path)
        else { return }  // The path was bound once, so it has an address.
        if let isAnswered = try? Self.isAnswered(address), !isAnswered { unlink(binding.path) }  // Unknown: leave it.
    }

    private static var streamType: CInt {
        CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    }

    private static func option(_ name: CInt, of descriptor: CInt) -> CInt? {
        var value: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }

    /// Removes the socket of an earlier process, and nothing else.
    private static func removeStale(path: String, address: SocketAddressUnix) throws(SocketError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw .system("stat", errno)
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path) }
        guard try !isAnswered(address) else { throw .inUse(path) }
        guard unlink(path) == 0 else { throw .system("unlink", errno) }
    }

    /// Returns whether a process may be listening there.
    ///
    /// Only a refused connection proves that none is; a full queue, for example, means the opposite.
    private static func isAnswered(_ address: SocketAddressUnix) throws(SocketError) -> Bool {
        let probe = socket(AF_UNIX, streamType, 0)
        guard probe >= 0 else { throw .system("socket", errno) }
        defer { close(probe) }
        var address = address
        let result = address.withPointer { connect(probe, $0, $1) }
        return result == 0 || errno != ECONNREFUSED
    }
}
