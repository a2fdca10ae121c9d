/// The progress of an import, message by message; every write that a message counts is on disk.
///
/// The last message says that the import is complete. If the import ends early, the sequence throws after the last
/// message with a count.
public struct ImportSequence: AsyncSequence, Sendable {
    /// One message.
    public typealias Element = ImportProgress

    let lines: LineSequence

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(documents: ImportDocuments(lines: lines).makeAsyncIterator())
    }

    /// Reads message by message.
    public struct Iterator: AsyncIteratorProtocol {
        var documents: ImportDocuments.Iterator

        /// The next message; `nil` after the last.
        /// - Throws: ``KairanError``, `CancellationError`.
        public mutating func next() async throws -> ImportProgress? {
            try await documents.next()?.progress
        }
    }
}
