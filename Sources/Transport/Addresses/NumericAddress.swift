import NIOCore

/// The bytes of an IP socket address.
struct NumericAddress: Hashable, Sendable {
    /// 4 bytes for IPv4, 16 for IPv6, in network order.
    var bytes: [UInt8]
    /// The TCP port.
    var port: UInt16
    /// The interface of an IPv6 address, 0 for none.
    var scope: UInt32

    /// Takes an address apart; `nil` for an address that is not IP.
    ///
    /// A socket that serves both families shows IPv4 as `::ffff:a.b.c.d` (RFC 4291 section 2.5.5.2); that becomes IPv4
    /// again, so that an address has one form only.
    init?(_ socket: SocketAddress) {
        guard let port = socket.port.flatMap(UInt16.init(exactly:)) else { return nil }
        self.port = port
        // The kernel's layout (ip(7), ipv6(7)): family, port, then IPv4: address; IPv6: flow, address, scope.
        let raw = socket.withSockAddr { address, count in
            Array(UnsafeRawBufferPointer(start: address, count: count))
        }
        switch socket.protocol {
        case .inet where raw.count >= 8:
            bytes = Array(raw[4..<8])
            scope = 0
        case .inet6 where raw.count >= 28:
            let isMapped = raw[8..<18].allSatisfy { $0 == 0 } && raw[18] == 0xFF && raw[19] == 0xFF
            bytes = Array(raw[(isMapped ? 20 : 8)..<24])
            scope = raw.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 24, as: UInt32.self) }
        default:
            return nil
        }
    }

    /// Whether the address is meaningless without an interface (RFC 4291 section 2.5.6: fe80::/10).
    var isLinkLocalIPv6: Bool {
        bytes.count == 16 && bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }
}
