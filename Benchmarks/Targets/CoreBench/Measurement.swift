import Glibc

/// The number of times that something can be done in a second of processor time.
struct Measurement {
    /// Times a second: the median of seven measurements of at least a twentieth of a second.
    let rate: Double

    /// Measures a body.
    /// - Parameter body: Does it once; its result keeps the compiler from leaving it out.
    init(_ body: () -> Int) {
        var sum = 0
        var count = 1
        // A first round warms up, and finds out how many fill the time.
        while Self.seconds({ for _ in 0..<count { sum &+= body() } }) < 0.05 { count *= 2 }
        var rates: [Double] = []
        for _ in 0..<7 {
            let seconds = Self.seconds { for _ in 0..<count { sum &+= body() } }
            rates.append(Double(count) / seconds)
        }
        Self.sink = Self.sink &+ sum
        rate = rates.sorted()[3]
    }

    /// The sum of the results of all measured bodies.
    nonisolated(unsafe) private(set) static var sink = 0

    /// Microseconds for one.
    var microseconds: Double { 1_000_000 / rate }

    /// Processor time that a body takes.
    private static func seconds(_ body: () -> Void) -> Double {
        let start = now()
        body()
        return now() - start
    }

    /// Processor time of something that can be done once only.
    static func milliseconds(_ body: () throws -> Void) rethrows -> Double {
        let start = now()
        try body()
        return (now() - start) * 1_000
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }
}

/// A line of a table: figures are set to the right.
func row(_ name: String, _ cells: [String]) {
    let padded = cells.map { String(repeating: " ", count: max(0, 14 - $0.count)) + $0 }
    // At once, also into a pipe: a table takes a while.
    defer { fflush(nil) }
    print(name + String(repeating: " ", count: max(0, 36 - name.count)) + padded.joined())
}

/// A number with so many digits behind the point.
func text(_ value: Double, _ digits: Int) -> String {
    let scale = (0..<digits).reduce(1.0) { value, _ in value * 10 }
    let whole = Int((value * scale).rounded())
    guard digits > 0 else { return "\(whole)" }
    let fraction = "\(whole % Int(scale))"
    return "\(whole / Int(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
}
