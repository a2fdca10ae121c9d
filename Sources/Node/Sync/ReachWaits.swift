/// Those who wait until connected peers have said whether they can connect to this device.
///
/// Bounded by the requests of the local interface, which wait here for five seconds at most.
struct ReachWaits {
    private struct Wait {
        let since: UInt64
        let continuation: CheckedContinuation<Void, Never>
    }

    /// How long anybody waits, in milliseconds: a peer tries for three seconds.
    static let longestMilliseconds: UInt64 = 5_000

    private var waits: [Wait] = []
    /// Whether nobody answers: the service does not run.
    private var isClosed = true

    /// When the first of them has waited long enough.
    var nextDue: UInt64? { waits.map { $0.since + Self.longestMilliseconds }.min() }

    /// Lets somebody wait.
    /// - Parameters:
    ///   - continuation: The one who waits.
    ///   - now: Milliseconds of the monotonic clock.
    mutating func add(_ continuation: CheckedContinuation<Void, Never>, since now: UInt64) {
        if isClosed { return continuation.resume() }
        waits.append(Wait(since: now, continuation: continuation))
    }

    /// Lets those go on who have waited long enough, or for whom all have answered.
    /// - Parameters:
    ///   - settled: When peers were asked last, if none of them has still to answer; nil otherwise.
    ///   - now: Milliseconds of the monotonic clock.
    mutating func answer(settled: UInt64?, at now: UInt64) {
        waits.removeAll { wait in
            let isSettled = settled.map { $0 >= wait.since } ?? false
            guard isSettled || now >= wait.since + Self.longestMilliseconds else { return false }
            wait.continuation.resume()
            return true
        }
    }

    /// From now on there is somebody who lets them go on.
    mutating func open() { isClosed = false }

    /// Lets all go on: there is nobody any more who would.
    mutating func close() {
        isClosed = true
        for wait in waits { wait.continuation.resume() }
        waits = []
    }
}
