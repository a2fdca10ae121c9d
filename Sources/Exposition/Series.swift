import CoreMetrics
import Synchronization

/// One series of a family.
enum Series: Sendable {
    case counter(CounterSeries)
    case gauge(GaugeSeries)
    case histogram(HistogramSeries)
    /// A value read just now.
    case reading(Double)

    /// Returns a counter with the value 0.
    static func counter() -> Series { .counter(CounterSeries()) }

    /// Returns a gauge with the value 0.
    static func gauge() -> Series { .gauge(GaugeSeries()) }
}

/// The number of times that something happened.
final class CounterSeries: CounterHandler {
    private let stored = Atomic<Int64>(0)

    var value: Int64 { stored.load(ordering: .relaxed) }

    /// Adds a positive amount; ignores any other.
    func increment(by amount: Int64) {
        guard amount > 0 else { return }
        stored.wrappingAdd(amount, ordering: .relaxed)
    }

    /// Does nothing, because a counter never decreases.
    func reset() {}
}

/// The present amount of something.
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

/// The numbers of values up to each of some bounds.
final class HistogramSeries: TimerHandler, RecorderHandler {
    /// The values recorded up to a moment.
    struct Totals: Sendable {
        /// The counts of values up to each bound and above the previous one; those above all bounds come last.
        var counts: [UInt64]
        /// The sum of all.
        var sum = 0.0
    }

    /// The bounds, in ascending order.
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

    /// Records a value; ignores one that is not finite, because the sum would not be a number afterwards.
    func record(_ value: Double) {
        guard value.isFinite else { return }
        let index = bounds.firstIndex { value <= $0 } ?? bounds.count
        stored.withLock { totals in
            totals.counts[index] += 1
            totals.sum += value
        }
    }
}
