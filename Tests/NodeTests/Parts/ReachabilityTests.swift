import KairanInterface
import Peering
import Sync
import Testing
import Wire

@testable import Node

/// A route over the network, as the node has them.
private typealias NetworkRoute = Peering.PeerRoute<PeerAddress>

@Suite struct `Devices in sight that are not reached` {
    private let desk = device(1)
    private let lap = device(2)

    private static func device(_ number: UInt64) -> DeviceID {
        DeviceID(Digest32(word0: number, word1: 1, word2: 0, word3: 0))
    }

    private func absent(_ device: DeviceID, _ name: String, hosts: Set<String> = []) -> Reachability.Member {
        Reachability.Member(device: device, name: name, hosts: hosts)
    }

    private func reachability(
        _ instances: [TroubledInstance<NetworkRoute>],
        absent: [Reachability.Member],
        connected: [Reachability.Connected] = []
    ) -> Reachability {
        Reachability(instances, members: absent, connected: connected)
    }

    /// Returns an instance that was dialled once, at 1,000 ms.
    private func instance(
        _ host: String,
        _ obstacle: DialObstacle = .silence,
        device: DeviceID? = nil,
        key: PeerKey = .account
    ) throws -> TroubledInstance<NetworkRoute> {
        var directory = PeerDirectory<NetworkRoute>(localDevice: Self.device(9))
        var random = SystemRandomNumberGenerator()
        let route = NetworkRoute(address: PeerAddress(host: host, port: 7_621), key: key)
        directory.sighted(instance: host, address: route)
        _ = directory.due(at: 1_000) { 1 }
        directory.dialFailed(1, because: obstacle, at: 1_000, random: &random)
        let found = try #require(directory.troubledInstances.first)
        return TroubledInstance(name: found.name, device: device, address: found.address, trouble: found.trouble)
    }

    @Test func `are known by an earlier session, by where they were met, or because only one is left`() throws {
        let met = self.reachability(
            [try instance("10.0.0.1"), try instance("10.0.0.2", device: lap)],
            absent: [absent(desk, "desk", hosts: ["10.0.0.1"]), absent(lap, "lap")]
        )
        #expect(met.unreached.mapValues(\.address.host) == [desk: "10.0.0.1", lap: "10.0.0.2"])
        #expect(met.strangers.isEmpty)
        let left = self.reachability([try instance("10.0.0.7")], absent: [absent(desk, "desk", hosts: ["10.0.0.1"])])
        #expect(left.unreached.mapValues(\.address.host) == [desk: "10.0.0.7"])
    }

    @Test func `are not guessed where two devices or two instances are left, or it is another account's`() throws {
        let two = [absent(desk, "desk"), absent(lap, "lap")]
        #expect(self.reachability([try instance("10.0.0.7")], absent: two).unreached.isEmpty)
        let instances = [try instance("10.0.0.7"), try instance("10.0.0.8")]
        #expect(self.reachability(instances, absent: [absent(desk, "desk")]).unreached.isEmpty)
        let other = try instance("10.0.0.7", key: .zone(ZoneID(.zero)))
        let reachability = self.reachability([other], absent: [absent(desk, "desk")])
        #expect(reachability.unreached.isEmpty)
        #expect(reachability.strangers.map(\.address.host) == ["10.0.0.7"])
    }

    @Test func `are not those that an earlier session has shown to be another device`() throws {
        let other = Self.device(7)
        let met = [absent(desk, "desk", hosts: ["10.0.0.1"])]
        let there = self.reachability([try instance("10.0.0.1", device: other)], absent: met)
        #expect(there.unreached.isEmpty, "its host was this device's, and is another one's")
        #expect(there.strangers.map(\.address.host) == ["10.0.0.1"])
        let last = self.reachability([try instance("10.0.0.8", device: other)], absent: [absent(lap, "lap")])
        #expect(last.unreached.isEmpty && last.strangers.count == 1)
    }

    @Test func `are not those that have called us, nor is one of them missing`() throws {
        let connected = Reachability.Connected(device: lap, host: "10.0.0.2", port: 7_621)
        let members = [absent(desk, "desk"), absent(lap, "lap")]
        let one = self.reachability([try instance("10.0.0.2")], absent: members, connected: [connected])
        #expect(one.unreached.isEmpty && one.strangers.isEmpty)
        let left = self.reachability([try instance("10.0.0.7")], absent: members, connected: [connected])
        #expect(left.unreached.mapValues(\.address.host) == [desk: "10.0.0.7"])
    }

    @Test func `are none while every device of the account has a session, whichever side dialled`() throws {
        let reachability = self.reachability([try instance("10.0.0.7")], absent: [])
        #expect(reachability.strangers.isEmpty && reachability.warning(at: 99_999) == nil)
        let other = self.reachability([try instance("10.0.0.7", key: .zone(ZoneID(.zero)))], absent: [])
        #expect(other.strangers.count == 1, "a device of another account may be missing")
    }

    @Test func `are warned of after ten seconds, by name or address, with the cause and the fix`() throws {
        let reachability = self.reachability(
            [try instance("10.0.0.1"), try instance("10.0.0.8", .refused)],
            absent: [absent(desk, "desk", hosts: ["10.0.0.1"]), absent(lap, "lap", hosts: ["10.0.0.2"])]
        )
        #expect(reachability.unreached.count == 2, "the last one is left")
        #expect(reachability.warning(at: 10_999) == nil)
        let warning = try #require(reachability.warning(at: 11_000))
        #expect(warning.code == "peer.unreachable")
        #expect(
            warning.message
                == "In sight and not reached: desk is seen at 10.0.0.1:7621: no answer in time; "
                + "lap is seen at 10.0.0.8:7621: connection refused."
        )
        #expect(warning.fix == "A firewall there most likely drops it: open TCP port 7621 on that machine.")
        #expect(self.reachability([], absent: []).warning(at: 99_999) == nil)
    }

    @Test(arguments: [
        (DialFailure.silence, DialObstacle.silence), (.refused, .refused), (.noRoute("no way"), .noRoute("no way")),
        (.ignored, .ignored), (.unreachable("else"), .other("else")),
    ])
    func `have a fix for each cause`(failure: DialFailure, obstacle: DialObstacle) throws {
        #expect(DialObstacle(failure) == obstacle)
        let reachability = self.reachability([try instance("10.0.0.1", obstacle)], absent: [absent(desk, "desk")])
        #expect(try #require(reachability.warning(at: 60_000)).fix.count > 20)
    }

    @Test func `are none where a device has dialled itself`() {
        #expect(DialObstacle(.ourselves) == nil)
    }
}
