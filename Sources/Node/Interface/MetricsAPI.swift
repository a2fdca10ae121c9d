/// The node's interface for metrics.
package protocol MetricsAPI: Sendable {
    /// Returns all metrics in Prometheus' text format 0.0.4; empty where none are kept.
    ///
    /// A metric that cannot be read at this moment keeps its last value, and `kairan_store_readable` reports that.
    func text() async throws(NodeError) -> String
}
