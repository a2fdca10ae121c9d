import KairanInterface
import CoreMetrics
import Sync
import Wire

/// The metrics of a node: counters that run while it works, and gauges that are set when they are read.
final class NodeMetrics: Sendable {
    let port: any MetricsPort
    let commits: CommitMetrics
    let mail: MailMetrics

    let anomalies: CounterSet<Anomaly.Kind>
    let operationsWritten: Counter
    let operationsReceived: Counter
    let operationsAcknowledged: Counter
    let messagesSent: Counter
    let messagesReceived: Counter
    let messagesFinished: Counter

    let state: GaugeSet<DaemonStatus.State>
    let warnings: WarningGauges
    let relays: GaugeSet<Relay.State>
    let storeReadable: Meter
    let peersConnected: Meter
    let zones: Meter
    let operationsPending: Meter
    let inboxMessages: Meter
    let assets: Meter
    let assetsHeld: Meter
    let assetsWanted: Meter
    let parcelsWaiting: Meter

    /// Makes the metrics of a node.
    /// - Parameter port: The store of the metrics.
    init(_ port: any MetricsPort) {
        self.port = port
        commits = CommitMetrics(port)
        mail = MailMetrics(port)
        anomalies = CounterSet(.anomalies, port)
        operationsWritten = port.counter(.operationsWritten)
        operationsReceived = port.counter(.operationsReceived)
        operationsAcknowledged = port.counter(.operationsAcknowledged)
        messagesSent = port.counter(.messagesSent)
        messagesReceived = port.counter(.messagesReceived)
        messagesFinished = port.counter(.messagesFinished)
        state = GaugeSet(.nodeState, port)
        warnings = WarningGauges(port)
        relays = GaugeSet(.relays, port)
        storeReadable = port.gauge(.storeReadable)
        peersConnected = port.gauge(.peersConnected)
        zones = port.gauge(.zones)
        operationsPending = port.gauge(.operationsPending)
        inboxMessages = port.gauge(.inboxMessages)
        assets = port.gauge(.assets)
        assetsHeld = port.gauge(.assetsHeld)
        assetsWanted = port.gauge(.assetsWanted)
        parcelsWaiting = port.gauge(.parcelsWaiting)
        port.gauge(.buildInfo, [(MetricLabels.version, Node.version)]).set(1)
    }

    /// Counts the operations by which a commit made logs grow.
    /// - Parameters:
    ///   - commit: The durable commit.
    ///   - device: This device: growth of its logs was written here, except for operations that come back to a store
    ///     that was lost.
    func count(_ commit: CommitNotice, writtenBy device: DeviceID) {
        var (written, received) = (0, 0)
        for change in commit.zones {
            for (key, before) in change.before {
                guard let log = change.snapshot.logs[key], log.size > before else { continue }
                let grown = Int(clamping: log.size - before)
                if log.device == device { written += grown } else { received += grown }
            }
        }
        if written > 0 { operationsWritten.increment(by: written) }
        if received > 0 { operationsReceived.increment(by: received) }
    }
}

/// The metrics of the commit queue.
struct CommitMetrics: Sendable {
    let seconds: CoreMetrics.Timer
    let jobs: Counter
    let failures: Counter
    let refusals: Counter
    let waiting: Meter

    init(_ port: any MetricsPort) {
        seconds = port.timer(.commitSeconds)
        jobs = port.counter(.commitJobs)
        failures = port.counter(.commitFailures)
        refusals = port.counter(.commitRefusals)
        waiting = port.gauge(.commitQueue)
    }
}

/// The metrics of the parcels that this device leaves and takes.
struct MailMetrics: Sendable {
    let left: Counter
    let taken: CounterSet<ParcelTaking>
    let missing: Counter
    let foreign: Counter

    init(_ port: any MetricsPort) {
        left = port.counter(.parcelsLeft)
        taken = CounterSet(.parcelsTaken, port)
        missing = port.counter(.parcelsMissing)
        foreign = port.counter(.parcelsForeign)
    }
}

/// The metrics of a relay: counters, and gauges that are set when they are read.
struct RelayMetrics: Sendable {
    let closed: CounterSet<RelayEnding>
    let requests: CounterSet<RelayRequest>
    let answers: CounterSet<RelayAnswer>
    let storageSeconds: TimerSet<RelayOperation>
    let storageFailures: CounterSet<RelayOperation>
    let expired: Counter

    let sessions: Meter
    let sessionsEntered: Meter
    let sessionsMax: Meter
    let storageReachable: Meter
    let storageFindings: Meter
    let parcels: Meter
    let bytes: Meter
    let room: Meter
    let admissions: Meter
    let admissionsMax: Meter
    let quotas: Meter
    let fullest: Meter

    init(_ port: any MetricsPort) {
        closed = CounterSet(.relaySessionsClosed, port)
        requests = CounterSet(.relayRequests, port)
        answers = CounterSet(.relayAnswers, port)
        storageSeconds = TimerSet(.relayStorageSeconds, port)
        storageFailures = CounterSet(.relayStorageFailures, port)
        expired = port.counter(.relayExpired)
        sessions = port.gauge(.relaySessions)
        sessionsEntered = port.gauge(.relaySessionsEntered)
        sessionsMax = port.gauge(.relaySessionsMax)
        storageReachable = port.gauge(.relayStorageReachable)
        storageFindings = port.gauge(.relayStorageFindings)
        parcels = port.gauge(.relayParcels)
        bytes = port.gauge(.relayBytes)
        room = port.gauge(.relayRoom)
        admissions = port.gauge(.relayAdmissions)
        admissionsMax = port.gauge(.relayAdmissionsMax)
        quotas = port.gauge(.relayQuotas)
        fullest = port.gauge(.relayFullest)
    }
}
