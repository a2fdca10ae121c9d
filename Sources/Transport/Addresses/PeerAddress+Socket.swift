import NIOCore
import Node

extension PeerAddress {
    /// The address as the socket layer wants it; `nil` for a host name, which must be looked up.
    var socketAddress: SocketAddress? {
        let scoped = interfaceIndex > 0 && host.contains(":") ? "\(host)%\(interfaceIndex)" : host
        // A host name is not an error: the caller asks the resolver then.
        return try? SocketAddress(ipAddress: scoped, port: Int(port))
    }

    /// The address at the other end of a socket; `nil` for an address that is not IP.
    init?(_ socket: SocketAddress) {
        guard let address = NumericAddress(socket) else { return nil }
        if address.bytes.count == 4 {
            self.init(host: address.bytes.map(String.init).joined(separator: "."), port: address.port)
        } else {
            guard let host = socket.ipAddress?.prefix(while: { $0 != "%" }) else { return nil }
            self.init(
                host: String(host),
                port: address.port,
                interfaceIndex: address.isLinkLocalIPv6 ? address.scope : 0
            )
        }
    }
}
