package import CoreMetrics
package import Node
import Synchronization

/// Keeps counters, gauges and histograms in memory, and writes them as Prometheus reads them.
///
/// The registry keeps declared series only: it makes none for a name that no family has, another kind or other
/// labels.
///
/// Bound: ``usualSeriesCountMax`` series in all unless set otherwise, each for as long as the registry. Overflow
/// policy: beyond the bound, the registry makes no further series, and ignores values recorded in one;
/// `kairan_metrics_refused_total` counts the attempts, and the existing series go on.
///
/// Recording takes no lock except a histogram's or a gauge's own. Making a series takes the registry's lock, so code
/// that records often should keep the series.
package final class MetricRegistry: MetricsFactory, MetricsPort {
    /// The default maximum number of series.
    package static let usualSeriesCountMax = 4_096

    private struct State {
        /// By the name of the family, and by the labels as they are written.
        var series: [String: [String: Series]] = [:]
        var count = 0
    }

    private let families: [MetricFamily]
    private let byName: [String: MetricFamily]
    private let seriesCountMax: Int
    private let state = Mutex(State())
    private let refusedAsFull = CounterSeries()
    private let refusedAsUndeclared = CounterSeries()

    /// Makes a registry without series.
    /// - Parameters:
    ///   - families: The declared families.
    ///   - seriesCountMax: The maximum number of series.
    package init(
        families: [MetricFamily] = Metric.allCases.map(\.family),
        seriesCountMax: Int = MetricRegistry.usualSeriesCountMax
    ) {
        self.families = families
        byName = Dictionary(families.map { ($0.name, $0) }) { first, _ in first }
        self.seriesCountMax = seriesCountMax
    }

    /// The registry itself.
    package var factory: any MetricsFactory { self }

    /// Writes all series, family by family in the order of their declaration.
    ///
    /// Each series is read separately: values recorded meanwhile may be in one and not in another.
    /// - Complexity: O(series).
    package func text() -> String {
        var all = state.withLock { $0.series }
        let process = ProcessReading()
        for (metric, value) in process.values { all[metric.rawValue] = ["": .reading(value)] }
        all[Metric.metricsRefused.rawValue] = [
            Self.refusalLabels(.full): .counter(refusedAsFull),
            Self.refusalLabels(.undeclared): .counter(refusedAsUndeclared),
        ]
        var text = ExpositionText()
        for family in families {
            guard let series = all[family.name], !series.isEmpty else { continue }
            text.begin(family)
            for (labels, series) in series.sorted(by: { $0.key < $1.key }) { text.add(series, labels, of: family) }
        }
        return text.text
    }

    private static func refusalLabels(_ refusal: SeriesRefusal) -> String {
        ExpositionText.labels([(SeriesRefusal.name, refusal.rawValue)])
    }

    // MARK: MetricsFactory

    /// Makes a counter, or finds the one that there is.
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        guard case .counter(let counter)? = series(label, dimensions, makeIf: { $0 == .counter ? .counter() : nil })
        else { return NOOPMetricsHandler.instance }
        return counter
    }

    /// Makes a gauge, or finds the one that there is.
    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        guard case .gauge(let gauge)? = series(label, dimensions, makeIf: { $0 == .gauge ? .gauge() : nil })
        else { return NOOPMetricsHandler.instance }
        return gauge
    }

    /// Makes a histogram where values are to be summed up, and a gauge where the last one counts.
    package func makeRecorder(
        label: String,
        dimensions: [(String, String)],
        aggregate: Bool
    ) -> any RecorderHandler {
        if aggregate { return histogram(label, dimensions) ?? NOOPMetricsHandler.instance }
        guard case .gauge(let gauge)? = series(label, dimensions, makeIf: { $0 == .gauge ? .gauge() : nil })
        else { return NOOPMetricsHandler.instance }
        return gauge
    }

    /// Makes a histogram of seconds, or finds the one that there is.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        histogram(label, dimensions) ?? NOOPMetricsHandler.instance
    }

    /// Changes nothing: a counter that began again would look like a restart.
    package func destroyCounter(_ handler: any CounterHandler) {}
    /// Changes nothing.
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    /// Changes nothing.
    package func destroyMeter(_ handler: any MeterHandler) {}
    /// Changes nothing.
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Changes nothing.
    package func destroyTimer(_ handler: any TimerHandler) {}

    // MARK: Series

    private func histogram(_ name: String, _ dimensions: [(String, String)]) -> HistogramSeries? {
        let found = series(name, dimensions) { kind in
            guard case .histogram(let bounds) = kind else { return nil }
            return .histogram(HistogramSeries(bounds: bounds))
        }
        guard case .histogram(let histogram)? = found else { return nil }
        return histogram
    }

    /// The series with these labels.
    /// - Parameters:
    ///   - name: The family's name.
    ///   - dimensions: The labels, in any order.
    ///   - make: Makes one for a family of the right kind.
    /// - Returns: The existing one, or a new one; `nil` when it is refused.
    private func series(
        _ name: String,
        _ dimensions: [(String, String)],
        makeIf make: (MetricFamily.Kind) -> Series?
    ) -> Series? {
        guard let family = byName[name], let labels = Self.labels(dimensions, of: family),
            let new = make(family.kind)
        else {
            refusedAsUndeclared.increment(by: 1)
            return nil
        }
        let found: Series? = state.withLock { state in
            if let known = state.series[name]?[labels] { return known }
            guard state.count < seriesCountMax else { return nil }
            state.count += 1
            state.series[name, default: [:]][labels] = new
            return new
        }
        if found == nil { refusedAsFull.increment(by: 1) }
        return found
    }

    /// The labels as they are written; `nil` when they are not those of the family, each once.
    private static func labels(_ dimensions: [(String, String)], of family: MetricFamily) -> String? {
        guard dimensions.count == family.labels.count else { return nil }
        var ordered: [(String, String)] = []
        for name in family.labels {
            guard let dimension = dimensions.first(where: { $0.0 == name }) else { return nil }
            ordered.append(dimension)
        }
        return ExpositionText.labels(ordered)
    }
}
