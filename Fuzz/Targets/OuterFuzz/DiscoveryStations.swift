import FuzzKit
import Logging
import Node
import TestSupport

@testable import Discovery

/// The discovery station fed with any events of the mDNS daemon, in any order, while interfaces come and go.
///
/// Laws: nothing is reported withdrawn that was not sighted, the kept state is bounded, and after a step the next one
/// lies in the future.
let discoveryStationTarget = FuzzTarget(
    "discovery-station",
    inputByteCountMax: 128,
    run: { bytes in
        let program = StationProgram(FuzzInput(bytes))
        program.run()
    },
    seeds: {
        var generator = SeededGenerator(seed: 21)
        // Advertised and running, then anything.
        return (0..<60).map { _ in
            [0, 13, 1, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1] + generator.bytes(20 + Int(generator.next() % 100))
        }
    }
)

/// A daemon whose events and refusals come from the program.
private final class ProgramDaemon: DaemonConnection {
    var pending: [DaemonOccurrence] = []
    var refuses = false
    var isClosed = false
    var resolving: Set<CandidateKey> = []
    var published: Set<UInt32> = []

    func takeOccurrences() -> [DaemonOccurrence] {
        defer { pending = [] }
        return pending
    }
    private func maybe() throws(AvahiError) {
        demand(!isClosed, "no call follows the end")
        if refuses { throw .failure }
    }
    func browse(on interface: UInt32) throws(AvahiError) { try maybe() }
    func stopBrowsing(on interface: UInt32) {}
    func resolve(_ key: CandidateKey) throws(AvahiError) {
        try maybe()
        resolving.insert(key)
    }
    func stopResolving(_ key: CandidateKey) { resolving.remove(key) }
    func publish(_ advertisement: ServiceAdvertisement, on interface: UInt32) throws(AvahiError) {
        try maybe()
        published.insert(interface)
    }
    func withdraw(on interface: UInt32) { published.remove(interface) }
    func close() { isClosed = true }
}

private final class StationProgram {
    private var input: FuzzInput
    private var daemon = ProgramDaemon()
    private var interfaces: [NetworkInterface] = []
    private var refusesToConnect = false
    private var suffixCount = 0
    private var now = ContinuousClock.now
    private var sighted: Set<[String]> = []
    private static let names = (0..<40).map { "n\($0)" }
    private static let errors: [AvahiError] = [.collision, .noDaemon, .disconnected, .timeout, .noMemory, .failure]

    init(_ input: FuzzInput) {
        self.input = input
        interfaces = [NetworkInterface(name: "eth0", index: 2)]
    }

    func run() {
        let station = DiscoveryStation(
            DiscoveryStation.Surroundings(
                policy: InterfacePolicy(),
                interfaces: { [self] in interfaces },
                connect: { [self] () throws(AvahiError) in try connect() },
                report: { [self] in note($0) },
                suffix: { [self] in
                    suffixCount += 1
                    return "s\(suffixCount)"
                },
                logger: Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }
            )
        )
        while !input.isEmpty {
            act(on: station)
            // The clock may stand still between two steps; a step that is due at once would spin.
            now = now.advanced(by: .milliseconds(Int(input.byte()) * Int(input.byte())))
            if let due = station.step(at: now) { demand(due > now, "a driver would spin") }
            demand(station.table.count <= CandidateTable.countMax, "candidates are bounded")
            demand(station.silent.count <= CandidateTable.countMax, "what is asked again is bounded")
            demand(daemon.resolving.count <= CandidateTable.countMax || station.connection == nil, "bounded")
            demand(station.ownNames.count <= DiscoveryStation.ownNameCountMax, "own names are bounded")
        }
        station.close()
    }

    private func connect() throws(AvahiError) -> any DaemonConnection {
        if refusesToConnect { throw .noDaemon }
        daemon = ProgramDaemon()
        return daemon
    }

    private func note(_ event: DiscoveryEvent) {
        switch event {
        case .sighted(let sighting): sighted.insert([sighting.instanceName, sighting.interfaceName])
        case .withdrawn(let instance, let interface):
            demand(sighted.contains([instance, interface]), "only what was sighted is withdrawn")
        case .interfaces(let interfaces):
            demand(interfaces.used.count <= InterfacePolicy.usedCountMax, "the interfaces in use are bounded")
        case .available, .unavailable: break
        }
    }

    private func act(on station: DiscoveryStation) {
        let interface = UInt32(2 + input.below(3))
        // An interface that was never published neither collides nor fails.
        let isPublished = daemon.published.contains(interface)
        switch input.below(15) {
        case 0: daemon.pending.append(.running)
        case 1: daemon.pending.append(input.one(of: [.registering, .waiting]))
        case 2: many(interface, on: station)
        case 3: if isPublished { daemon.pending.append(.published(interface: interface)) }
        case 4: if isPublished { daemon.pending.append(.collided(interface: interface)) }
        case 5:
            let error = input.one(of: Self.errors)
            if isPublished { daemon.pending.append(.publishingFailed(interface: interface, error)) }
        case 6, 7: daemon.pending.append(.appeared(key(interface)))
        case 8: daemon.pending.append(.vanished(key(interface)))
        case 9: daemon.pending.append(.browsingFailed(interface: interface, input.one(of: Self.errors)))
        case 10, 11: resolved(interface)
        case 12: daemon.pending.append(.unresolved(key(interface), input.one(of: Self.errors)))
        case 13:
            let name = input.one(of: Self.names)
            station.advertise(ServiceAdvertisement(instanceName: name, port: 1, attributes: []))
        default: surroundings()
        }
    }

    /// Much at once, so that a short program reaches the bounds; or the end of the daemon.
    private func many(_ interface: UInt32, on station: DiscoveryStation) {
        switch input.below(4) {
        case 0:
            let first = Int(input.byte())
            for number in 0..<Int(input.byte()) {
                let key = CandidateKey(instanceName: "m\(first + number)", interface: interface, family: .ipv4)
                daemon.pending.append(.appeared(key))
            }
        case 1:
            for name in Self.names.prefix(Int(input.byte())) {
                station.advertise(ServiceAdvertisement(instanceName: name, port: 1, attributes: []))
            }
        case 2: break
        default: daemon.pending.append(.failed(input.one(of: Self.errors)))
        }
    }

    private func surroundings() {
        let choice = input.byte()
        refusesToConnect = choice & 1 == 1
        daemon.refuses = choice & 2 == 2
        interfaces = (0..<input.below(4)).map { index in
            NetworkInterface(name: index == 2 ? "docker0" : "eth\(index)", index: UInt32(2 + index))
        }
    }

    private func key(_ interface: UInt32) -> CandidateKey {
        let name = input.below(8) == 7 ? input.text() : input.one(of: Self.names)
        return CandidateKey(instanceName: name, interface: interface, family: input.bool() ? .ipv4 : .ipv6)
    }

    private func resolved(_ interface: UInt32) {
        let address = ResolvedAddress(bytes: [192, 168, 1, input.byte()], text: "192.168.1.1")
        let port = UInt16(input.byte())
        daemon.pending.append(.resolved(key(interface), address, port: port, strings: [input.blob()]))
    }
}
