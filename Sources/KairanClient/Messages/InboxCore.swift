/// What whoever listens for messages remembers, so that each is told once.
package struct InboxCore: Sendable {
    /// The most messages that are asked for at once.
    package static let limit = 1_000
    /// How long the daemon waits for a message; it allows twice as much.
    package static let waitMilliseconds = 30_000
    /// After how many messages all that wait are listed anew, to forget the others.
    package static let toldCountMax = 10_000

    /// Behind which message to ask; `nil` from the beginning.
    package private(set) var number: UInt64?
    /// How long to wait before the daemon is asked again.
    package private(set) var pauseMilliseconds: Int64 = 0
    private var told: Set<String> = []
    /// What an unfinished listing from the beginning has shown; `nil` when there is none.
    private var listed: Set<String>? = []
    private var toldCountMax = Self.toldCountMax
    private var pause = RetryPause(longestMilliseconds: 15_000)

    /// Has told nothing.
    package init() {}

    /// What to tell after an answer.
    /// - Parameter messages: The next that wait behind ``number``, oldest first.
    /// - Returns: Those that were not told before.
    package mutating func received(_ messages: [Message]) -> [Message] {
        pause.succeed()
        pauseMilliseconds = 0
        let fresh = messages.filter { told.insert($0.message).inserted }
        number = messages.last?.number ?? number ?? 0
        listed?.formUnion(messages.map(\.message))
        if let all = listed, messages.count < Self.limit {
            // What is not there any more was finished and never comes again: it need not be remembered.
            told = all
            listed = nil
            toldCountMax = max(Self.toldCountMax, 2 * all.count)
        }
        if listed == nil, told.count > toldCountMax { beginAnew() }
        return fresh
    }

    /// The daemon could not be asked.
    /// - Throws: The error, when waiting does not help.
    package mutating func failed(_ error: KairanError) throws(KairanError) {
        guard error.isRetryable else { throw error }
        // It may have been restarted, with a store that was set back.
        beginAnew()
        pauseMilliseconds = pause.fail(at: 0, atLeast: error.retryAfter)
    }

    private mutating func beginAnew() {
        number = nil
        listed = []
    }
}
