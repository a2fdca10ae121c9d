/// What whoever listens for messages remembers, so that each is told once and the daemon is not asked without a pause.
package struct InboxCore: Sendable {
    /// The most messages that are asked for at once.
    package static let limit = 1_000
    /// How long the daemon waits for a message; it allows twice as much.
    package static let waitMilliseconds = 30_000
    /// How long to wait where the daemon does not, since something is left unfinished.
    package static let restMilliseconds: Int64 = 1_000

    /// How long to wait before the daemon is asked again.
    package private(set) var pauseMilliseconds: Int64 = 0
    private var told: Set<String> = []
    private var pause = RetryPause(longestMilliseconds: 15_000)

    /// Has told nothing.
    package init() {}

    /// What to tell after an answer.
    /// - Parameter messages: All that wait, oldest first.
    /// - Returns: Those that were not told before.
    package mutating func received(_ messages: [Message]) -> [Message] {
        pause.succeed()
        let fresh = messages.filter { !told.contains($0.message) }
        // What is not there any more was finished and never comes again: it need not be remembered.
        told = Set(messages.map(\.message))
        pauseMilliseconds = fresh.isEmpty && !messages.isEmpty ? Self.restMilliseconds : 0
        return fresh
    }

    /// The daemon could not be asked.
    /// - Throws: The error, when waiting does not help.
    package mutating func failed(_ error: KairanError) throws(KairanError) {
        guard error.isRetryable else { throw error }
        pauseMilliseconds = pause.fail(at: 0, atLeast: error.retryAfter)
    }
}
