import Testing

@testable import Node

@Suite struct `Warnings about interfaces` {
    private let docker = DiscoveryInterfaces.LeftAlone(name: "docker0", reason: "belongs to containers")

    @Test func `there are none while one interface is in use`() {
        #expect(DiscoveryInterfaces(used: ["eth0"], leftAlone: [docker], leftOut: []).warnings.isEmpty)
    }

    @Test func `there are none on a machine without a network`() {
        #expect(DiscoveryInterfaces(used: [], leftAlone: [], leftOut: []).warnings.isEmpty)
    }

    @Test func `ignored interfaces are named if none is in use`() {
        let warnings = DiscoveryInterfaces(used: [], leftAlone: [docker], leftOut: []).warnings
        #expect(warnings.map(\.code) == ["mdns.no_interface"])
        #expect(warnings.first?.message == "mDNS is used on no interface: docker0 belongs to containers.")
        #expect(warnings.first?.severity == .info)
    }

    @Test func `interfaces left out are named, the first eight of them`() {
        let names = (1...20).map { "v\($0)" }
        let warnings = DiscoveryInterfaces(used: ["a", "b"], leftAlone: [docker], leftOut: names).warnings
        #expect(warnings.map(\.code) == ["mdns.interfaces_left_out"])
        let message =
            "Of 22 interfaces that are suitable for mDNS, 2 are used. Left out are v1, v2, v3, v4, v5, v6, v7, v8 and 12 more."
        #expect(warnings.first?.message == message)
        #expect(warnings.allSatisfy { DiscoveryInterfaces.warningCodes.contains($0.code) })
    }
}
