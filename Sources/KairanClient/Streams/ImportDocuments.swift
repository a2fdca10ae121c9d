/// The messages of an import together with their JSON texts.
package struct ImportDocuments: AsyncSequence, Sendable {
    /// One message.
    package struct Element: Sendable {
        /// As it was received.
        package var document: [UInt8]
        /// The decoded progress.
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
            // The answer may continue after the last message; it is not read. When an import ends early, the
            // connection may break because the daemon does not read the rest of the request.
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
