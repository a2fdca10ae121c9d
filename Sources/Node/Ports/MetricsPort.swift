package import CoreMetrics

/// Keeps metrics, and reports them when asked; implemented by a driver.
///
/// It is passed to the code that measures: several nodes of one process have one each, and nothing is registered for
/// the whole process.
package protocol MetricsPort: Sendable {
    /// Makes counters, gauges and timers; those of ``Metric`` are kept, and others are not.
    var factory: any MetricsFactory { get }

    /// All that is kept, in Prometheus' text format 0.0.4.
    func text() -> String
}

/// Keeps nothing.
package struct NoMetrics: MetricsPort {
    /// Makes a port that accepts all metrics and keeps none.
    package init() {}

    /// See ``MetricsPort``.
    package var factory: any MetricsFactory { NOOPMetricsHandler.instance }

    /// Nothing.
    package func text() -> String { "" }
}
