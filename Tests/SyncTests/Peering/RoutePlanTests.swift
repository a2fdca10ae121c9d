import Capabilities
import Identity
import Peering
import Sync
import Testing
import Wire

/// The addresses of these tests.
private typealias TestRoute = PeerRoute<String>

@Suite struct `The plan of routes to peers` {
    /// Alice has the devices 0 and 1, Bob 2, Carol 3; Alice shares one zone with Bob and one with Carol.
    private struct Scene {
        var street: Street
        let withBob: ZoneID
        let withCarol: ZoneID

        init() throws {
            street = try Street([2, 1, 1])
            let (first, second) = (try street.makeZone(0), try street.makeZone(0))
            try street.share(first, .write, with: 2, by: 0)
            try street.share(second, .write, with: 3, by: 0)
            withBob = ZoneID(first)
            withCarol = ZoneID(second)
        }

        func device(_ index: Int) -> DeviceID { street.homes[index].keys.deviceID }

        /// The plan of the device 0.
        func plan() throws -> RoutePlan {
            let home = street.homes[0]
            var zones = RendezvousKeys()
            for authority in try ZoneViews(street.committer(0)).authorities(home.store) {
                _ = zones.update(authority, own: home.log.account)
            }
            return RoutePlan(
                fleet: FleetChannelKeys(home.keyring, home.log.state.fleet),
                zones: zones,
                account: home.log.state,
                contacts: home.contacts.mapValues(\.state)
            )
        }
    }

    @Test func `calls a device of this account by the account's key`() throws {
        let scene = try Scene()
        let plan = try scene.plan()
        #expect(plan.keys(reaching: scene.device(1)) == [.account])
        #expect(plan.secret(of: .account) != nil)
    }

    @Test func `calls a device of another account by a zone that both share`() throws {
        let scene = try Scene()
        let plan = try scene.plan()
        #expect(plan.keys(reaching: scene.device(2)) == [.zone(scene.withBob)])
        #expect(plan.keys(reaching: scene.device(3)) == [.zone(scene.withCarol)])
        #expect(plan.secret(of: .zone(scene.withBob)) != nil)
    }

    @Test func `calls a device by the keys of all accounts that claim it`() throws {
        var scene = try Scene()
        // Carol takes Bob's device into her account too: no claim keeps the other from being tried.
        let certificate = try #require(
            scene.street.homes[2].log.state.devices[scene.device(2)]?.certificate
        )
        var log = scene.street.homes[3].log
        let entry = try log.addingDevice(
            certificate,
            role: .full,
            name: "claimed",
            signer: .device(scene.street.homes[3].keys),
            using: &scene.street.random
        )
        _ = try log.insert(entry.encoded)
        scene.street.homes[0].contacts[log.account] = log
        let keys = try scene.plan().keys(reaching: scene.device(2))
        #expect(Set(keys) == [.zone(scene.withBob), .zone(scene.withCarol)])
        #expect(keys.count == 2)
    }

    @Test func `leaves a removed device that another account claims its zones' keys alone`() throws {
        let scene = try Scene()
        let (plan, device) = (try scene.plan(), scene.device(2))
        var sessions = PeerSessions<String>(device: scene.device(0))
        let known = [TestRoute(address: "here", key: .account), TestRoute(address: "here", key: .zone(scene.withBob))]
        sessions.directory.remember(device, addresses: known)
        sessions.logChanged([device: .removed], of: scene.street.homes[0].log.account, routes: plan)
        #expect(sessions.directory.addresses(of: device).map(\.address.key) == [.zone(scene.withBob)])
    }

    @Test func `knows no key for a stranger's device`() throws {
        let scene = try Scene()
        #expect(try scene.plan().keys(reaching: Sample.device(200)).isEmpty)
    }

    @Test func `tries an address whose device is unknown by the account's key and by a zone of each other account`()
        throws
    {
        let scene = try Scene()
        let routes: [TestRoute] = try scene.plan().routes(to: ["here", "there"])
        #expect(routes.map(\.address) == ["here", "here", "here", "there", "there", "there"])
        #expect(routes.prefix(3).first?.key == .account)
        #expect(Set(routes.prefix(3).map(\.key)) == [.account, .zone(scene.withBob), .zone(scene.withCarol)])
    }

    @Test func `tries other zones where one zone's key met a device that is no member of it`() throws {
        let scene = try Scene()
        let plan = try scene.plan()
        let route = TestRoute(address: "here", key: .zone(scene.withBob))
        let carol = scene.street.homes[3].log.account
        #expect(plan.alternatives(to: route, reaching: [carol]).map(\.key) == [.zone(scene.withCarol)])
        #expect(plan.alternatives(to: route, at: scene.device(3)).map(\.key) == [.zone(scene.withCarol)])
        #expect(plan.alternatives(to: route, at: nil).isEmpty, "nobody is there")
    }

    @Test func `tries no zone where the account's key met nobody, and nothing after an earlier key`() throws {
        let scene = try Scene()
        let plan = try scene.plan()
        let bob = scene.street.homes[2].log.account
        #expect(plan.alternatives(to: TestRoute(address: "here", key: .account), reaching: [bob]).isEmpty)
        #expect(
            plan.alternatives(to: TestRoute(address: "here", key: .account), at: nil).isEmpty,
            "no key was replaced"
        )
        #expect(plan.alternatives(to: TestRoute(address: "here", key: .earlier(.zero)), at: nil).isEmpty)
    }
}

@Suite struct `The keys of shared zones` {
    @Test func `change with the parties of a zone, and not with anything else`() throws {
        var street = try Street([1, 1])
        let account = street.homes[0].log.account
        let genesis = try street.makeZone(0)
        let zone = ZoneID(genesis)
        var keys = RendezvousKeys()
        #expect(keys.secret(zone) == nil)
        try street.share(genesis, .read, with: 1, by: 0)
        let authority = try #require(
            try street.authorities(on: 0).first { $0.zone == zone }
        )
        let changed = keys.update(authority, own: account)
        #expect(changed && keys.secret(zone) != nil)
        let again = keys.update(authority, own: account)
        #expect(!again)
        keys.remove(zone, own: account)
        #expect(keys.secret(zone) == nil && keys.accepted.isEmpty)
    }

    @Test func `recognise the tags of a member, and no stranger's`() throws {
        var street = try Street([1, 1])
        let account = street.homes[0].log.account
        let genesis = try street.makeZone(0)
        try street.share(genesis, .read, with: 1, by: 0)
        var keys = RendezvousKeys()
        for authority in try street.authorities(on: 0) {
            _ = keys.update(authority, own: account)
        }
        let nonce = [UInt8](repeating: 7, count: DiscoveryTag.nonceByteCount)
        let tags = keys.tags(nonce: nonce, at: 1_700_000_000_000)
        #expect(tags.count == 1)
        #expect(keys.zone(of: tags, nonce: nonce, at: 1_700_000_000_000) == ZoneID(genesis))
        let other = [UInt8](repeating: 8, count: DiscoveryTag.nonceByteCount)
        #expect(keys.zone(of: tags, nonce: other, at: 1_700_000_000_000) == nil)
        #expect(keys.zone(of: [], nonce: nonce, at: 1_700_000_000_000) == nil)
        #expect(keys.zone(of: tags, nonce: [], at: 1_700_000_000_000) == nil, "a nonce of another size")
    }
}
