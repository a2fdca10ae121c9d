/// The callers that wait until connected peers have reported whether they can connect to this device.
///
/// Bounded by the requests of the local interface, which wait here for five seconds at most.
struct ReachWaits {
    private struct Wait {
        let since: UInt64
        let continuation: CheckedContinuation<Void, Never>
    }

    /// The longest wait, in milliseconds: a peer tries for three seconds.
    static let longestMilliseconds: UInt64 = 5_000

    private var waits: [Wait] = []
    /// Whether no peer will answer, because the service does not run.
    private var isClosed = true

    /// The time at which the first wait ends.
    var nextDue: UInt64? { waits.map { $0.since + Self.longestMilliseconds }.min() }

    /// Adds a caller that waits.
    /// - Parameters:
    ///   - continuation: The caller's continuation.
    ///   - now: Milliseconds of the monotonic clock.
    mutating func add(_ continuation: CheckedContinuation<Void, Never>, since now: UInt64) {
        if isClosed { return continuation.resume() }
        waits.append(Wait(since: now, continuation: continuation))
    }

    /// Resumes the callers whose wait is over, or for which all peers have answered.
    /// - Parameters:
    ///   - settled: The time of the last question to peers, if all have answered; nil otherwise.
    ///   - now: Milliseconds of the monotonic clock.
    mutating func answer(settled: UInt64?, at now: UInt64) {
        waits.removeAll { wait in
            let isSettled = settled.map { $0 >= wait.since } ?? false
            guard isSettled || now >= wait.since + Self.longestMilliseconds else { return false }
            wait.continuation.resume()
            return true
        }
    }

    /// Lets callers wait from now on: the service runs.
    mutating func open() { isClosed = false }

    /// Resumes all callers: the service ends, and no peer will answer.
    mutating func close() {
        isClosed = true
        for wait in waits { wait.continuation.resume() }
        waits = []
    }
}
