import Discovery
import Testing

@Suite struct InterfacePolicyTests {
    private let wired = NetworkInterface(name: "eth0", index: 2)
    private let wireless = NetworkInterface(name: "wlp3s0", index: 3)

    @Test func `every ordinary interface is used without an allow-list`() {
        let policy = InterfacePolicy()
        #expect(policy.choice(of: [wired, wireless]).used == [wired, wireless])
        #expect(policy.choice(of: [wired, wireless]).ignored.isEmpty)
    }

    @Test(arguments: [
        "docker0", "br-0123456789ab", "veth12ab", "virbr0", "podman1", "cni0", "flannel.1", "tun0", "tap3", "wg0",
        "tailscale0",
        "ztabcdef", "vmnet8",
    ])
    func `interfaces of containers and VPNs are ignored and named`(name: String) {
        let policy = InterfacePolicy()
        let interface = NetworkInterface(name: name, index: 7)
        #expect(policy.verdict(on: interface) == .ignored(.virtual))
        #expect(policy.choice(of: [interface]).ignored == [IgnoredInterface(name: name, reason: .virtual)])
    }

    @Test(arguments: ["br0", "br-lan", "br-1f2e3d", "br-0123456789AB", "br-0123456789abc", "br-guest-rooms"])
    func `a bridge that a person made is used`(name: String) {
        #expect(InterfacePolicy().verdict(on: NetworkInterface(name: name, index: 4)) == .used)
        #expect(InterfacePolicy().verdict(on: NetworkInterface(name: name, index: 4, kind: .bridge)) == .used)
    }

    @Test func `a tunnel and a port of a bridge are left alone whatever their names`() {
        let policy = InterfacePolicy()
        #expect(policy.verdict(on: NetworkInterface(name: "work", index: 4, kind: .tunnel)) == .ignored(.virtual))
        let port = NetworkInterface(name: "eth0", index: 4, kind: .port)
        #expect(policy.verdict(on: port) == .ignored(.port))
        // The port is not reported: its bridge is.
        #expect(policy.choice(of: [port]).used.isEmpty && policy.choice(of: [port]).ignored.isEmpty)
    }

    @Test func `a bridge to guests alone is left alone while there is anything else, and used when there is nothing`() {
        let inner = NetworkInterface(name: "lan", index: 4, kind: .innerBridge, hasRoutableAddress: true)
        let both = InterfacePolicy().choice(of: [inner, wired])
        #expect(both.used == [wired])
        #expect(both.ignored == [IgnoredInterface(name: "lan", reason: .innerBridge)])
        let alone = InterfacePolicy().choice(of: [inner])
        #expect(alone.used == [inner] && alone.ignored.isEmpty)
        var way = inner
        way.hasDefaultRoute = true
        #expect(InterfacePolicy().choice(of: [way, wired]).used == [way, wired])
    }

    @Test func `the best come first: default route, known company, an address, a device, then the order of making`() {
        let plain = NetworkInterface(name: "a", index: 1)
        let device = NetworkInterface(name: "b", index: 2, hasHardware: true)
        let linkLocal = NetworkInterface(name: "c", index: 3, hasLinkLocalAddress: true)
        let addressed = NetworkInterface(name: "d", index: 4, hasRoutableAddress: true)
        let familiar = NetworkInterface(name: "e", index: 5)
        let route = NetworkInterface(name: "f", index: 6, hasDefaultRoute: true)
        let last = NetworkInterface(name: "g", index: 7)
        let all = [plain, device, linkLocal, addressed, familiar, route, last]
        let choice = InterfacePolicy().choice(of: all, familiar: ["e"])
        #expect(choice.used.map(\.name) == ["f", "e", "d", "c", "b", "a", "g"])
    }

    @Test func `beyond the bound the least likely are left out and named`() {
        var all = (1...130).map { NetworkInterface(name: "v\($0)", index: UInt32($0)) }
        all.append(NetworkInterface(name: "lan", index: 500, hasRoutableAddress: true))
        let choice = InterfacePolicy().choice(of: all)
        #expect(choice.used.count == InterfacePolicy.usedCountMax && choice.used.first?.name == "lan")
        #expect(choice.leftOut.map(\.name) == ["v128", "v129", "v130"])
    }

    @Test func `an allow-list admits only the named interfaces, virtual or not`() {
        let policy = InterfacePolicy(allowed: ["wg0", "eth0"])
        #expect(policy.verdict(on: NetworkInterface(name: "wg0", index: 9, isPointToPoint: true)) == .used)
        #expect(policy.verdict(on: wired) == .used)
        #expect(policy.verdict(on: wireless) == .ignored(.notAllowed))
    }

    @Test func `an empty allow-list is no allow-list`() {
        #expect(InterfacePolicy(allowed: []).verdict(on: wired) == .used)
    }

    @Test func `loopback is never used, not even when it is named`() {
        let loopback = NetworkInterface(name: "lo", index: 1, isLoopback: true)
        #expect(InterfacePolicy(allowed: ["lo"]).verdict(on: loopback) == .unusable)
    }

    @Test func `an interface that is down, has one other end or no multicast is not used`() {
        let policy = InterfacePolicy()
        #expect(policy.verdict(on: NetworkInterface(name: "eth1", index: 5, isUp: false)) == .unusable)
        #expect(
            policy.verdict(on: NetworkInterface(name: "dsl0", index: 5, isPointToPoint: true))
                == .ignored(.pointToPoint)
        )
        #expect(
            policy.verdict(on: NetworkInterface(name: "ib0", index: 5, isMulticast: false)) == .ignored(.noMulticast)
        )
    }

    @Test func `an ignored interface has a reason`() {
        let ignored = IgnoredInterface(name: "docker0", reason: .virtual)
        #expect(ignored.description == "docker0 belongs to containers, virtual machines or a VPN")
    }

    @Test func `the machine's own interfaces have unique indices and a loopback among them`() {
        let all = NetworkInterface.all()
        #expect(Set(all.map(\.index)).count == all.count)
        #expect(all.contains { $0.isLoopback })
        #expect(all.allSatisfy { $0.index > 0 && !$0.name.isEmpty })
    }
}
