/// Cuts a stream of bytes into lines, whatever the pieces are in which it arrives.
///
/// A line ends with LF or CR LF. The last line needs no end.
package struct LineSplitter: Sendable {
    /// A line has more bytes than are allowed.
    package struct LineTooLong: Error, Hashable {
        /// The maximum number of bytes of a line.
        package var byteCountMax: Int
    }

    private let lineByteCountMax: Int
    private var buffer: [UInt8] = []
    /// The start of the first line that was not returned.
    private var start = 0
    /// The position up to which the end was searched for.
    private var searched = 0
    private var hasEnded = false

    /// Begins with nothing.
    /// - Parameter lineByteCountMax: The maximum size of a line; limits the bytes kept in memory.
    package init(lineByteCountMax: Int) {
        self.lineByteCountMax = lineByteCountMax
    }

    /// Takes in a piece; call ``next()`` until it returns `nil` before the next one.
    /// - Throws: ``LineTooLong`` when a line without an end grows beyond the limit.
    package mutating func append(_ piece: some Collection<UInt8>) throws(LineTooLong) {
        if start > 0 {
            buffer.removeFirst(start)
            searched -= start
            start = 0
        }
        buffer.append(contentsOf: piece)
        guard
            buffer.count <= lineByteCountMax
                || buffer[searched...].contains(UInt8(ascii: "\n"))
        else { throw LineTooLong(byteCountMax: lineByteCountMax) }
    }

    /// Ends the input: the rest is the last line.
    package mutating func finish() {
        hasEnded = true
    }

    /// The next complete line, without its end.
    package mutating func next() -> [UInt8]? {
        if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
            let line = trimmed(start..<end)
            start = end + 1
            searched = start
            return line
        }
        searched = buffer.count
        guard hasEnded, start < buffer.count else { return nil }
        let line = trimmed(start..<buffer.count)
        start = buffer.count
        return line
    }

    private func trimmed(_ range: Range<Int>) -> [UInt8] {
        let line = buffer[range]
        return Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
    }
}

extension LineSplitter.LineTooLong: CustomStringConvertible {
    /// The reason, as a part of a sentence.
    package var description: String { "a line has more than \(byteCountMax) bytes" }
}
