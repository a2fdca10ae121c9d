import Glibc

/// A port of 127.0.0.1 where no program listens, for as long as this value lives: the system gives it to no other
/// program.
package final class ReservedPort {
    /// The port.
    package let port: UInt16
    private let descriptor: CInt

    /// Binds a socket, and does not listen: every dial is refused.
    ///
    /// It is `nil` when the port is not free.
    /// - Parameter wanted: The port; 0 leaves the choice to the system.
    package init?(_ wanted: UInt16 = 0) {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = wanted.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let size = length
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 ? getsockname(descriptor, address, &length) : -1
            }
        }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
        guard code == 0, port != 0 else { return nil }
    }

    deinit { close(descriptor) }
}
