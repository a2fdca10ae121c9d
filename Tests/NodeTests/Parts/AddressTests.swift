import Peering
import TestSupport
import Testing

@testable import Node

@Suite struct `An address` {
    @Test(arguments: 0..<4)
    func `is read back from its text`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let port = UInt16.random(in: 1...UInt16.max, using: &random)
            let address: PeerAddress
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let host = (0..<4).map { _ in String(UInt8.random(in: 0...255, using: &random)) }.joined(separator: ".")
                address = PeerAddress(host: host, port: port)
            case 1: address = PeerAddress(host: "desk-\(port).example", port: port)
            default:
                let groups = (0..<8).map { _ in String(UInt16.random(in: .min ... .max, using: &random), radix: 16) }
                let scope = Bool.random(using: &random) ? UInt32.random(in: 1...UInt32.max, using: &random) : 0
                address = PeerAddress(host: groups.joined(separator: ":"), port: port, interfaceIndex: scope)
            }
            #expect(PeerAddress(address.description) == address, "seed \(seed): \(address)")
        }
    }

    @Test(arguments: [
        "", ":", "desk", "desk:", "desk:0", "desk:65536", "desk:x", ":80", "::1:80", "[]:80", "[::1]", "[::1]:",
        "[fe80::1%]:80", "[fe80::1%eth0]:80", "[fe80::1%4294967296]:80",
    ])
    func `of another form is none`(text: String) {
        #expect(PeerAddress(text) == nil)
    }
}

@Suite struct `The table of sightings` {
    private func sighting(_ name: String, _ port: Int, on interface: String = "eth0") -> ServiceSighting {
        ServiceSighting(
            instanceName: name,
            interfaceName: interface,
            address: PeerAddress(host: "192.0.2.1", port: UInt16(truncatingIfNeeded: port)),
            attributes: []
        )
    }

    @Test func `keeps a bounded number of instances, the newest, and of addresses for each`() {
        var table = Sightings<ServiceSighting>()
        for index in 1...1_000 { table.insert(sighting("n\(index)", index)) }
        #expect(
            table.all.count == Sightings<ServiceSighting>.countMax && table.contains("n1000") && !table.contains("n1")
        )
        for index in 1...100 { table.insert(sighting("n1000", index)) }
        #expect(table.all.filter { $0.address.port <= 100 }.count == Sightings<ServiceSighting>.addressCountMax)
        #expect(table.all.first?.address.port == 100)
    }

    @Test func `drops an instance when it is gone from its last interface`() {
        var table = Sightings<ServiceSighting>()
        table.insert(sighting("desk", 1, on: "eth0"))
        table.insert(sighting("desk", 2, on: "wlan0"))
        let isGoneFromOne = table.remove("desk", interfaceName: "eth0")
        #expect(!isGoneFromOne)
        #expect(table.all.map(\.address.port) == [2])
        let isGoneFromBoth = table.remove("desk", interfaceName: "wlan0")
        #expect(isGoneFromBoth)
        #expect(!table.contains("desk") && table.all.isEmpty)
        table.insert(sighting("desk", 3))
        #expect(table.all.map(\.address.port) == [3])
    }
}
