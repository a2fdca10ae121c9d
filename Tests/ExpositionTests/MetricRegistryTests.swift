import CoreMetrics
import Glibc
import Node
import Testing

@testable import Exposition

@Suite struct `The registry` {
    private static let counted = MetricFamily(name: "t_counted_total", kind: .counter, help: "C.", labels: ["a", "b"])
    private static let plain = MetricFamily(name: "t_plain_total", kind: .counter, help: "P.")
    private static let gauge = MetricFamily(name: "t_gauge", kind: .gauge, help: "G.")
    private static let times = MetricFamily(
        name: "t_seconds",
        kind: .histogram(bounds: [0.1, 1, 10]),
        help: "H.",
        labels: ["a"]
    )
    private static let families = [counted, plain, gauge, times, Metric.metricsRefused.family]

    private let registry = MetricRegistry(families: families, seriesCountMax: 5)

    private func counter(_ dimensions: [(String, String)], _ name: String = counted.name) -> Counter {
        Counter(label: name, dimensions: dimensions, factory: registry)
    }

    private func lines(_ prefix: String) -> [String] {
        registry.text().split(separator: "\n").filter { $0.hasPrefix(prefix) }.map(String.init)
    }

    @Test func `has one series for the same labels, whatever their order and however often it is asked`() {
        counter([("a", "1"), ("b", "2")]).increment(by: 3)
        counter([("b", "2"), ("a", "1")]).increment()
        counter([("a", "2"), ("b", "1")]).increment()
        #expect(
            lines("t_counted") == [#"t_counted_total{a="1",b="2"} 4"#, #"t_counted_total{a="2",b="1"} 1"#]
        )
    }

    @Test func `loses nothing when many count at once, and makes one series for all of them`() async {
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask { [registry] in
                    let timer = Timer(label: Self.times.name, dimensions: [("a", "x")], factory: registry)
                    for number in 0..<10_000 {
                        Counter(label: Self.plain.name, dimensions: [], factory: registry).increment()
                        timer.recordNanoseconds(number % 2 == 0 ? 50_000_000 : 2_000_000_000)
                        if task == 0, number % 1_000 == 0 { _ = registry.text() }
                    }
                }
            }
        }
        #expect(lines("t_plain") == ["t_plain_total 80000"])
        #expect(lines("t_seconds_count") == [#"t_seconds_count{a="x"} 80000"#])
        #expect(lines("t_seconds_bucket").first == #"t_seconds_bucket{a="x",le="0.1"} 40000"#)
    }

    @Test func `makes no more series than it may, reports that, and continues with the existing ones`() {
        for number in 0..<7 { counter([("a", "\(number)"), ("b", "")]).increment() }
        for _ in 0..<2 { counter([("a", "0"), ("b", "")]).increment() }
        #expect(lines("t_counted").count == 5)
        #expect(lines("t_counted").first == #"t_counted_total{a="0",b=""} 3"#)
        #expect(lines("kairan_metrics_refused_total{reason=\"full\"}").first?.hasSuffix(" 2") == true)
        #expect(lines("kairan_metrics_refused_total{reason=\"undeclared\"}").first?.hasSuffix(" 0") == true)
    }

    @Test func `keeps nothing under another name, of another kind, or with other labels`() {
        counter([], "t_other_total").increment()
        counter([("a", "1")]).increment()
        counter([("a", "1"), ("c", "2")]).increment()
        counter([("a", "1"), ("a", "2")]).increment()
        counter([("a", "1"), ("b", "2"), ("c", "3")]).increment()
        counter([], Self.gauge.name).increment()
        Meter(label: Self.plain.name, dimensions: [], factory: registry).set(7)
        Timer(label: Self.gauge.name, dimensions: [], factory: registry).recordSeconds(1)
        Recorder(label: Self.plain.name, dimensions: [], aggregate: true, factory: registry).record(1)
        #expect(lines("kairan_metrics_refused_total").map { $0.suffix(2) } == [" 0", " 9"])
        #expect(lines("t_").isEmpty)
    }

    @Test func `counts upwards only, also when a counter is reset or destroyed`() {
        let one = counter([], Self.plain.name)
        one.increment(by: 5)
        one.increment(by: -3)
        one.reset()
        one.destroy()
        counter([], Self.plain.name).increment()
        FloatingPointCounter(label: Self.plain.name, dimensions: [], factory: registry).increment(by: 2.0)
        #expect(lines("t_plain") == ["t_plain_total 8"])
    }

    @Test func `has gauges that go up and down, with the last value that was set`() {
        let gauge = Meter(label: Self.gauge.name, dimensions: [], factory: registry)
        gauge.set(2.5)
        gauge.increment(by: 4)
        gauge.decrement(by: 6)
        #expect(lines("t_gauge") == ["t_gauge 0.5"])
        Gauge(label: Self.gauge.name, dimensions: [], factory: registry).record(9)
        #expect(lines("t_gauge") == ["t_gauge 9"])
    }

    @Test func `has histograms with cumulative buckets, the last of which has all values`() {
        let recorder = Recorder(label: Self.times.name, dimensions: [("a", "q\"")], aggregate: true, factory: registry)
        // A value on a bound counts below it.
        for value in [0.05, 0.1, 0.5, 10, 11, .infinity, .nan] { recorder.record(value) }
        Timer(label: Self.times.name, dimensions: [("a", "q\"")], factory: registry).recordMilliseconds(250)
        #expect(
            lines("t_seconds") == [
                #"t_seconds_bucket{a="q\"",le="0.1"} 2"#, #"t_seconds_bucket{a="q\"",le="1"} 4"#,
                #"t_seconds_bucket{a="q\"",le="10"} 5"#, #"t_seconds_bucket{a="q\"",le="+Inf"} 6"#,
                #"t_seconds_sum{a="q\""} 21.9"#, #"t_seconds_count{a="q\""} 6"#,
            ]
        )
    }

    @Test func `reads the kernel's figures of this process`() throws {
        let values = Dictionary(uniqueKeysWithValues: ProcessReading().values.map { ($0.metric, $0.value) })
        #expect(values.count == 5)
        #expect(try #require(values[.processMemory]) > 1_000_000)
        #expect(try #require(values[.processSeconds]) > 0)
        let descriptors = try #require(values[.processDescriptors])
        let descriptorsMax = try #require(values[.processDescriptorsMax])
        #expect(descriptors >= 3 && descriptors < descriptorsMax)
        // After this was written, and not in the future.
        var now = timespec()
        #expect(clock_gettime(CLOCK_REALTIME, &now) == 0)
        let start = try #require(values[.processStart])
        #expect(start > 1_750_000_000 && start <= Double(now.tv_sec) + 2)
    }
}
