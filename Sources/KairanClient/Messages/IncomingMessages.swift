/// The messages that wait for a program on this device, oldest first, and later ones.
///
/// The sequence delivers each message once, even if it is not finished: an unfinished message comes again with the
/// next sequence, in this run of the program or a later one. The sequence waits for a daemon that does not run, and
/// goes on when it runs again. It ends with the loop or the task, and throws when waiting does not help.
public struct IncomingMessages: AsyncSequence, Sendable {
    /// One message.
    public typealias Element = Message

    let client: DaemonClient

    /// Begins to listen.
    public func makeAsyncIterator() -> Iterator { Iterator(client: client) }

    /// Listens.
    public struct Iterator: AsyncIteratorProtocol {
        let client: DaemonClient
        private var core = InboxCore()
        private var waiting: [Message] = []

        init(client: DaemonClient) { self.client = client }

        /// The next message; it is never `nil`.
        /// - Throws: ``KairanError`` when waiting does not help, `CancellationError`.
        public mutating func next() async throws -> Message? {
            while waiting.isEmpty {
                if core.pauseMilliseconds > 0 { try await Task.sleep(for: .milliseconds(core.pauseMilliseconds)) }
                do {
                    let messages = try await client.inbox(
                        after: core.number,
                        limit: InboxCore.limit,
                        waitMilliseconds: InboxCore.waitMilliseconds
                    )
                    // Stored in reverse, so that taking the next one is cheap.
                    waiting = core.received(messages).reversed()
                } catch let error as KairanError {
                    try core.failed(error)
                }
            }
            return waiting.removeLast()
        }
    }
}
