import Glibc

/// Reports the state of a program to the service manager: `sd_notify(3)`, the datagram protocol of `$NOTIFY_SOCKET`.
///
/// The protocol is one datagram of `KEY=VALUE` lines to a Unix socket, stable by systemd's interface promise, so no library
/// is linked for it. Without the variable every call does nothing.
package struct ServiceNotifier: Sendable {
    /// The socket's address as the environment gives it; a leading `@` means the abstract namespace.
    private let path: String?
    /// Whether a service manager listens.
    package var isUsed: Bool { path != nil }
    /// Half the watchdog's time, in microseconds: how often to say that the program lives; `nil` = no watchdog.
    package let watchdogMicroseconds: UInt64?

    /// Reads `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`.
    /// - Parameters:
    ///   - environment: The environment of the process.
    ///   - process: The number of the process, for which a watchdog may be.
    package init(environment: [String: String], process: Int32 = getpid()) {
        path = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        let isForUs = environment["WATCHDOG_PID"].map { $0 == String(process) } ?? true
        let limit = environment["WATCHDOG_USEC"].flatMap { UInt64($0) }
        watchdogMicroseconds = isForUs ? limit.map { $0 / 2 } : nil
    }

    /// Sends a state such as `READY=1`, `STATUS=…`, `STOPPING=1`, `WATCHDOG=1`.
    ///
    /// A failure is not reported: only the service manager could act on it, and it notices by itself.
    /// - Parameter message: The state; one line, or several.
    package func notify(_ message: String) {
        guard let path else { return }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        let isAbstract = name.first == UInt8(ascii: "@")
        if isAbstract { name[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = MemoryLayout<sa_family_t>.size + name.count + (isAbstract ? 0 : 1)
        let bytes = Array(message.utf8)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), target, socklen_t(length))
            }
        }
    }
}
