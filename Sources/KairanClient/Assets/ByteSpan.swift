import NIOHTTP1

/// The bytes of an answer's body that are wanted (RFC 9110 §14.1.2).
package struct ByteSpan: Sendable, Hashable {
    /// The first of them.
    package var first: UInt64
    /// The number of them, at least 1; `nil` for all from there.
    package var count: UInt64?

    /// Names the bytes from one on.
    /// - Parameters:
    ///   - first: The first of them.
    ///   - count: The number of them; `nil` for all from there.
    package init(from first: UInt64, count: UInt64? = nil) {
        (self.first, self.count) = (first, count)
    }

    /// The value of `Range`.
    package var header: String {
        guard let count else { return "bytes=\(first)-" }
        let (last, overflows) = first.addingReportingOverflow(max(count, 1) - 1)
        return "bytes=\(first)-\(overflows ? .max : last)"
    }
}

/// The part of a content that an answer has, by its head.
struct ContentSpan: Hashable {
    /// The position of its first byte in the content.
    var first: UInt64
    /// The number of its bytes.
    var count: UInt64
    /// The number of bytes of the whole content.
    var total: UInt64

    /// The position behind its last byte.
    var end: UInt64 { first + count }
}

extension ContentSpan {
    /// Reads the head of an answer.
    /// - Parameter answer: The answer, with any status of success.
    /// - Returns: The part; `nil` where the head does not state it.
    static func of(_ answer: SocketAnswer) -> ContentSpan? {
        guard let length = answer.headers.first(name: "content-length").flatMap({ UInt64($0) }) else { return nil }
        switch answer.status {
        case 200: return ContentSpan(first: 0, count: length, total: length)
        case 206:
            let span = answer.headers.first(name: "content-range").flatMap { ContentSpan(contentRange: $0) }
            return span?.count == length ? span : nil
        default: return nil
        }
    }

    /// Reads the value of `Content-Range`: `bytes FIRST-LAST/TOTAL`.
    init?(contentRange text: String) {
        let parts = text.split(whereSeparator: { " -/".contains($0) })
        guard parts.count == 4, parts[0] == "bytes", let first = UInt64(parts[1]), let last = UInt64(parts[2]),
            let total = UInt64(parts[3]), first <= last, last < total
        else { return nil }
        self.init(first: first, count: last - first + 1, total: total)
    }
}
