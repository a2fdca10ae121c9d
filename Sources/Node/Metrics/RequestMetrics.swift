import CoreMetrics

/// The metrics of requests to the local interface.
package struct RequestMetrics: Sendable {
    /// The label of the route of a request that has none.
    package static let noRoute = "none"
    /// The label of a method that no route has.
    private static let otherMethod = "other"
    private static let methods: Set<String> = ["GET", "PUT", "POST", "DELETE", "HEAD"]

    private let port: any MetricsPort

    /// Makes the metrics.
    /// - Parameter port: The store of the metrics.
    package init(_ port: any MetricsPort = NoMetrics()) { self.port = port }

    /// A request was answered, or its answer begins.
    /// - Parameters:
    ///   - method: Its method, as it came.
    ///   - route: The path of its route as it is declared, with names in braces; ``noRoute`` for none.
    ///   - status: The answer's status.
    ///   - start: The time at which the request came.
    package func answered(method: String, route: String, status: Int, since start: ContinuousClock.Instant) {
        // A method that a caller has made up is no label.
        let method = Self.methods.contains(method) ? method : Self.otherMethod
        let fixed = [(MetricLabels.method, method), (MetricLabels.route, route)]
        port.counter(.requests, fixed + [(StatusClass.name, StatusClass(status).rawValue)]).increment()
        port.timer(.requestSeconds, fixed).record(since: start)
    }
}
