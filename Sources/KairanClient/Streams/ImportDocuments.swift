/// The messages of an import together with their JSON texts.
package struct ImportDocuments: AsyncSequence, Sendable {
    /// One message.
    package struct Element: Sendable {
        /// As it was received.
        package var document: [UInt8]
        /// What it says.
        package var progress: ImportProgress
    }

    let lines: LineSequence

    /// Begins to read.
    package func makeAsyncIterator() -> Iterator {
        Iterator(lines: lines.makeAsyncIterator())
    }

    /// Reads message by message.
    package struct Iterator: AsyncIteratorProtocol {
        var lines: LineSequence.Iterator
        private var problem: Problem?
        private var isComplete = false

        init(lines: LineSequence.Iterator) {
            self.lines = lines
        }

        /// The next message; `nil` after the last.
        /// - Throws: ``KairanError``, also when the import ended before all was looked at; `CancellationError`.
        package mutating func next() async throws -> Element? {
            // What follows the last message is of no interest, and when an import ends early, the connection may break
            // because not all that was sent is read.
            if let problem { throw KairanError(refused: problem, document: []) }
            if isComplete { return nil }
            while let line = try await lines.next() {
                if line.isEmpty { continue }
                let progress: ImportProgress = try DaemonClient.decode(line)
                problem = progress.problem
                isComplete = progress.isFinal
                return Element(document: line, progress: progress)
            }
            throw KairanError.interrupted(reason: "the import was not confirmed")
        }
    }
}
