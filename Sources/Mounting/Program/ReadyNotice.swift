internal import Glibc

/// Reports to the service manager that the folder shows the zone: `sd_notify(3)`, the datagram protocol of `$NOTIFY_SOCKET`.
enum ReadyNotice {
    /// Sends it; without the variable nothing is done.
    ///
    /// A failure is not reported: only the service manager could act on it, and it notices by itself.
    static func send(_ environment: [String: String]) {
        guard let path = environment["NOTIFY_SOCKET"], !path.isEmpty else { return }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        // A leading @ means the abstract namespace.
        let isAbstract = name.first == UInt8(ascii: "@")
        if isAbstract { name[0] = 0 }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        let length = MemoryLayout<sa_family_t>.size + name.count + (isAbstract ? 0 : 1)
        let bytes = Array("READY=1".utf8)
        // SAFETY: the address has as many bytes as the length says.
        _ = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                unsafe sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), target, socklen_t(length))
            }
        }
    }
}
