import Glibc
import Node

/// The socket of the journal, where systemd reads this process's standard error into it.
struct JournalSocket: Sendable {
    /// The path of the socket.
    static let path = "/run/systemd/journal/socket"

    private let path: String

    /// Checks whether standard error leads into the journal.
    ///
    /// Nil where it leads elsewhere, as for a program that was started by hand or whose errors were redirected.
    /// - Parameters:
    ///   - environment: The process's environment; systemd sets `JOURNAL_STREAM` to the device and inode of the
    ///     stream, see systemd.exec(5).
    ///   - path: The path of the socket.
    ///   - stream: The descriptor that may be the stream.
    init?(environment: [String: String], path: String = Self.path, stream: Int32 = STDERR_FILENO) {
        guard let named = environment["JOURNAL_STREAM"], named == FileIdentity("/proc/self/fd/\(stream)")?.numbers
        else {
            return nil
        }
        self.path = path
    }

    /// Sends one entry; never blocks.
    /// - Returns: Whether the journal has taken it.
    func send(_ entry: [UInt8]) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = MemoryLayout<sa_family_t>.size + name.count + 1
        let sent = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                sendto(
                    descriptor,
                    entry,
                    entry.count,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT),
                    target,
                    socklen_t(length)
                )
            }
        }
        return sent == entry.count
    }
}
