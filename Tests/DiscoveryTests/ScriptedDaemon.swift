import Logging
import Node

@testable import Discovery

/// An mDNS daemon that behaves as the test wants, with a record of the requests made of it.
final class ScriptedDaemon: DaemonConnection {
    var pending: [DaemonOccurrence] = []
    var browsed: Set<UInt32> = []
    var asked: [CandidateKey] = []
    var resolving: Set<CandidateKey> = []
    var published: [UInt32: ServiceAdvertisement] = [:]
    var publications = 0
    var isClosed = false
    /// The errors that the next publications throw, first one first.
    var refusals: [AvahiError] = []

    func takeOccurrences() -> [DaemonOccurrence] {
        defer { pending = [] }
        return pending
    }

    func browse(on interface: UInt32) throws(AvahiError) { browsed.insert(interface) }

    func stopBrowsing(on interface: UInt32) { browsed.remove(interface) }

    func resolve(_ key: CandidateKey) throws(AvahiError) {
        asked.append(key)
        resolving.insert(key)
    }

    func stopResolving(_ key: CandidateKey) { resolving.remove(key) }

    func publish(_ advertisement: ServiceAdvertisement, on interface: UInt32) throws(AvahiError) {
        publications += 1
        if !refusals.isEmpty { throw refusals.removeFirst() }
        published[interface] = advertisement
    }

    func withdraw(on interface: UInt32) { published[interface] = nil }

    func close() { isClosed = true }
}

/// A station among scripted surroundings, and a clock that moves only by hand.
final class StationBench {
    var interfaces = [NetworkInterface(name: "eth0", index: 2), NetworkInterface(name: "docker0", index: 3)]
    var daemons: [ScriptedDaemon] = []
    var events: [DiscoveryEvent] = []
    /// The error that connecting throws; `nil` for success.
    var connectError: AvahiError?
    var attempts = 0
    var now = ContinuousClock.now
    private var suffixes = 0
    private(set) lazy var station = makeStation()

    /// The daemon of the present connection.
    var daemon: ScriptedDaemon { daemons[daemons.count - 1] }

    private func makeStation() -> DiscoveryStation {
        DiscoveryStation(
            DiscoveryStation.Surroundings(
                policy: InterfacePolicy(),
                interfaces: { [unowned self] in interfaces },
                connect: { [unowned self] () throws(AvahiError) in try connect() },
                report: { [unowned self] in events.append($0) },
                suffix: { [unowned self] in
                    suffixes += 1
                    return "n\(suffixes)"
                },
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
        )
    }

    private func connect() throws(AvahiError) -> any DaemonConnection {
        attempts += 1
        if let connectError { throw connectError }
        daemons.append(ScriptedDaemon())
        return daemon
    }

    /// Lets things happen at the daemon, then the station act.
    @discardableResult
    func step(_ occurrences: DaemonOccurrence..., after wait: Duration = .zero) -> ContinuousClock.Instant? {
        now = now.advanced(by: wait)
        if !occurrences.isEmpty { daemon.pending += occurrences }
        return station.step(at: now)
    }

    /// Brings the station on the air.
    func start(advertising advertisement: ServiceAdvertisement = .sample) {
        station.advertise(advertisement)
        step()
        step(.running)
    }

    /// Returns the events since the last call, except those of the interfaces.
    func takeEvents() -> [DiscoveryEvent] {
        defer { events = [] }
        return events.filter { if case .interfaces = $0 { false } else { true } }
    }

    /// Returns the interfaces reported since the last call.
    func takeInterfaces() -> [DiscoveryInterfaces] {
        defer { events = [] }
        return events.compactMap { if case .interfaces(let interfaces) = $0 { interfaces } else { nil } }
    }
}

extension ServiceAdvertisement {
    static let sample = ServiceAdvertisement(
        instanceName: "own",
        port: 7_000,
        attributes: [ServiceAttribute(key: "v", value: [1])]
    )
}
