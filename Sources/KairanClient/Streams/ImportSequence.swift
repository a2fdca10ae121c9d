/// How far an import is, message by message; what a message counts is on disk.
///
/// The last message says that the import is complete. If it ends early, the sequence throws after the last message
/// that counts something.
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
