import HTTPTypes
import Hummingbird

/// The bytes of an answer that a request asks for (RFC 9110 §14.1.2).
///
/// One range with a start is supported, `bytes=a-` and `bytes=a-b`; any other `Range` header is ignored, as the RFC
/// allows.
struct ByteRange: Sendable, Hashable {
    /// The first of them.
    let first: UInt64
    /// The last of them; `nil` for all from there.
    let last: UInt64?

    /// Reads the requested range; `nil` for a request for the whole.
    ///
    /// The condition of `If-Range` is for the caller: it needs the content's validator.
    init?(of request: Request) {
        guard let text = request.headers[.range] else { return nil }
        self.init(text)
    }

    /// Reads the value of `Range`.
    init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let ends = parts[1].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.position(ends[0]) else { return nil }
        self.first = first
        if ends[1].isEmpty {
            last = nil
        } else {
            guard let last = Self.position(ends[1]), last >= first else { return nil }
            self.last = last
        }
    }

    /// The bytes of so many that are in it; `nil` when there are none.
    func bounds(of byteCount: UInt64) -> Range<UInt64>? {
        guard first < byteCount else { return nil }
        guard let last, last < byteCount else { return first..<byteCount }
        return first..<last + 1
    }

    /// Digits as a number; one that is too large for anything is the largest.
    private static func position(_ text: Substring) -> UInt64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return UInt64(text) ?? .max
    }
}
