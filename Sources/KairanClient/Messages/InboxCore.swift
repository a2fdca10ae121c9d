/// The state of a listener for messages, so that it delivers each message once.
package struct InboxCore: Sendable {
    /// The most messages that are asked for at once.
    package static let limit = 1_000
    /// The time for which the daemon waits for a message, in milliseconds; it allows twice as much.
    package static let waitMilliseconds = 30_000
    /// The time in milliseconds for which the daemon waits for a message; it allows twice as much.
    package static let toldCountMax = 10_000

    /// The number of the message to ask behind; `nil` from the beginning.
    package private(set) var number: UInt64?
    /// The delay before the daemon is asked again, in milliseconds.
    package private(set) var pauseMilliseconds: Int64 = 0
    private var told: Set<String> = []
    /// The messages in an unfinished listing from the beginning; `nil` when there is none.
    private var listed: Set<String>? = []
    private var toldCountMax = Self.toldCountMax
    private var pause = RetryPause(longestMilliseconds: 15_000)

    /// Makes a core that has delivered no message.
    package init() {}

    /// Processes an answer of the daemon.
    /// - Parameter messages: The next waiting messages behind ``number``, oldest first.
    /// - Returns: The messages that were not delivered before.
    package mutating func received(_ messages: [Message]) -> [Message] {
        pause.succeed()
        pauseMilliseconds = 0
        let fresh = messages.filter { told.insert($0.message).inserted }
        number = messages.last?.number ?? number ?? 0
        listed?.formUnion(messages.map(\.message))
        if let all = listed, messages.count < Self.limit {
            // A message that is no longer listed was finished and never comes again, so it need not be remembered.
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
        // The daemon may have been restarted with a rolled-back store.
        beginAnew()
        pauseMilliseconds = pause.fail(at: 0, atLeast: error.retryAfter)
    }

    private mutating func beginAnew() {
        number = nil
        listed = []
    }
}
