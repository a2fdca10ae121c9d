import NIOCore
import Node
import Session
import Testing

@testable import Transport

@Suite struct AddressTests {
    private func socket(_ text: String) throws -> SocketAddress { try SocketAddress(ipAddress: text, port: 4_321) }

    @Test func `an IPv4 address keeps its form in both directions`() throws {
        let address = PeerAddress(host: "192.0.2.7", port: 4_321)
        let there = try #require(address.socketAddress)
        #expect(PeerAddress(there) == address)
    }

    @Test func `an IPv4 address on a socket of both families is written as IPv4`() throws {
        #expect(try PeerAddress(socket("::ffff:192.0.2.7")) == PeerAddress(host: "192.0.2.7", port: 4_321))
        #expect(try AddressPrefix(socket("::ffff:192.0.2.7")) == AddressPrefix(socket("192.0.2.7")))
    }

    @Test func `a link-local address carries its interface, others do not`() throws {
        let loopback = PeerAddress(host: "fe80::1", port: 4_321, interfaceIndex: 1)
        let there = try #require(loopback.socketAddress)
        #expect(NumericAddress(there)?.scope == 1)
        #expect(PeerAddress(there) == loopback)
        #expect(try PeerAddress(socket("2001:db8::1")) == PeerAddress(host: "2001:db8::1", port: 4_321))
    }

    @Test func `a host name is no socket address`() {
        #expect(PeerAddress(host: "example.org", port: 1).socketAddress == nil)
    }

    @Test func `a path is no address`() throws {
        let path = try SocketAddress(unixDomainSocketPath: "/nowhere")
        #expect(PeerAddress(path) == nil)
        #expect(AddressPrefix(path) == nil)
    }

    @Test func `limits count IPv4 addresses, IPv6 networks, and each link-local address`() throws {
        #expect(try AddressPrefix(socket("192.0.2.1")) != AddressPrefix(socket("192.0.2.2")))
        #expect(try AddressPrefix(socket("2001:db8::1")) == AddressPrefix(socket("2001:db8::ffff:2")))
        #expect(try AddressPrefix(socket("2001:db8:0:1::1")) != AddressPrefix(socket("2001:db8::1")))
        #expect(try AddressPrefix(socket("fe80::1")) != AddressPrefix(socket("fe80::2")))
    }

    @Test func `a pass is returned when it goes away`() throws {
        var limits = DoorLimits()
        limits.burst = 2
        let doors = DoorKeeper(limits)
        let from = try socket("192.0.2.1")
        func connected(_ from: SocketAddress?) -> DoorPass? {
            try? doors.connected(from: from, at: .uptimeNanoseconds(0)) {}.get()
        }
        var passes = [connected(from), connected(from)]
        #expect(passes.allSatisfy { $0 != nil })
        #expect(connected(from) == nil)
        #expect(doors.count(in: .accepted) == 2)
        passes = []
        #expect(doors.count(in: .accepted) == 0)
        #expect(connected(nil) == nil)
    }
}
