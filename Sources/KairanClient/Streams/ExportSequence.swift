/// The records of an export as they arrive; throws when the export did not come to its end.
public struct ExportSequence: AsyncSequence, Sendable {
    /// One record.
    public typealias Element = ExportedRecord

    let lines: LineSequence

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(lines: lines.makeAsyncIterator())
    }

    /// Reads record by record.
    public struct Iterator: AsyncIteratorProtocol {
        var lines: LineSequence.Iterator

        /// The next record; `nil` after the last.
        /// - Throws: ``KairanError``, `CancellationError`.
        public mutating func next() async throws -> ExportedRecord? {
            while let line = try await lines.next() {
                if !line.isEmpty { return try DaemonClient.decode(line) }
            }
            return nil
        }
    }
}
