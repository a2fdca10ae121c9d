/// Events as JSON texts, as they were received.
package struct EventDocuments: AsyncSequence, Sendable {
    /// One JSON text.
    package typealias Element = [UInt8]

    let lines: LineSequence

    /// Begins to read.
    package func makeAsyncIterator() -> Iterator {
        Iterator(lines: lines.makeAsyncIterator())
    }

    /// Reads event by event.
    package struct Iterator: AsyncIteratorProtocol {
        var lines: LineSequence.Iterator
        private var events = ServerSentEvents()

        init(lines: LineSequence.Iterator) {
            self.lines = lines
        }

        /// The next event's text; `nil` after the last.
        package mutating func next() async throws -> [UInt8]? {
            while let line = try await lines.next() {
                if let event = events.event(after: line) { return event.data }
            }
            return nil
        }
    }
}
