import Node
import Testing

@testable import Discovery

@Suite struct ResolvedAddressTests {
    private func ipv6(_ head: [UInt8], _ tail: [UInt8] = []) -> ResolvedAddress {
        let zeros = [UInt8](repeating: 0, count: 16 - head.count - tail.count)
        return ResolvedAddress(bytes: head + zeros + tail, text: "x")
    }

    @Test(
        arguments: [[10, 0, 0, 1], [192, 168, 1, 2], [169, 254, 3, 4], [223, 255, 255, 255], [128, 0, 0, 1]]
            as [[UInt8]]
    )
    func `ordinary IPv4 addresses may be peers`(bytes: [UInt8]) {
        #expect(ResolvedAddress(bytes: bytes, text: "x").mayBeAPeer)
    }

    @Test(
        arguments: [
            [127, 0, 0, 1], [127, 9, 9, 9], [0, 0, 0, 0], [224, 0, 0, 251], [255, 255, 255, 255], [], [1, 2, 3],
        ] as [[UInt8]]
    )
    func `a claim that leads back here or to no address is no peer`(bytes: [UInt8]) {
        #expect(!ResolvedAddress(bytes: bytes, text: "x").mayBeAPeer)
    }

    @Test func `IPv6 addresses are judged alike, mapped ones by their IPv4 address`() {
        #expect(ipv6([0xFE, 0x80], [1]).mayBeAPeer)
        #expect(ipv6([0xFD, 0x12], [1]).mayBeAPeer)
        #expect(!ipv6([], [1]).mayBeAPeer)
        #expect(!ipv6([]).mayBeAPeer)
        #expect(!ipv6([0xFF, 0x02], [0xFB]).mayBeAPeer)
        #expect(!ipv6([], [0xFF, 0xFF, 127, 0, 0, 1]).mayBeAPeer)
        #expect(ipv6([], [0xFF, 0xFF, 10, 0, 0, 1]).mayBeAPeer)
        #expect(!ipv6([], [127, 0, 0, 1]).mayBeAPeer)
    }

    @Test func `only a link-local address carries the interface`() {
        #expect(ipv6([0xFE, 0x80], [1]).peerAddress(port: 9, interface: 3).interfaceIndex == 3)
        #expect(ipv6([0xFE, 0xBF], [1]).peerAddress(port: 9, interface: 3).interfaceIndex == 3)
        #expect(ipv6([0xFE, 0xC0], [1]).peerAddress(port: 9, interface: 3).interfaceIndex == 0)
        #expect(ipv6([0xFD], [1]).peerAddress(port: 9, interface: 3).interfaceIndex == 0)
    }
}
