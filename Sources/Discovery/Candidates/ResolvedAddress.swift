internal import Node

/// A numeric address that a service claims.
struct ResolvedAddress: Hashable, Sendable {
    /// 4 bytes for IPv4, 16 for IPv6, in network order.
    var bytes: [UInt8]
    /// The text form.
    var text: String

    /// Whether a connection there could reach another machine.
    ///
    /// A record on the network may claim any address. One that leads back to this machine would make this node knock
    /// at its own local services on another's behalf, and multicast addresses belong to no device.
    var mayBeAPeer: Bool {
        switch bytes.count {
        case 4:
            return Self.mayBeAPeer(ipv4: bytes[...])
        case 16:
            // ::/96 holds the unspecified and the loopback address, ::ffff:0:0/96 the mapped form of IPv4.
            if bytes[..<10].allSatisfy({ $0 == 0 }) {
                return bytes[10] == 0xFF && bytes[11] == 0xFF && Self.mayBeAPeer(ipv4: bytes[12...])
            }
            return bytes[0] != 0xFF
        default:
            return false
        }
    }

    /// Whether the address is meaningless without an interface (RFC 4291 section 2.5.6: fe80::/10).
    var isLinkLocalIPv6: Bool {
        bytes.count == 16 && bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }

    /// The address with a port, and the interface where it needs one.
    func peerAddress(port: UInt16, interface: UInt32) -> PeerAddress {
        PeerAddress(host: text, port: port, interfaceIndex: isLinkLocalIPv6 ? interface : 0)
    }

    /// Not 0.0.0.0/8, 127.0.0.0/8, nor 224.0.0.0 and above: multicast, reserved and broadcast.
    private static func mayBeAPeer(ipv4: ArraySlice<UInt8>) -> Bool {
        guard let first = ipv4.first else { return false }
        return first != 0 && first != 127 && first < 224
    }
}
