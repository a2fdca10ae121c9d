import NIOCore

/// The unit by which incoming connections are limited: a thing that an attacker finds hard to have many of.
///
/// An IPv4 address; the first 64 bits of an IPv6 address, since a host may take any of the 2⁶⁴ below; but all of a
/// link-local one, because otherwise every machine on a network would share one limit.
struct AddressPrefix: Hashable, Sendable {
    private let bytes: [UInt8]

    /// The prefix of the other end's address; `nil` for an address that is not IP.
    init?(_ socket: SocketAddress) {
        guard let address = NumericAddress(socket) else { return nil }
        bytes = address.bytes.count == 16 && !address.isLinkLocalIPv6 ? Array(address.bytes.prefix(8)) : address.bytes
    }
}
