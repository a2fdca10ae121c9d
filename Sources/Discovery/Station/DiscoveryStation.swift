internal import Logging
internal import Node

/// Decides what to publish, browse and ask for, and what to report to the caller; knows no Avahi and no thread.
///
/// Driven from outside: `step(at:)` after every occurrence and whenever the time it returned has come. Robust against a
/// daemon that goes away at any moment: the station's aims are in its own state, the requests sent to the daemon are
/// in `links`, and a new connection simply begins with empty links.
final class DiscoveryStation {
    /// The dependencies of the station.
    struct Surroundings {
        /// The choice of interfaces.
        var policy: InterfacePolicy
        /// The interfaces there are just now.
        var interfaces: () -> [NetworkInterface]
        /// Opens a connection to the mDNS daemon.
        var connect: () throws(AvahiError) -> any DaemonConnection
        /// Takes reports.
        var report: (DiscoveryEvent) -> Void
        /// A few random characters, for another name when ours is taken.
        var suffix: () -> String
        /// The log for facts that an operator may want to know.
        var logger: Logger
    }

    /// One interface in use.
    struct Link {
        var name: String
        var isBrowsing = false
        /// The advertisement that the daemon was asked to publish.
        var published: ServiceAdvertisement?
        /// The name used here after a collision.
        var alias: String?
        var publishRetry = RetrySchedule(first: .milliseconds(500), last: .seconds(60))
        var browseRetry = RetrySchedule(first: .seconds(1), last: .seconds(60))
    }

    /// The interval at which the interfaces are scanned; a new one is in use after at most this time.
    static let scanInterval: Duration = .seconds(5)
    /// The time that a new connection to the daemon has to confirm the candidates of an earlier one.
    static let confirmationTime: Duration = .seconds(15)
    /// The number of remembered interfaces on which other nodes were seen; containers make new ones all the time.
    static let familiarCountMax = 256
    /// The number of our own names that are remembered, to recognise our own echo.
    static let ownNameCountMax = 32

    let surroundings: Surroundings
    var connection: (any DaemonConnection)?
    var isRunning = false
    var links: [UInt32: Link] = [:]
    var table = CandidateTable()
    /// Candidates that do not answer, and when to ask them again.
    var silent: [CandidateKey: RetrySchedule] = [:]
    var advertisement: ServiceAdvertisement?
    var ownNames: [String] = []
    /// The names of interfaces on which another node was seen.
    var familiar: Set<String> = []
    /// The choice of interfaces that was reported last.
    var reportedInterfaces: DiscoveryInterfaces?
    /// The last report on whether mDNS works.
    private var condition: DiscoveryEvent?
    private var reconnect = RetrySchedule(first: .milliseconds(250), last: .seconds(10))
    private var scanDue: ContinuousClock.Instant?
    private var confirmDue: ContinuousClock.Instant?

    /// A station that has done nothing yet.
    init(_ surroundings: Surroundings) {
        self.surroundings = surroundings
    }

    /// Publishes a service instead of the one published before, from the next step on.
    func advertise(_ advertisement: ServiceAdvertisement) {
        self.advertisement = advertisement
        remember(ownName: advertisement.instanceName)
        for index in links.keys {
            links[index]?.alias = nil
            links[index]?.publishRetry.succeeded()
        }
    }

    /// Performs all due actions.
    /// - Parameter now: The present.
    /// - Returns: The time of the next call even if nothing occurs; `nil` for never.
    func step(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        connectIfDue(at: now)
        for occurrence in connection?.takeOccurrences() ?? [] {
            // A failure ends the connection; its remaining occurrences are void.
            guard connection != nil else { break }
            handle(occurrence, at: now)
        }
        if connection != nil {
            if isRunning, scanDue.map({ $0 <= now }) ?? true {
                scanInterfaces()
                scanDue = now.advanced(by: Self.scanInterval)
            }
            serveLinks(at: now)
            askAgain(at: now)
        }
        if let due = confirmDue, due <= now {
            confirmDue = nil
            for key in table.unconfirmed { forget(key) }
        }
        return nextDue()
    }

    /// Takes everything off the air and ends.
    func close() {
        for index in links.keys { connection?.withdraw(on: index) }
        connection?.close()
        connection = nil
        isRunning = false
        links.removeAll()
    }

    /// Reports that mDNS works or does not, once for each change.
    func report(condition event: DiscoveryEvent) {
        guard condition != event else { return }
        condition = event
        surroundings.report(event)
        switch event {
        case .unavailable(let reason):
            // The node raises a warning if it lasts.
            surroundings.logger.info("mDNS does not work at present", metadata: ["reason": "\(reason)"])
        default:
            surroundings.logger.info("mDNS works")
        }
    }

    /// Reports that a service is gone.
    func report(_ withdrawal: CandidateTable.Withdrawal) {
        surroundings.report(
            .withdrawn(instanceName: withdrawal.instanceName, interfaceName: withdrawal.interfaceName)
        )
    }

    /// Remembers a name as our own.
    func remember(ownName name: String) {
        guard !ownNames.contains(name) else { return }
        ownNames.append(name)
        if ownNames.count > Self.ownNameCountMax { ownNames.removeFirst() }
    }

    /// Notes that the daemon is ready.
    func began(at now: ContinuousClock.Instant) {
        reconnect.succeeded()
        isRunning = true
        scanDue = nil
        if links.isEmpty { confirmDue = now.advanced(by: Self.confirmationTime) }
        report(condition: .available)
    }

    /// Drops the connection, which is made again after a while.
    func lost(_ error: AvahiError, at now: ContinuousClock.Instant) {
        connection?.close()
        connection = nil
        isRunning = false
        links.removeAll()
        silent.removeAll()
        table.beginAnew()
        confirmDue = nil
        reconnect.failed(at: now)
        report(condition: .unavailable(reason: error.description))
    }

    private func connectIfDue(at now: ContinuousClock.Instant) {
        guard connection == nil, reconnect.due == nil || reconnect.isDue(at: now) else { return }
        reconnect.began()
        do {
            connection = try surroundings.connect()
        } catch {
            reconnect.failed(at: now)
            report(condition: .unavailable(reason: error.description))
        }
    }

    private func nextDue() -> ContinuousClock.Instant? {
        var dues = [reconnect.due, confirmDue]
        if isRunning {
            dues.append(scanDue)
            dues += links.values.flatMap { [$0.publishRetry.due, $0.browseRetry.due] }
            dues += silent.values.map(\.due)
        }
        return dues.compactMap(\.self).min()
    }
}
