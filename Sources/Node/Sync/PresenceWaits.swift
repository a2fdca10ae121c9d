/// The callers that wait until connected peers have answered.
///
/// Bounded by the requests of the local interface, which wait here for a second at most.
struct PresenceWaits {
    private struct Wait {
        let since: UInt64
        let silence: UInt64
        let continuation: CheckedContinuation<Void, Never>
    }

    /// The longest wait, in milliseconds.
    static let longestMilliseconds: UInt64 = 1_000

    private var waits: [Wait] = []
    /// Whether no peer will answer, because the service does not run.
    private var isClosed = true

    /// Whether a caller waits.
    var isAwaited: Bool { !waits.isEmpty }

    /// The time at which the first wait ends.
    var nextDue: UInt64? { waits.map { $0.since + Self.longestMilliseconds }.min() }

    /// Adds a caller that waits.
    /// - Parameters:
    ///   - continuation: The caller's continuation.
    ///   - silence: The longest silence before now, in milliseconds, after which a peer is still taken as present.
    ///   - now: Milliseconds of the monotonic clock.
    mutating func add(_ continuation: CheckedContinuation<Void, Never>, silence: UInt64, since now: UInt64) {
        if isClosed { return continuation.resume() }
        waits.append(Wait(since: now, silence: silence, continuation: continuation))
    }

    /// Resumes the callers whose peers have all answered, or whose wait is over.
    /// - Parameters:
    ///   - oldest: The time of the last message from the peer that has been silent for longest; nil where none is
    ///     connected.
    ///   - now: Milliseconds of the monotonic clock.
    mutating func answer(oldest: UInt64?, at now: UInt64) {
        waits.removeAll { wait in
            let isFresh = (oldest ?? now) + wait.silence >= wait.since
            guard isFresh || now >= wait.since + Self.longestMilliseconds else { return false }
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
