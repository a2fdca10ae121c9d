import FuzzKit
import Node

@testable import Discovery

/// The parser of a service's text record and of its address.
let discoveryTextTarget = FuzzTarget(
    "discovery-text",
    inputByteCountMax: 2_048,
    run: { bytes in
        var input = FuzzInput(bytes)
        let address = ResolvedAddress(bytes: input.bytes(input.below(20)), text: "x")
        _ = address.mayBeAPeer
        let interface = UInt32(input.byte())
        let index = address.peerAddress(port: 1, interface: interface).interfaceIndex
        demand(index == 0 || address.isLinkLocalIPv6, "only link-local addresses are bound to an interface")
        var strings: [[UInt8]] = []
        while !input.isEmpty { strings.append(input.blob()) }
        let attributes = AttributeText.attributes(of: strings)
        demand(attributes.count <= AttributeText.countMax, "attributes are bounded")
        let again = AttributeText.attributes(of: attributes.compactMap(AttributeText.string(for:)))
        // An attribute without a value is written with an empty one, which may be a byte too long.
        let written = attributes.filter { AttributeText.string(for: $0) != nil }
        demand(again == written, "attributes mean themselves")
    },
    seeds: {
        let strings = ["v=1", "tag=abc", "flag", "=x", "V=2"].flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        return [
            [4, 192, 168, 1, 2, 3] + strings, [16, 0xFE, 0x80] + [UInt8](repeating: 1, count: 14) + [2] + strings,
        ]
    }
)
