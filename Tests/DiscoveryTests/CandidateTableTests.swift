import Node
import TestSupport
import Testing

@testable import Discovery

@Suite struct CandidateTableTests {
    private func key(_ name: String, _ family: CandidateKey.Family = .ipv4, on interface: UInt32 = 2) -> CandidateKey {
        CandidateKey(instanceName: name, interface: interface, family: family)
    }

    private func sighting(_ name: String, port: UInt16 = 7_000) -> ServiceSighting {
        ServiceSighting(
            instanceName: name,
            interfaceName: "eth0",
            address: PeerAddress(host: "192.0.2.1", port: port),
            attributes: []
        )
    }

    @Test func `a sighting is news once, and again when it changed`() {
        var table = CandidateTable()
        #expect(table.appeared(key("a"), interfaceName: "eth0") == nil)
        #expect(table.resolved(key("a"), sighting("a")) == true)
        #expect(table.resolved(key("a"), sighting("a")) == false)
        #expect(table.resolved(key("a"), sighting("a", port: 7_001)) == true)
    }

    @Test func `a service that was never announced is ignored`() {
        var table = CandidateTable()
        #expect(table.resolved(key("a"), sighting("a")) == false)
        #expect(table.vanished(key("a")) == nil)
        #expect(table.fellSilent(key("a")) == nil)
        #expect(table.count == 0)
    }

    @Test func `a service is withdrawn only when its last address on the interface is gone`() {
        var table = CandidateTable()
        for family in [CandidateKey.Family.ipv4, .ipv6] {
            _ = table.appeared(key("a", family), interfaceName: "eth0")
            #expect(table.resolved(key("a", family), sighting("a")) == true)
        }
        #expect(table.vanished(key("a", .ipv4)) == nil)
        #expect(table.vanished(key("a", .ipv6)) == .init(instanceName: "a", interfaceName: "eth0"))
    }

    @Test func `a service that was never resolved disappears silently`() {
        var table = CandidateTable()
        _ = table.appeared(key("a"), interfaceName: "eth0")
        #expect(table.vanished(key("a")) == nil)
    }

    @Test func `a silent service is withdrawn, stays a candidate and is news when it answers again`() {
        var table = CandidateTable()
        _ = table.appeared(key("a"), interfaceName: "eth0")
        _ = table.resolved(key("a"), sighting("a"))
        #expect(table.fellSilent(key("a")) == .init(instanceName: "a", interfaceName: "eth0"))
        #expect(table.fellSilent(key("a")) == nil)
        #expect(table.contains(key("a")))
        #expect(table.resolved(key("a"), sighting("a")) == true)
    }

    @Test func `a full table forgets the oldest`() {
        var table = CandidateTable(capacity: 3)
        for name in ["a", "b", "c"] { #expect(table.appeared(key(name), interfaceName: "eth0") == nil) }
        // Being announced once more does not make it younger.
        #expect(table.appeared(key("a"), interfaceName: "eth0") == nil)
        #expect(table.appeared(key("d"), interfaceName: "eth0") == key("a"))
        #expect(table.count == 3)
    }

    @Test func `a service that never answered is forgotten before one that did`() {
        var table = CandidateTable(capacity: 3)
        for name in ["a", "b", "c"] { _ = table.appeared(key(name), interfaceName: "eth0") }
        for name in ["a", "b"] { _ = table.resolved(key(name), sighting(name)) }
        #expect(table.appeared(key("d"), interfaceName: "eth0") == key("c"))
        #expect(table.appeared(key("e"), interfaceName: "eth0") == key("d"))
        _ = table.resolved(key("e"), sighting("e"))
        #expect(table.appeared(key("f"), interfaceName: "eth0") == key("a"))
    }

    @Test func `after a new beginning confirmed services are repeated and the rest is withdrawn`() {
        var table = CandidateTable()
        for name in ["a", "b"] {
            _ = table.appeared(key(name), interfaceName: "eth0")
            _ = table.resolved(key(name), sighting(name))
        }
        table.beginAnew()
        _ = table.appeared(key("a"), interfaceName: "eth0")
        #expect(table.resolved(key("a"), sighting("a")) == true)
        #expect(table.resolved(key("a"), sighting("a")) == false)
        #expect(table.unconfirmed == [key("b")])
        #expect(table.vanished(key("b")) == .init(instanceName: "b", interfaceName: "eth0"))
        #expect(table.unconfirmed == [])
        #expect(table.count == 1)
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `law: whatever is announced, the table keeps its bound and reports no loss before a sighting`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = CandidateTable(capacity: 8)
        var reported: Set<String> = []
        for _ in 0..<5_000 {
            let name = "s\(Int.random(in: 0..<20, using: &random))"
            let key = key(name, Bool.random(using: &random) ? .ipv4 : .ipv6)
            var lost: CandidateTable.Withdrawal?
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1: _ = table.appeared(key, interfaceName: "eth0")
            case 2: if table.resolved(key, sighting(name)) { reported.insert(name) }
            case 3: lost = table.vanished(key)
            default: lost = table.fellSilent(key)
            }
            #expect(table.count <= 8, "seed \(seed)")
            if let lost { #expect(reported.contains(lost.instanceName), "seed \(seed)") }
        }
    }
}
