/// The times at which a failed request is tried again: doubling waits, up to a bound.
///
/// No randomness: the other side is the mDNS daemon of the same machine, or a record that no other device asks for.
struct RetrySchedule {
    private let first: Duration
    private let last: Duration
    private var next: Duration
    /// The time of the next attempt; `nil` while nothing has failed.
    private(set) var due: ContinuousClock.Instant?

    /// A schedule with nothing due.
    /// - Parameters:
    ///   - first: The wait after the first failure.
    ///   - last: The longest wait.
    init(first: Duration, last: Duration) {
        self.first = first
        self.last = last
        next = first
    }

    /// Takes in a failure.
    mutating func failed(at now: ContinuousClock.Instant) {
        due = now.advanced(by: next)
        next = min(next * 2, last)
    }

    /// Takes in that the attempt is being made.
    mutating func began() {
        due = nil
    }

    /// Takes in a success: the next failure is met with the first wait again.
    mutating func succeeded() {
        due = nil
        next = first
    }

    /// Whether an attempt is due.
    func isDue(at now: ContinuousClock.Instant) -> Bool {
        due.map { $0 <= now } ?? false
    }
}
