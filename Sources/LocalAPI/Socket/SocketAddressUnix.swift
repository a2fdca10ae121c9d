import Glibc

/// The address of a Unix socket.
struct SocketAddressUnix {
    private var address = sockaddr_un()

    init(path: String) throws(SocketError) {
        let bytes = Array(path.utf8)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        // One byte stays zero and ends the path.
        guard !bytes.isEmpty, bytes.count < capacity, !bytes.contains(0) else {
            throw .unfitPath(path, byteCountMax: capacity - 1)
        }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    }

    mutating func withPointer(_ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
