import CoreMetrics
import Synchronization

// The instruments of swift-metrics in use: counters, gauges and timers under the names of ``Metric``.
extension MetricsPort {
    /// A counter without labels of its own.
    func counter(_ metric: Metric, _ fixed: [(String, String)] = []) -> Counter {
        Counter(label: metric.rawValue, dimensions: fixed, factory: factory)
    }

    /// A gauge.
    func gauge(_ metric: Metric, _ fixed: [(String, String)] = []) -> Meter {
        Meter(label: metric.rawValue, dimensions: fixed, factory: factory)
    }

    /// A histogram of times.
    func timer(_ metric: Metric, _ fixed: [(String, String)] = []) -> CoreMetrics.Timer {
        CoreMetrics.Timer(label: metric.rawValue, dimensions: fixed, factory: factory)
    }
}

extension CoreMetrics.Timer {
    /// Records how long it is since an earlier moment.
    func record(since start: ContinuousClock.Instant) {
        let passed = start.duration(to: .now).components
        recordNanoseconds(passed.seconds * 1_000_000_000 + passed.attoseconds / 1_000_000_000)
    }
}

/// The counters of one family, one for each value of its last label.
///
/// All are there from the start: the counter of an event that has never happened is 0, so that the first time shows
/// as a rise.
struct CounterSet<Label: MetricLabel>: Sendable {
    private let counters: [Label: Counter]

    /// Makes the counters.
    /// - Parameters:
    ///   - metric: The family.
    ///   - port: Keeps them.
    ///   - fixed: The labels before the last one.
    init(_ metric: Metric, _ port: any MetricsPort, _ fixed: [(String, String)] = []) {
        var counters: [Label: Counter] = [:]
        for label in Label.allCases {
            counters[label] = port.counter(metric, fixed + [(Label.name, label.rawValue)])
        }
        self.counters = counters
    }

    /// Counts.
    func add(_ label: Label, _ count: Int = 1) { counters[label]?.increment(by: count) }
}

/// The timers of one family, one for each value of its label.
struct TimerSet<Label: MetricLabel>: Sendable {
    private let timers: [Label: CoreMetrics.Timer]

    /// Makes the timers.
    init(_ metric: Metric, _ port: any MetricsPort) {
        var timers: [Label: CoreMetrics.Timer] = [:]
        for label in Label.allCases { timers[label] = port.timer(metric, [(Label.name, label.rawValue)]) }
        self.timers = timers
    }

    /// Records how long it is since an earlier moment.
    func record(_ label: Label, since start: ContinuousClock.Instant) { timers[label]?.record(since: start) }
}

/// The gauges of one family, one for each value of its label.
struct GaugeSet<Label: MetricLabel>: Sendable {
    private let gauges: [Label: Meter]

    /// Makes the gauges.
    init(_ metric: Metric, _ port: any MetricsPort) {
        var gauges: [Label: Meter] = [:]
        for label in Label.allCases { gauges[label] = port.gauge(metric, [(Label.name, label.rawValue)]) }
        self.gauges = gauges
    }

    /// Sets the number of each; labels that are not named are set to 0.
    func set(_ counts: [Label: Int]) {
        for (label, gauge) in gauges { gauge.set(counts[label] ?? 0) }
    }
}

/// A gauge for each warning that has ever stood.
final class WarningGauges: Sendable {
    private let port: any MetricsPort
    private let gauges = Mutex<[[String]: Meter]>([:])

    /// Begins without any.
    init(_ port: any MetricsPort) { self.port = port }

    /// Sets which warnings are raised now.
    func set(_ warnings: [HealthWarning]) {
        let raised = Set(warnings.map { [$0.code, $0.severity.rawValue] })
        gauges.withLock { gauges in
            for key in raised where gauges[key] == nil {
                gauges[key] = port.gauge(
                    .healthWarnings,
                    [(MetricLabels.code, key[0]), (HealthWarning.Severity.name, key[1])]
                )
            }
            for (key, gauge) in gauges { gauge.set(raised.contains(key) ? 1 : 0) }
        }
    }
}
