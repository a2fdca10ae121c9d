import Foundation
import Testing

@testable import Discovery

@Suite struct DeviceDirectoryTests {
    /// Runs a body with a directory like the kernel's; each device has entries with their texts.
    private func withDevices(_ devices: [String: [String: String]], _ body: (DeviceDirectory) throws -> Void) throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("net-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }  // A leftover in /tmp does no harm.
        for (name, entries) in devices {
            for (entry, text) in entries {
                let file = root.appendingPathComponent(name).appendingPathComponent(entry)
                let directory = file.deletingLastPathComponent()
                try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
                try Data(text.utf8).write(to: file)
            }
        }
        try body(DeviceDirectory(path: root.path))
    }

    @Test(arguments: [
        (["uevent": "INTERFACE=x\nIFINDEX=7\n"], NetworkInterface.Kind.ordinary),
        (["uevent": "DEVTYPE=wlan\nINTERFACE=x\n", "device": ""], .ordinary),
        (["uevent": "DEVTYPE=vlan\nINTERFACE=x\n"], .ordinary), (["tun_flags": "0x1002\n"], .tunnel),
        (["uevent": "DEVTYPE=wireguard\nINTERFACE=x\n"], .tunnel), (["uevent": "DEVTYPE=vxlan\n"], .tunnel),
        (["brport/state": "3\n", "device": ""], .port), (["bonding_slave/state": "active\n"], .port),
        (["bridge/bridge_id": "8\n"], .innerBridge), (["bridge/bridge_id": "8\n", "brif/veth1": ""], .innerBridge),
        (["bridge/bridge_id": "8\n", "brif/veth1": "", "brif/eth0": ""], .bridge),
        (["bridge/bridge_id": "8\n", "brif/bond0": ""], .bridge),
    ])
    func `a device is of the kind that its entries show`(entries: [String: String], kind: NetworkInterface.Kind) throws
    {
        let others = [
            "eth0": ["device": ""], "veth1": ["ifindex": "9\n"], "bond0": ["uevent": "DEVTYPE=bond\n"],
        ]
        let devices = others.merging(["x": entries.merging(["ifindex": "7\n"]) { one, _ in one }]) { one, _ in one }
        try withDevices(devices) { directory in
            #expect(directory.kind(of: "x", 7) == kind)
            #expect(directory.hasHardware("x", 7) == (entries["device"] != nil))
        }
    }

    @Test func `nothing is accepted from a device of the same name in another namespace`() throws {
        try withDevices(["x": ["ifindex": "8\n", "tun_flags": "1", "device": ""]]) { directory in
            #expect(directory.kind(of: "x", 7) == .ordinary && !directory.hasHardware("x", 7))
            #expect(directory.kind(of: "none", 7) == .ordinary && !directory.hasHardware("none", 7))
        }
    }

    @Test func `default routes are those to everywhere that are up and lead somewhere`() {
        let ipv4 = """
            Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
            eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
            eth1\t0000A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0
            eth2\t00000000\t0101A8C0\t0002\t0\t0\t100\t00000000\t0\t0\t0
            eth3\t00000000\t00000000\t0201\t0\t0\t100\t00000000\t0\t0\t0
            eth4\t00000000\t0101A8C0
            """
        let zero = String(repeating: "0", count: 32)
        let hop = "fe80" + String(repeating: "0", count: 27) + "1"
        let ipv6 = """
            \(zero) 00 \(zero) 00 \(hop) 00000400 00000001 00000000 00000003     wlan0
            \(zero) 00 \(zero) 00 \(zero) ffffffff 00000001 00000000 00200200       lo
            \(hop) 80 \(zero) 00 \(zero) 00000000 00000002 00000000 80200001     eth1
            """
        #expect(RoutingTable.interfaces(ipv4: ipv4, ipv6: ipv6) == ["eth0", "wlan0"])
        #expect(RoutingTable.interfaces(ipv4: "", ipv6: "").isEmpty)
    }
}
