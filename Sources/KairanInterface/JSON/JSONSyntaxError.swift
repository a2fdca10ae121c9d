/// Why bytes are not the JSON text that was asked for.
package struct JSONSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The position, in bytes from the beginning.
    package var offset: Int
    /// The line, counted from 1.
    package var line: Int
    /// The byte within the line, counted from 1.
    package var column: Int
    /// The reason why the text is no JSON.
    package var reason: String

    /// Makes an error; line and column are counted from the bytes before the offset.
    /// - Complexity: O(offset).
    package init(offset: Int, in bytes: [UInt8], reason: String) {
        let before = bytes.prefix(offset)
        self.offset = offset
        self.line = 1 + before.count { $0 == UInt8(ascii: "\n") }
        self.column = 1 + before.count - (before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0)
        self.reason = reason
    }

    /// Reason and place in one sentence.
    package var description: String { "\(reason) at line \(line), column \(column)" }
}
