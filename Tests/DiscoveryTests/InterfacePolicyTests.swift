import Discovery
import Testing

@Suite struct InterfacePolicyTests {
    private let wired = NetworkInterface(name: "eth0", index: 2)
    private let wireless = NetworkInterface(name: "wlp3s0", index: 3)

    @Test func `every ordinary interface is used without an allow-list`() {
        let policy = InterfacePolicy()
        #expect(policy.used(of: [wired, wireless]) == [wired, wireless])
        #expect(policy.ignored(of: [wired, wireless]).isEmpty)
    }

    @Test(arguments: [
        "docker0", "br-1f2e3d", "veth12ab", "virbr0", "podman1", "cni0", "flannel.1", "tun0", "tap3", "wg0",
        "tailscale0",
        "ztabcdef", "vmnet8",
    ])
    func `interfaces of containers and VPNs are ignored and named`(name: String) {
        let policy = InterfacePolicy()
        let interface = NetworkInterface(name: name, index: 7)
        #expect(policy.verdict(on: interface) == .ignored(.virtual))
        #expect(policy.ignored(of: [interface]) == [IgnoredInterface(name: name, reason: .virtual)])
    }

    @Test func `a bridge that a person made is used`() {
        #expect(InterfacePolicy().verdict(on: NetworkInterface(name: "br0", index: 4)) == .used)
    }

    @Test func `an allow-list admits what it names, virtual or not, and nothing else`() {
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

    @Test func `an ignored interface says why`() {
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
