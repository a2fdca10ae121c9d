import Exposition
import HTTPTypes
import Hummingbird
import KairanClient
import Node
import Synchronization
import Testing

@testable import LocalAPI

@Suite(.timeLimit(.minutes(5))) struct `The route of metrics` {
    @Test func `is a text of Prometheus' format, and asks the node once`() async throws {
        let node = FakeNode()
        let client = RouterClient(AskedBy(.admin, LocalRouter(node: node).makeResponder()))
        let response = try await client.executeRequest(uri: "/v1/metrics", method: .get, headers: [:], body: nil)
        #expect(response.status == .ok && String(buffer: response.body) == FakeNode.metrics)
        #expect(response.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
        let odd = try await client.executeRequest(uri: "/v1/metrics?name=x", method: .get, headers: [:], body: nil)
        #expect(odd.status == .badRequest)
        #expect(node.calls == ["metrics"])
    }

    @Test func `is the client library's call, and its text is read`() async throws {
        try await LiveServer.client(node: FakeNode()) { client, _ in
            #expect(try await client.metricsText() == FakeNode.metrics)
            let report = try await client.metrics()
            #expect(report.families.map(\.name) == ["kairan_peers_connected", "kairan_commit_duration_seconds"])
            #expect(report.families.map(\.type) == ["gauge", "histogram"])
            #expect(report.families[0].help == "Devices with an active session.")
            #expect(report.sum("kairan_peers_connected") == 1 && report.sum("kairan_peers") == nil)
            #expect(report.sum("kairan_commit_duration_seconds_bucket", ["le": "+Inf"]) == 3)
            #expect(report.sum("kairan_commit_duration_seconds_sum") == 1.25)
        }
    }

    @Test func `counts requests after real work, by the declared routes`() async throws {
        let registry = MetricRegistry()
        try await NotesSocket.run(metrics: registry) { notes in
            for name in ["record-canary", "other-canary"] { try await notes.put(name, #"{"fields":{"x":1}}"#) }
            _ = try await notes.get("none-canary")
            _ = try? await notes.client.document(DaemonRequest(.get, ["path-canary"]))
            _ = try? await notes.client.document(DaemonRequest(.delete, ["status"]))
            let report = try await notes.client.metrics()
            let record = "/v1/zones/{zone}/records/{name}"
            func requests(_ labels: [String: String]) -> Double? { report.sum("kairan_api_requests_total", labels) }
            #expect(requests(["method": "PUT", "route": record, "status": "2xx"]) == 2)
            #expect(requests(["method": "GET", "route": record, "status": "4xx"]) == 1)
            #expect(requests(["route": "none", "method": "GET", "status": "4xx"]) == 1)
            #expect(requests(["route": "none", "method": "DELETE"]) == 1)
            #expect(
                report.sum("kairan_api_request_duration_seconds_count", ["method": "PUT", "route": record]) == 2
            )
            #expect(report.sum("kairan_operations_written_total").map { $0 >= 2 } == true)
            #expect(report.sum("kairan_metrics_refused_total") == 0)
            let text = try await notes.client.metricsText()
            #expect(!text.contains("canary") && !text.contains(notes.path))
            // The library reads every line that is written.
            let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
            #expect(try MetricsReport(text: text).families.flatMap(\.samples).count == lines.count)
        }
    }

    @Test(arguments: ["M\u{E4}h", "BREW", "get"]) func `makes no label of a method that a caller made up`(
        method: String
    ) {
        let registry = MetricRegistry()
        let metrics = RequestMetrics(registry)
        metrics.answered(method: method, route: RequestMetrics.noRoute, status: 405, since: .now)
        #expect(registry.text().contains(#"kairan_api_requests_total{method="other",route="none",status="4xx"} 1"#))
    }
}

@Suite struct `A report of metrics` {
    @Test func `is read back with all that a text may have in it`() throws {
        let report = try MetricsReport(
            text: #"""
                # A comment that says nothing.
                # HELP a_total Back\\slash\nand a line.
                # TYPE a_total counter
                a_total{x="a\\\"\nb}",y=""} 3 1700000000
                a_total 1e-3
                # TYPE b gauge

                b{which="ü, x=\"y\""} -Inf
                b NaN
                """#
        )
        #expect(report.families.map(\.name) == ["a_total", "b"])
        #expect(report.families[0].help == "Back\\slash\nand a line.")
        #expect(report.families[0].samples[0].labels == ["x": "a\\\"\nb}", "y": ""])
        #expect(report.families[0].samples.map(\.value) == [3, 0.001] && report.families[1].type == "gauge")
        #expect(report.families[1].samples[0].labels == ["which": "ü, x=\"y\""])
        #expect(
            report.json["families"]?.elements?[1]["samples"] == [
                ["name": "b", "labels": ["which": "ü, x=\"y\""], "value": "-Inf"],
                ["name": "b", "labels": .object([]), "value": "NaN"],
            ]
        )
    }

    @Test(arguments: ["a 1", "# TYPE a gauge\na", "# TYPE a gauge\na{x=1} 1", "# TYPE a gauge\na{x=\"1\" 1", "{}"])
    func `is not made of another text`(text: String) {
        #expect(throws: KairanError.self) { try MetricsReport(text: text) }
    }
}
