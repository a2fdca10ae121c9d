import CoreMetrics
import Synchronization

/// One series of a family.
enum Series: Sendable {
    case counter(CounterSeries)
    case gauge(GaugeSeries)
    case histogram(HistogramSeries)
    /// What was read just now.
    case reading(Double)

    /// A counter that says 0.
    static func counter() -> Series { .counter(CounterSeries()) }

    /// A gauge that says 0.
    static func gauge() -> Series { .gauge(GaugeSeries()) }
}

/// How often something happened.
final class CounterSeries: CounterHandler {
    private let stored = Atomic<Int64>(0)

    var value: Int64 { stored.load(ordering: .relaxed) }

    /// Counts; what is not positive changes nothing.
    func increment(by amount: Int64) {
        guard amount > 0 else { return }
        stored.wrappingAdd(amount, ordering: .relaxed)
    }

    /// Changes nothing: a counter never says less than before.
    func reset() {}
}

/// How much there is of something.
final class GaugeSeries: MeterHandler, RecorderHandler {
    private let stored = Mutex(0.0)

    var value: Double { stored.withLock { $0 } }

    func set(_ value: Int64) { set(Double(value)) }

    func set(_ value: Double) { stored.withLock { $0 = value } }

    func increment(by amount: Double) { stored.withLock { $0 += amount } }

    func decrement(by amount: Double) { stored.withLock { $0 -= amount } }

    func record(_ value: Int64) { set(Double(value)) }

    func record(_ value: Double) { set(value) }
}

/// How many values were at most each of some bounds.
final class HistogramSeries: TimerHandler, RecorderHandler {
    /// What was recorded up to a moment.
    struct Totals: Sendable {
        /// Values up to each bound and above the one before it; those above all bounds come last.
        var counts: [UInt64]
        /// The sum of all.
        var sum = 0.0
    }

    /// The bounds, which rise.
    let bounds: [Double]
    private let stored: Mutex<Totals>

    /// Makes a histogram without values.
    init(bounds: [Double]) {
        self.bounds = bounds
        stored = Mutex(Totals(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    var totals: Totals { stored.withLock { $0 } }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1_000_000_000) }

    func record(_ value: Int64) { record(Double(value)) }

    /// Records a value; what is no number changes nothing, since no sum would be one afterwards.
    func record(_ value: Double) {
        guard value.isFinite else { return }
        let index = bounds.firstIndex { value <= $0 } ?? bounds.count
        stored.withLock { totals in
            totals.counts[index] += 1
            totals.sum += value
        }
    }
}
