/// What a program or a person may ask of the node about what it counts and measures.
package protocol MetricsAPI: Sendable {
    /// All that is counted and measured, in Prometheus' text format 0.0.4; empty where nothing is kept.
    ///
    /// What cannot be read at this moment is as it was the last time, and `kairan_store_readable` says so.
    func metrics() async throws(NodeError) -> String
}
