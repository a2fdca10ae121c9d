import CoreMetrics
import Node
import TestSupport
import Testing

@testable import Exposition

@Suite struct `The text of metrics` {
    private static let help = "Back\\slash, \"quotes\",\nand a second line. Ü."
    private static let odd = [
        "", " ", "a\"b", "a\\b", "a\nb", "\\n", "}", ",x=\"y\"", "ü 🙂", "\\\"", "a\r\nb", "{le=\"1\"}",
    ]
    private static let families = [
        MetricFamily(name: "t_odd_total", kind: .counter, help: help, labels: ["value"]),
        MetricFamily(name: "t_gauge", kind: .gauge, help: "G.", labels: ["which"]),
        MetricFamily(name: "t_seconds", kind: .histogram(bounds: [0.0005, 0.001, 2.5]), help: "H.", labels: ["value"]),
        MetricFamily(name: "t_unused_total", kind: .counter, help: "Nothing counted."),
    ]
    private static let values: [(String, Double)] = [
        ("none", 0), ("small", 1e-9), ("large", 1.5e300), ("whole", 1e15), ("negative", -2.25), ("inf", .infinity),
        ("-inf", -.infinity), ("nan", .nan), ("most", 9_223_372_036_854_774_784),
    ]

    private static func registry() -> MetricRegistry {
        let registry = MetricRegistry(families: families)
        for (index, value) in odd.enumerated() {
            let dimensions = [("value", value)]
            Counter(label: "t_odd_total", dimensions: dimensions, factory: registry).increment(by: index + 1)
            let timer = Timer(label: "t_seconds", dimensions: dimensions, factory: registry)
            for time in [400_000, 1_000_000, 3_000_000_000] as [Int64] { timer.recordNanoseconds(time) }
        }
        for (name, value) in values {
            Meter(label: "t_gauge", dimensions: [("which", name)], factory: registry).set(value)
        }
        return registry
    }

    @Test func `is the agreed one`() {
        let registry = MetricRegistry(families: Self.families)
        Counter(label: "t_odd_total", dimensions: [("value", "a\\\"\nb")], factory: registry).increment()
        #expect(
            registry.text() == #"""
                # HELP t_odd_total Back\\slash, "quotes",\nand a second line. Ü.
                # TYPE t_odd_total counter
                t_odd_total{value="a\\\"\nb"} 1

                """#
        )
    }

    @Test func `is read by Prometheus' own parser as it was meant`() throws {
        guard let python = ForeignReader.python else {
            return try cannotRun(
                "KAIRAN_INTEROP_PYTHON names no Python with the packages of Tests/Interop; make test-unit sets it"
            )
        }
        let families = try ForeignReader.families(in: Self.registry().text(), python: python)
        // The parser removes the suffix of a counter's name.
        #expect(families.map(\.name) == ["t_odd", "t_gauge", "t_seconds"])
        #expect(families.map(\.type) == ["counter", "gauge", "histogram"])
        #expect(families[0].help == Self.help)
        for (index, value) in Self.odd.enumerated() {
            let sample = try #require(families[0].samples.first { $0.labels == ["value": value] }, "\(value)")
            #expect(sample.value == Double(index + 1) && sample.name == "t_odd_total")
            let buckets = families[2].samples.filter { $0.name == "t_seconds_bucket" && $0.labels["value"] == value }
            #expect(buckets.map { $0.labels["le"] } == ["0.0005", "0.001", "2.5", "+Inf"])
            #expect(buckets.map(\.value) == [1, 2, 2, 3])
        }
        for (name, value) in Self.values {
            let read = try #require(families[1].samples.first { $0.labels == ["which": name] }).value
            #expect(read == value || read.isNaN && value.isNaN, "\(name)")
        }
    }
}
