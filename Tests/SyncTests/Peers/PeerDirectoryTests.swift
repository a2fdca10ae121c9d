import Sync
import TestSupport
import Testing
import Wire

@Suite struct PeerDirectoryTests {
    /// A directory with its clock, and the outcomes of its dials.
    private struct Desk {
        var directory = PeerDirectory<String>(localDevice: Sample.device(1))
        var random = SeededGenerator(seed: 9)
        var now: UInt64 = 1_000
        private var number: UInt64 = 0

        mutating func due() -> [(dial: UInt64, address: String, version: ChannelVersion)] {
            var next = number
            let begun = directory.due(at: now) {
                next += 1
                return next
            }
            number = next
            return begun
        }

        mutating func fail(_ dial: UInt64, because obstacle: DialObstacle? = nil) {
            directory.dialFailed(dial, because: obstacle, at: now, random: &random)
        }

        mutating func ignore(_ dial: UInt64) {
            directory.dialIgnored(dial, at: now, random: &random)
        }

        /// The addresses of the dials to begin now.
        mutating func addresses() -> [String] { due().map(\.address) }

        /// Lets time pass up to the next dials.
        mutating func awaitDue() -> [(dial: UInt64, address: String, version: ChannelVersion)] {
            now = max(now, directory.nextDue ?? now)
            return due()
        }
    }

    @Test func `a candidate is dialled once, and an address that two sources name once at a time`() {
        var desk = Desk()
        desk.directory.sighted(instance: "a", address: "10.0.0.2")
        desk.directory.addStatic("10.0.0.2")
        desk.directory.addStatic("10.0.0.3")
        #expect(Set(desk.addresses()) == ["10.0.0.2", "10.0.0.3"])
        #expect(desk.addresses() == [])
        #expect(desk.directory.nextDue == nil)
    }

    @Test func `peers are dialled in the highest version, and a silent one at once in the first version, once`() {
        var desk = Desk()
        desk.directory.addStatic("10.0.0.2")
        let first = desk.due()
        #expect(first.map(\.version) == [.hybrid])
        desk.ignore(first[0].dial)
        let second = desk.due()
        #expect(second.map(\.version) == [.classical] && second.map(\.address) == ["10.0.0.2"])
        // It is silent in that one, too: a failure like any other, and the next attempt begins at the top.
        desk.ignore(second[0].dial)
        #expect(desk.addresses() == [])
        let third = desk.awaitDue()
        #expect(third.map(\.version) == [.hybrid])
        // A device that cannot be reached shows nothing about versions.
        desk.fail(third[0].dial)
        #expect(desk.awaitDue().map(\.version) == [.hybrid])
    }

    @Test func `an address that is new is dialled in the highest version, whatever an older one was due for`() {
        var desk = Desk()
        desk.directory.sighted(instance: "a", address: "10.0.0.2")
        desk.ignore(desk.due()[0].dial)
        desk.directory.sighted(instance: "a", address: "10.0.0.3")
        #expect(desk.due().map { "\($0.address) \($0.version)" } == ["10.0.0.3 hybrid"])
    }

    @Test func `a device with which more was spoken is never dialled in the first version`() {
        var desk = Desk()
        let device = Sample.device(2)
        let steps = [
            desk.directory.pin(device, at: .classical), desk.directory.pin(device, at: .hybrid),
            desk.directory.pin(device, at: .classical), desk.directory.pin(device, at: .hybrid),
        ]
        #expect(steps == [true, true, false, false] && desk.directory.pins[device] == .hybrid)
        desk.directory.remember(device, addresses: ["10.0.0.2"])
        for _ in 0..<5 {
            let begun = desk.awaitDue()
            #expect(begun.map(\.version) == [.hybrid])
            desk.ignore(begun[0].dial)
            #expect(desk.addresses() == [])
        }
        // One with which the first version was spoken may be old.
        _ = desk.directory.pin(Sample.device(3), at: .classical)
        desk.directory.remember(Sample.device(3), addresses: ["10.0.0.3"])
        desk.ignore(desk.due()[0].dial)
        #expect(desk.due().map { "\($0.address) \($0.version)" } == ["10.0.0.3 classical"])
    }

    @Test func `a device that refuses a session is called in another way next, and that one is kept`() {
        var desk = Desk()
        func ways(_ address: String) -> [String] { ["10.0.0.2 first", "10.0.0.2 second", "10.0.0.2 third"] }
        desk.directory.sighted(instance: "a", address: "10.0.0.2 first")
        var called: [String] = []
        for _ in 0..<4 {
            let begun = desk.awaitDue()[0]
            called.append(begun.address)
            desk.directory.connected(dial: begun.dial, device: Sample.device(2))
            desk.directory.disconnected(device: Sample.device(2), at: desk.now, random: &desk.random)
            if begun.address != "10.0.0.2 second" {
                desk.directory.turnedAway(by: Sample.device(2), alternatives: ways)
            }
        }
        #expect(called == ["first", "second", "second", "second"].map { "10.0.0.2 \($0)" })
    }

    @Test func `a device that refuses a session changes no way to another device, nor one that is being tried`() {
        var desk = Desk()
        func ways(_ address: String) -> [String] { ["\(address) second"] }
        let (refusing, other) = (Sample.device(2), Sample.device(3))
        desk.directory.remember(refusing, addresses: ["10.0.0.2"])
        desk.directory.remember(other, addresses: ["10.0.0.3", "10.0.0.4"])
        desk.directory.turnedAway(by: refusing, alternatives: ways)
        #expect(Set(desk.addresses()) == ["10.0.0.2 second", "10.0.0.3"])
        desk.directory.turnedAway(by: other, alternatives: ways)
        #expect(desk.directory.addresses(of: other).map(\.address) == ["10.0.0.3", "10.0.0.4"])
    }

    @Test func `a peer that refuses is dialled in another way at once, and not again for minutes`() {
        var desk = Desk()
        desk.directory.sighted(instance: "a", address: "10.0.0.2 first")
        func ways(_ address: String) -> [String] { ["10.0.0.2 first", "10.0.0.2 second"] }
        let first = desk.due()[0].dial
        desk.directory.refused(first, at: desk.now, random: &desk.random, alternatives: ways)
        let next = desk.due()
        #expect(next.map(\.address) == ["10.0.0.2 second"])
        desk.directory.refused(next[0].dial, at: desk.now, random: &desk.random, alternatives: ways)
        #expect(desk.directory.nextDue.map { $0 >= desk.now + Backoff.refusalMilliseconds / 2 } == true)
    }

    @Test func `without an answer other ways are tried behind the first, until they lead nowhere any more`() {
        var desk = Desk()
        func ways(_ address: String, _ device: DeviceID?) -> [String] {
            address.contains(" ") || device != Sample.device(2) ? [] : ["\(address) earlier"]
        }
        _ = desk.directory.pin(Sample.device(2), at: .hybrid)
        desk.directory.remember(Sample.device(2), addresses: ["10.0.0.2"])
        for _ in 0..<3 {
            let dial = desk.awaitDue()[0].dial
            desk.directory.dialIgnored(dial, at: desk.now, random: &desk.random, alternatives: ways)
        }
        #expect(desk.directory.addresses(of: Sample.device(2)).map(\.address) == ["10.0.0.2", "10.0.0.2 earlier"])
        var begun = desk.awaitDue()
        if begun[0].address == "10.0.0.2" {
            desk.directory.dialIgnored(begun[0].dial, at: desk.now, random: &desk.random, alternatives: ways)
            begun = desk.awaitDue()
        }
        #expect(begun.map(\.address) == ["10.0.0.2 earlier"])
        desk.directory.connected(dial: begun[0].dial, device: Sample.device(2))
        desk.directory.forgetAddresses(of: Sample.device(2)) { $0.contains(" ") }
        desk.directory.disconnected(device: Sample.device(2), at: desk.now, random: &desk.random)
        #expect(desk.awaitDue().map(\.address) == ["10.0.0.2"])
        // A candidate of which nothing is left is gone.
        desk.directory.sighted(instance: "a", address: "10.0.0.3 earlier")
        let dial = desk.awaitDue()[0].dial
        desk.directory.connected(dial: dial, device: Sample.device(3))
        desk.directory.forgetAddresses(of: Sample.device(3)) { $0.contains(" ") }
        #expect(desk.directory.addresses(of: Sample.device(3)).isEmpty)
    }

    @Test func `a program that speaks the first version only dials in no other`() {
        var directory = PeerDirectory<String>(localDevice: Sample.device(1), newest: .classical)
        var random = SeededGenerator(seed: 9)
        directory.addStatic("10.0.0.2")
        let begun = directory.due(at: 1_000) { 1 }
        #expect(begun.map(\.version) == [.classical])
        directory.dialIgnored(1, at: 1_000, random: &random)
        #expect(directory.due(at: 1_000) { 2 }.isEmpty)
    }

    @Test func `two candidates of one device are not dialled at once, or each side could keep the other's session`() {
        var desk = Desk()
        desk.directory.sighted(instance: "a", address: "10.0.0.2")
        let dial = desk.due()[0].dial
        desk.directory.connected(dial: dial, device: Sample.device(2))
        desk.directory.remember(Sample.device(2), addresses: ["10.0.0.3"])
        desk.directory.disconnected(device: Sample.device(2), at: desk.now, random: &desk.random)
        desk.now += 60_000
        let first = desk.due()
        #expect(first.count == 1)
        #expect(desk.addresses() == [])
        // An address that does not answer does not hold up the other one for long.
        #expect(desk.directory.nextDue == desk.now + PeerDirectory<String>.raceMilliseconds)
        #expect(desk.awaitDue().count == 1)
        #expect(desk.directory.nextDue == nil)
    }

    @Test func `at most eight dials are under way, and the timer rests meanwhile`() {
        var desk = Desk()
        for index in 0..<20 { desk.directory.addStatic("10.0.0.\(index)") }
        let first = desk.due()
        #expect(first.count == 8)
        #expect(desk.addresses() == [])
        #expect(desk.directory.nextDue == nil)
        desk.fail(first[0].dial)
        #expect(desk.addresses().count == 1)
    }

    @Test func `a failure moves to the next address, and waits when all were tried`() throws {
        var desk = Desk()
        desk.directory.remember(Sample.device(2), addresses: ["a", "b", "c"])
        var tried: [String] = []
        for _ in 0..<3 {
            let dial = try #require(desk.due().first)
            tried.append(dial.address)
            desk.fail(dial.dial)
        }
        #expect(tried == ["a", "b", "c"])
        #expect(desk.addresses() == [])
        let next = try #require(desk.directory.nextDue)
        #expect((desk.now + 250...desk.now + 500).contains(next))
        #expect(desk.awaitDue().first?.address == "a")
    }

    @Test func `a node that turns out to be this one is never dialled again`() throws {
        var desk = Desk()
        desk.directory.sighted(instance: "a", address: "here")
        let dial = try #require(desk.due().first)
        desk.directory.connected(dial: dial.dial, device: Sample.device(1))
        desk.directory.sighted(instance: "a", address: "also here")
        desk.now += 1_000_000
        #expect(desk.addresses() == [])
        #expect(desk.directory.nextDue == nil)
        #expect(desk.directory.searchAddresses.isEmpty)
    }

    @Test func `a device rests while it is connected, and is redialled a little later with jitter`() throws {
        var times: Set<UInt64> = []
        for seed in 0..<20 as Range<UInt64> {
            var desk = Desk()
            desk.random = SeededGenerator(seed: seed)
            desk.directory.sighted(instance: "a", address: "there")
            desk.directory.remember(Sample.device(2), addresses: ["elsewhere"])
            let dial = try #require(desk.due().first { $0.address == "there" })
            desk.directory.connected(dial: dial.dial, device: Sample.device(2))
            desk.now += 60_000
            #expect(desk.addresses() == [])
            #expect(desk.directory.nextDue == nil)
            desk.directory.disconnected(device: Sample.device(2), at: desk.now, random: &desk.random)
            #expect(desk.addresses() == [])
            let next = try #require(desk.directory.nextDue)
            #expect((desk.now + 250...desk.now + 500).contains(next))
            times.insert(next)
        }
        #expect(times.count > 10)
    }

    @Test func `a device that connected to us is not dialled`() {
        var desk = Desk()
        desk.directory.remember(Sample.device(2), addresses: ["there"])
        desk.directory.connected(dial: nil, device: Sample.device(2))
        #expect(desk.addresses() == [])
    }

    @Test func `sessions that end at once are begun less and less often`() throws {
        var desk = Desk()
        desk.directory.addStatic("there")
        let start = desk.now
        for _ in 0..<20 {
            let dial = try #require(desk.awaitDue().first)
            desk.now += 50
            desk.directory.connected(dial: dial.dial, device: Sample.device(2))
            desk.directory.disconnected(device: Sample.device(2), at: desk.now, random: &desk.random)
        }
        #expect(desk.now - start > 150_000)
        // A session that lasted makes up for it.
        let dial = try #require(desk.awaitDue().first)
        desk.directory.connected(dial: dial.dial, device: Sample.device(2))
        desk.now += 60_000
        desk.directory.disconnected(device: Sample.device(2), at: desk.now, random: &desk.random)
        #expect(try #require(desk.directory.nextDue) <= desk.now + 500)
    }

    @Test func `a flood of sightings displaces neither configured nor remembered peers, and is bounded`() {
        var desk = Desk()
        desk.directory.addStatic("configured")
        desk.directory.remember(Sample.device(2), addresses: ["remembered"])
        for index in 0..<5_000 { desk.directory.sighted(instance: "i\(index)", address: "flood \(index)") }
        let addresses = desk.directory.searchAddresses
        #expect(addresses.contains("configured"))
        #expect(addresses.contains("remembered"))
        #expect(addresses.contains("flood 4999"))
        #expect(addresses.count <= PeerDirectory<String>.candidateCountMax + 1)
    }

    @Test func `one instance has few addresses, the newest of them first`() {
        var desk = Desk()
        for index in 0..<100 { desk.directory.sighted(instance: "i", address: "\(index)") }
        #expect(desk.directory.searchAddresses.count == PeerDirectory<String>.addressCountMax)
        #expect(desk.addresses() == ["99"])
    }

    @Test func `a candidate that can be reached gets its turn among many that cannot`() throws {
        var desk = Desk()
        for index in 0..<60 { desk.directory.sighted(instance: "i\(index)", address: "nowhere \(index)") }
        // Each dial takes ten seconds to fail.
        var failures: [(at: UInt64, dial: UInt64)] = []
        func step(_ desk: inout Desk) -> [String] {
            let begun = desk.due()
            failures += begun.map { (desk.now + 10_000, $0.dial) }
            let next = failures.removeFirst()
            desk.now = max(desk.now, next.at)
            desk.fail(next.dial)
            return begun.map(\.address)
        }
        for _ in 0..<120 { _ = step(&desk) }
        desk.directory.sighted(instance: "real", address: "there")
        let start = desk.now
        while !step(&desk).contains("there") { try #require(desk.now < start + 15_000) }
        // And again, when its first dial failed: at the latest after all others had theirs.
        var isAgain = false
        while !isAgain {
            isAgain = step(&desk).contains("there")
            try #require(desk.now < start + 200_000)
        }
    }

    @Test func `a withdrawn address is not dialled, whatever becomes of its last dial`() throws {
        var desk = Desk()
        desk.directory.sighted(instance: "a", address: "there")
        let dial = try #require(desk.due().first)
        desk.directory.withdrawn(instance: "a")
        desk.fail(dial.dial)
        desk.now += 1_000_000
        #expect(desk.addresses() == [])
    }

    @Test func `few dials are under way and the timer never spins, whatever happens`() {
        for seed in 0..<100 as Range<UInt64> {
            var desk = Desk()
            desk.random = SeededGenerator(seed: seed)
            var dials: [UInt64] = []
            var connected: Set<Int> = []
            for _ in 0..<300 {
                let number = Int.random(in: 1...6, using: &desk.random)
                switch Int.random(in: 0..<7, using: &desk.random) {
                case 0: desk.directory.sighted(instance: "i\(number)", address: "a\(number)")
                case 1: desk.directory.withdrawn(instance: "i\(number)")
                case 2: desk.directory.remember(Sample.device(number + 1), addresses: ["a\(number)"])
                case 3:
                    guard let dial = dials.popLast() else { continue }
                    desk.fail(dial)
                case 4:
                    guard let dial = dials.popLast() else { continue }
                    desk.directory.connected(dial: dial, device: Sample.device(number + 1))
                    connected.insert(number + 1)
                case 5:
                    guard let device = connected.min() else { continue }
                    connected.remove(device)
                    desk.directory.disconnected(device: Sample.device(device), at: desk.now, random: &desk.random)
                default: desk.now += UInt64.random(in: 0...20_000, using: &desk.random)
                }
                let begun = desk.due()
                dials += begun.map(\.dial)
                #expect(dials.count <= 8, "seed \(seed)")
                #expect(desk.directory.nextDue.map { $0 > desk.now } ?? true, "seed \(seed)")
            }
        }
    }

    @Test func `the same news from the same seed leads to the same dials`() {
        func history() -> [String] {
            var desk = Desk()
            for number in 0..<6 { desk.directory.sighted(instance: "i\(number)", address: "a\(number)") }
            let begun = desk.due()
            for dial in begun.map(\.dial) { desk.directory.connected(dial: dial, device: Sample.device(2)) }
            let search = desk.directory.searchAddresses
            desk.directory.disconnected(device: Sample.device(2), at: desk.now, random: &desk.random)
            return search + (0..<6).flatMap { _ in desk.awaitDue().map(\.address) }
        }
        let first = history()
        #expect(first.count == 12)
        // Tables of one program order their keys differently each time they are made.
        for _ in 0..<20 { #expect(history() == first) }
    }

    @Test func `a peer that refuses is not dialled for minutes, until the account changes`() throws {
        var desk = Desk()
        desk.directory.sighted(instance: "a", address: "10.0.0.2")
        let first = try #require(desk.due().first)
        desk.directory.refused(first.dial, at: desk.now, random: &desk.random)
        let due = try #require(desk.directory.nextDue)
        #expect((desk.now + 300_000...desk.now + 600_000).contains(due))
        desk.now += 299_000
        #expect(desk.addresses() == [])
        desk.directory.forgetRefusals()
        #expect(desk.addresses() == ["10.0.0.2"])
    }

    @Test func `a change of the account does not speed up dials of peers that only did not answer`() throws {
        var desk = Desk()
        desk.directory.sighted(instance: "a", address: "10.0.0.2")
        let first = try #require(desk.due().first)
        desk.fail(first.dial)
        let due = desk.directory.nextDue
        desk.directory.forgetRefusals()
        #expect(desk.directory.nextDue == due)
    }

    // MARK: In sight, and not reached

    @Test func `an instance is in trouble once all its addresses have failed, and out of it when it is reached`() {
        var desk = Desk()
        desk.directory.sighted(instance: "a", address: "10.0.0.2")
        desk.directory.sighted(instance: "a", address: "fe80::2")
        desk.directory.addStatic("10.0.0.9")
        var begun = desk.due()
        while let dial = begun.popLast() { desk.fail(dial.dial, because: .silence) }
        #expect(desk.directory.troubledInstances.isEmpty, "one address is left")
        let first = desk.now
        begun = desk.awaitDue()
        while let dial = begun.popLast() { desk.fail(dial.dial, because: .refused) }
        let trouble = desk.directory.troubledInstances
        #expect(trouble.map(\.name) == ["a"], "a configured peer may be off")
        #expect(trouble.first?.trouble.obstacle == .refused)
        #expect(trouble.first?.trouble.since == first)
        #expect(trouble.first?.device == nil)
        desk.directory.setStatic([])
        desk.directory.connected(dial: desk.awaitDue()[0].dial, device: Sample.device(2))
        #expect(desk.directory.troubledInstances.isEmpty)
        desk.directory.disconnected(device: Sample.device(2), at: desk.now, random: &desk.random)
        #expect(desk.directory.troubledInstances.isEmpty, "what failed before counts no more")
    }

    @Test func `an instance is not in trouble while its device is connected some other way, or it is gone`() {
        var desk = Desk()
        desk.directory.sighted(instance: "a", address: "10.0.0.2")
        desk.directory.connected(dial: desk.due()[0].dial, device: Sample.device(2))
        desk.directory.disconnected(device: Sample.device(2), at: desk.now, random: &desk.random)
        desk.fail(desk.awaitDue()[0].dial, because: .silence)
        #expect(desk.directory.troubledInstances.map(\.device) == [Sample.device(2)])
        desk.directory.connected(dial: nil, device: Sample.device(2))
        #expect(desk.directory.troubledInstances.isEmpty)
        desk.directory.sighted(instance: "b", address: "10.0.0.3")
        desk.fail(desk.awaitDue()[0].dial, because: .noRoute("no route to host"))
        #expect(desk.directory.troubledInstances.map(\.name) == ["b"])
        desk.directory.withdrawn(instance: "b")
        #expect(desk.directory.troubledInstances.isEmpty)
    }

    @Test func `a dial that was not made, or met a refused peer, is not a failure`() {
        var desk = Desk()
        desk.directory.sighted(instance: "a", address: "10.0.0.2")
        desk.fail(desk.due()[0].dial)
        desk.directory.refused(desk.awaitDue()[0].dial, at: desk.now, random: &desk.random)
        #expect(desk.directory.troubledInstances.isEmpty)
    }
}
