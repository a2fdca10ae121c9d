/// Events of the daemon as they happen.
///
/// The first is a snapshot; numbers count up from 0 without gaps. The sequence ends after an `end` event, for example
/// when the reader was too slow or the daemon stops, and throws when the connection breaks: in both cases resume with
/// the last token. Ending the loop, or cancelling its task, ends the stream in the daemon too.
public struct EventSequence: AsyncSequence, Sendable {
    /// One event.
    public typealias Element = DaemonEvent

    let documents: EventDocuments

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(documents: documents.makeAsyncIterator())
    }

    /// Reads event by event.
    public struct Iterator: AsyncIteratorProtocol {
        var documents: EventDocuments.Iterator

        /// The next event; `nil` after the last.
        /// - Throws: ``KairanError``, `CancellationError`.
        public mutating func next() async throws -> DaemonEvent? {
            guard let document = try await documents.next() else { return nil }
            return try DaemonClient.decode(document)
        }
    }
}
