/// Those who wait until connected peers have answered.
///
/// Bounded by the requests of the local interface, which wait here for a second at most.
struct PresenceDesk {
    private struct Wait {
        let since: UInt64
        let silence: UInt64
        let continuation: CheckedContinuation<Void, Never>
    }

    /// How long anybody waits, in milliseconds.
    static let longestMilliseconds: UInt64 = 1_000

    private var waits: [Wait] = []
    /// Whether nobody answers: the service does not run.
    private var isClosed = true

    /// Whether anybody waits.
    var isAwaited: Bool { !waits.isEmpty }

    /// When the first of them has waited long enough.
    var nextDue: UInt64? { waits.map { $0.since + Self.longestMilliseconds }.min() }

    /// Lets somebody wait.
    /// - Parameters:
    ///   - continuation: The one who waits.
    ///   - silence: How long before now a peer may have been heard to count as there, in milliseconds.
    ///   - now: Milliseconds of the monotonic clock.
    mutating func add(_ continuation: CheckedContinuation<Void, Never>, silence: UInt64, since now: UInt64) {
        if isClosed { return continuation.resume() }
        waits.append(Wait(since: now, silence: silence, continuation: continuation))
    }

    /// Lets those go on of whom all peers were heard, or who have waited long enough.
    /// - Parameters:
    ///   - oldest: When the peer was heard that has been silent for longest; nil where none is connected.
    ///   - now: Milliseconds of the monotonic clock.
    mutating func answer(oldest: UInt64?, at now: UInt64) {
        waits.removeAll { wait in
            let isFresh = (oldest ?? now) + wait.silence >= wait.since
            guard isFresh || now >= wait.since + Self.longestMilliseconds else { return false }
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
