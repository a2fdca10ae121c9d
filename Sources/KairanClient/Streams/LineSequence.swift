import NIOCore

/// The lines of an answer as they arrive, without their ends.
///
/// Ends with an error when the connection breaks, so that half an answer never passes for a whole one.
package struct LineSequence: AsyncSequence, Sendable {
    /// One line.
    package typealias Element = [UInt8]

    /// The longest line: a record of 1 MiB with every byte escaped stays below.
    static let lineByteCountMax = 16 << 20

    let body: AnswerBody

    /// Begins to read.
    package func makeAsyncIterator() -> Iterator {
        Iterator(parts: body.makeAsyncIterator())
    }

    /// Reads line by line.
    package struct Iterator: AsyncIteratorProtocol {
        var parts: AnswerBody.Iterator
        private var splitter = LineSplitter(lineByteCountMax: LineSequence.lineByteCountMax)
        private var hasEnded = false

        init(parts: AnswerBody.Iterator) {
            self.parts = parts
        }

        /// The next line.
        /// - Throws: ``KairanError``, `CancellationError`.
        package mutating func next() async throws -> [UInt8]? {
            while true {
                if let line = splitter.next() { return line }
                if hasEnded { return nil }
                try await read()
            }
        }

        private mutating func read() async throws {
            let part: ByteBuffer?
            do {
                part = try await parts.next()
            } catch {
                throw DaemonClient.interruption(error)
            }
            do {
                if let part {
                    try splitter.append(part.readableBytesView)
                } else {
                    hasEnded = true
                    splitter.finish()
                }
            } catch {
                throw KairanError.unexpectedAnswer("a line is longer than \(LineSequence.lineByteCountMax) bytes")
            }
        }
    }
}
