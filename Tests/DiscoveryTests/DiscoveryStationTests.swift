import Node
import Testing

@testable import Discovery

@Suite struct DiscoveryStationTests {
    private let bench = StationBench()
    private let peer = CandidateKey(instanceName: "peer", interface: 2, family: .ipv4)
    private let address = ResolvedAddress(bytes: [192, 0, 2, 7], text: "192.0.2.7")

    private func sighting(port: UInt16 = 9, attributes: [ServiceAttribute] = []) -> DiscoveryEvent {
        .sighted(
            ServiceSighting(
                instanceName: "peer",
                interfaceName: "eth0",
                address: PeerAddress(host: "192.0.2.7", port: port),
                attributes: attributes
            )
        )
    }

    @Test func `nothing is published before the daemon is ready, then on every interface in use`() {
        bench.station.advertise(.sample)
        bench.step()
        #expect(bench.daemon.published.isEmpty && bench.daemon.browsed.isEmpty)
        bench.step(.running)
        #expect(bench.daemon.published == [2: .sample])
        #expect(bench.daemon.browsed == [2])
        #expect(bench.takeEvents() == [.available])
    }

    @Test func `a later advertisement replaces the earlier one, once`() {
        bench.start()
        var changed = ServiceAdvertisement.sample
        changed.attributes = [ServiceAttribute(key: "v", value: [2])]
        bench.station.advertise(changed)
        bench.step()
        bench.step()
        #expect(bench.daemon.published == [2: changed])
        #expect(bench.daemon.publications == 2)
    }

    @Test func `a sighting is reported once resolved and again when its text changed`() {
        bench.start()
        _ = bench.takeEvents()
        bench.step(.appeared(peer))
        #expect(bench.takeEvents().isEmpty)
        #expect(bench.daemon.resolving == [peer])
        bench.step(.resolved(peer, address, port: 9, strings: []))
        bench.step(.resolved(peer, address, port: 9, strings: []))
        #expect(bench.takeEvents() == [sighting()])
        bench.step(.resolved(peer, address, port: 9, strings: [Array("a=b".utf8)]))
        #expect(bench.takeEvents() == [sighting(attributes: [ServiceAttribute(key: "a", value: [0x62])])])
        // The question stays open, or the next change would go unseen.
        #expect(bench.daemon.resolving == [peer])
    }

    @Test func `a goodbye is reported and the question ended`() {
        bench.start()
        bench.step(.appeared(peer), .resolved(peer, address, port: 9, strings: []))
        _ = bench.takeEvents()
        bench.step(.vanished(peer))
        #expect(bench.takeEvents() == [.withdrawn(instanceName: "peer", interfaceName: "eth0")])
        #expect(bench.daemon.resolving.isEmpty)
    }

    @Test func `our own name is neither asked for nor reported, and neither is the one after a collision`() {
        bench.start()
        _ = bench.takeEvents()
        bench.step(.collided(interface: 2))
        for name in ["own", "own-n1"] {
            let echo = CandidateKey(instanceName: name, interface: 2, family: .ipv6)
            bench.step(.appeared(echo), .resolved(echo, address, port: 9, strings: []))
        }
        #expect(bench.takeEvents().isEmpty)
        #expect(bench.daemon.asked.isEmpty)
    }

    @Test func `a service without a port or at an address that leads back here is not reported`() {
        bench.start()
        _ = bench.takeEvents()
        let loopback = ResolvedAddress(bytes: [127, 0, 0, 1], text: "127.0.0.1")
        bench.step(.appeared(peer), .resolved(peer, address, port: 0, strings: []))
        bench.step(.resolved(peer, loopback, port: 9, strings: []))
        #expect(bench.takeEvents().isEmpty)
    }

    @Test func `after a collision another random name is used, with growing waits`() {
        bench.start()
        var wait = Duration.milliseconds(500)
        for round in 1...4 {
            bench.step(.collided(interface: 2))
            #expect(bench.daemon.published.isEmpty)
            bench.step(after: wait - .milliseconds(1))
            #expect(bench.daemon.published.isEmpty)
            bench.step(after: .milliseconds(1))
            #expect(bench.daemon.published[2]?.instanceName == "own-n\(round)")
            wait *= 2
        }
    }

    @Test func `a name that another service of this machine has is reported at once, and resolved in the same way`() {
        bench.station.advertise(.sample)
        bench.step()
        bench.daemon.refusals = [.collision]
        bench.step(.running)
        #expect(bench.daemon.published.isEmpty)
        bench.step(after: .seconds(1))
        #expect(bench.daemon.published[2]?.instanceName == "own-n1")
    }

    @Test func `the longest name leaves room for the ending`() {
        var long = ServiceAdvertisement.sample
        long.instanceName = String(repeating: "x", count: 63)
        bench.start(advertising: long)
        bench.step(.collided(interface: 2))
        bench.step(after: .seconds(1))
        #expect(bench.daemon.published[2]?.instanceName == String(repeating: "x", count: 60) + "-n1")
    }

    @Test func `a failing publication is tried again`() {
        bench.station.advertise(.sample)
        bench.step()
        bench.daemon.refusals = [.failure, .failure]
        bench.step(.running)
        let due = bench.step()
        #expect(due == bench.now.advanced(by: .milliseconds(500)))
        bench.step(after: .milliseconds(500))
        bench.step(after: .milliseconds(1_000))
        #expect(bench.daemon.published == [2: .sample])
    }

    @Test func `without a bus it is retried again and again, and reported once`() {
        bench.connectError = .noDaemon
        bench.step()
        #expect(bench.takeEvents() == [.unavailable(reason: AvahiError.noDaemon.description)])
        for _ in 0..<400 { bench.step(after: .milliseconds(250)) }
        // 0.25 s, doubling to 10 s: in 100 s about five growing waits and nine of the longest.
        #expect((10...16).contains(bench.attempts))
        #expect(bench.takeEvents().isEmpty)
        bench.connectError = nil
        bench.station.advertise(.sample)
        bench.step(after: .seconds(10))
        bench.step(.running)
        #expect(bench.takeEvents() == [.available])
        #expect(bench.daemon.published == [2: .sample])
    }

    @Test func `when the daemon dies a new connection replaces the old one and everything begins anew`() {
        bench.start()
        bench.step(.appeared(peer), .resolved(peer, address, port: 9, strings: []))
        _ = bench.takeEvents()
        let old = bench.daemon
        bench.step(.failed(.disconnected), .appeared(peer))
        #expect(old.isClosed)
        #expect(bench.takeEvents() == [.unavailable(reason: AvahiError.disconnected.description)])
        bench.step(after: .milliseconds(250))
        bench.step(.waiting)
        bench.step(.registering)
        bench.step(.running)
        #expect(bench.daemon !== old)
        #expect(bench.daemon.published == [2: .sample])
        #expect(bench.daemon.browsed == [2])
        _ = bench.takeEvents()
        // A peer that was known before is reported again when it is confirmed.
        bench.step(.appeared(peer), .resolved(peer, address, port: 9, strings: []))
        #expect(bench.takeEvents() == [sighting()])
    }

    @Test func `a service that a restarted daemon does not confirm is withdrawn after a while`() {
        bench.start()
        bench.step(.appeared(peer), .resolved(peer, address, port: 9, strings: []))
        bench.step(.failed(.disconnected))
        bench.step(after: .milliseconds(250))
        bench.step(.running)
        _ = bench.takeEvents()
        bench.step(after: .seconds(14))
        #expect(bench.takeEvents().isEmpty)
        bench.step(after: .seconds(1))
        #expect(bench.takeEvents() == [.withdrawn(instanceName: "peer", interfaceName: "eth0")])
    }

    @Test func `a peer that lost power is withdrawn when it falls silent and found again by asking`() {
        bench.start()
        bench.step(.appeared(peer), .resolved(peer, address, port: 9, strings: []))
        _ = bench.takeEvents()
        bench.step(.unresolved(peer, .timeout))
        #expect(bench.takeEvents() == [.withdrawn(instanceName: "peer", interfaceName: "eth0")])
        #expect(bench.daemon.resolving.isEmpty)
        bench.step(after: .seconds(5))
        #expect(bench.daemon.asked == [peer, peer])
        bench.step(.unresolved(peer, .timeout), after: .seconds(5))
        bench.step(after: .seconds(9))
        #expect(bench.daemon.asked.count == 2)
        bench.step(after: .seconds(1))
        #expect(bench.daemon.asked.count == 3)
        bench.step(.resolved(peer, address, port: 9, strings: []))
        #expect(bench.takeEvents() == [sighting()])
    }

    @Test func `while the daemon settles its host name nothing is on the air, afterwards everything`() {
        bench.start()
        bench.step(.registering)
        #expect(bench.daemon.published.isEmpty)
        bench.step(.running)
        #expect(bench.daemon.published == [2: .sample])
        #expect(bench.daemon.browsed == [2])
    }

    @Test func `a new interface is used, and services of a removed one are withdrawn`() {
        bench.start()
        bench.step(.appeared(peer), .resolved(peer, address, port: 9, strings: []))
        _ = bench.takeEvents()
        bench.interfaces = [NetworkInterface(name: "wlan0", index: 5)]
        bench.step(after: DiscoveryStation.scanInterval)
        #expect(bench.daemon.published == [5: .sample])
        #expect(bench.daemon.browsed == [5])
        #expect(bench.daemon.resolving.isEmpty)
        #expect(bench.takeEvents() == [.withdrawn(instanceName: "peer", interfaceName: "eth0")])
    }

    @Test func `the interfaces in use and those left alone are reported once for each change`() {
        bench.start()
        let docker = DiscoveryInterfaces.LeftAlone(
            name: "docker0",
            reason: "belongs to containers, virtual machines or a VPN"
        )
        #expect(bench.takeInterfaces() == [DiscoveryInterfaces(used: ["eth0"], leftAlone: [docker], leftOut: [])])
        bench.step(after: DiscoveryStation.scanInterval)
        #expect(bench.takeInterfaces().isEmpty)
        bench.interfaces.remove(at: 0)
        bench.step(after: DiscoveryStation.scanInterval)
        #expect(bench.takeInterfaces() == [DiscoveryInterfaces(used: [], leftAlone: [docker], leftOut: [])])
    }

    @Test func `of hundreds of interfaces as many are used as the daemon has room for, and the rest is reported`() {
        bench.interfaces = (1...600).map {
            NetworkInterface(name: "vl\($0)", index: UInt32($0), hasLinkLocalAddress: true)
        }
        bench.interfaces.append(NetworkInterface(name: "lan9", index: 999, hasRoutableAddress: true))
        bench.start()
        #expect(bench.daemon.published.count == 128 && bench.daemon.browsed.count == 128)
        #expect(bench.daemon.published[999] != nil)
        #expect(bench.takeInterfaces().first?.leftOut.count == 473)
    }

    @Test func `an interface on which another node was seen is kept before its like`() {
        bench.interfaces = (1...128).map { NetworkInterface(name: "vl\($0)", index: UInt32($0 + 200)) }
        bench.start()
        let last = CandidateKey(instanceName: "peer", interface: 328, family: .ipv4)
        bench.step(.appeared(last), .resolved(last, address, port: 9, strings: []))
        // They would all come first.
        bench.interfaces = (1...128).map { NetworkInterface(name: "new\($0)", index: UInt32($0)) } + bench.interfaces
        bench.step(after: DiscoveryStation.scanInterval)
        #expect(bench.daemon.published.count == 128)
        #expect(bench.daemon.published[328] != nil && bench.daemon.published[327] == nil)
        #expect(bench.daemon.resolving == [last])
    }

    @Test func `a browser that failed is made anew`() {
        bench.start()
        bench.step(.browsingFailed(interface: 2, .failure))
        #expect(bench.daemon.browsed.isEmpty)
        bench.step(after: .seconds(1))
        #expect(bench.daemon.browsed == [2])
    }

    @Test func `a flood of services costs 256 open questions and no more`() {
        bench.start()
        for number in 0..<2_000 {
            bench.step(.appeared(CandidateKey(instanceName: "liar\(number)", interface: 2, family: .ipv4)))
        }
        #expect(bench.daemon.resolving.count == 256)
        #expect(bench.daemon.resolving.contains(CandidateKey(instanceName: "liar1999", interface: 2, family: .ipv4)))
    }

    @Test func `a flood of names that do not resolve is queried with growing waits`() {
        bench.start()
        bench.step(.appeared(peer))
        for _ in 0..<3_600 {
            if bench.daemon.resolving.contains(peer) { bench.step(.unresolved(peer, .timeout)) }
            bench.step(after: .seconds(1))
        }
        // Over an hour: 5, 10, 20, 40, 80, 160 s and then every 300 s.
        #expect(bench.daemon.asked.count < 20)
    }

    @Test func `announcements on an unused interface are ignored`() {
        bench.start()
        _ = bench.takeEvents()
        let elsewhere = CandidateKey(instanceName: "peer", interface: 3, family: .ipv4)
        bench.step(.appeared(elsewhere), .resolved(elsewhere, address, port: 9, strings: []))
        #expect(bench.daemon.asked.isEmpty && bench.takeEvents().isEmpty)
    }

    @Test func `closing withdraws the service`() {
        bench.start()
        let daemon = bench.daemon
        bench.station.close()
        #expect(daemon.published.isEmpty && daemon.isClosed)
    }
}
