package import FoundationEssentials
import NIOCore
import NIOHTTP1

/// Bytes of the content of one asset, in pieces as they arrive; iterate once.
///
/// Unlike ``AssetContent`` it is opened with one request, for a content whose id is known, and is not continued behind an interruption: it is for
/// programs that read many parts of a content and decide themselves about each failure.
package struct AssetBytes: AsyncSequence, Sendable {
    /// A piece, never empty.
    package typealias Element = Data

    /// The number of bytes.
    package let count: UInt64
    private let body: AnswerBody

    fileprivate init(_ body: AnswerBody, count: UInt64) { (self.body, self.count) = (body, count) }

    /// Begins to read.
    package func makeAsyncIterator() -> Iterator { Iterator(parts: body.makeAsyncIterator(), count: count) }

    /// Reads piece by piece.
    package struct Iterator: AsyncIteratorProtocol {
        private var parts: AnswerBody.Iterator
        private var rest: UInt64

        fileprivate init(parts: AnswerBody.Iterator, count: UInt64) { (self.parts, rest) = (parts, count) }

        /// The next piece; `nil` after the last.
        /// - Throws: ``KairanError``: `daemon.interrupted` where the connection ended before the last byte; `CancellationError`.
        package mutating func next() async throws -> Data? {
            while true {
                let part: ByteBuffer?
                do {
                    part = try await parts.next()
                } catch {
                    throw DaemonClient.interruption(error)
                }
                guard let part else {
                    guard rest == 0 else { throw KairanError.interrupted(reason: "the content ended early") }
                    return nil
                }
                let (left, isTooMuch) = rest.subtractingReportingOverflow(UInt64(part.readableBytes))
                guard !isTooMuch else { throw KairanError.unexpectedAnswer("it has more bytes than it stated") }
                rest = left
                if part.readableBytes > 0 { return Data(part.readableBytesView) }
            }
        }
    }
}

extension AssetClient {
    /// Reads a part of a content of which the id is known, which the device fetches first where it is not here.
    ///
    /// Every answer states the id of its content. So the bytes are those of the asset, or there are none: a place that names other content by
    /// now is an error.
    /// - Parameters:
    ///   - asset: The id of the content.
    ///   - size: The number of bytes of the whole content, as the record states it.
    ///   - place: A place that names the content.
    ///   - offset: The first byte to read.
    ///   - count: The number of bytes to read, at least 1; offset and count lie in the content.
    ///   - waitMilliseconds: The time that the daemon waits for the next bytes where another device has them, 0...300,000.
    /// - Returns: The bytes; iterate once.
    /// - Throws: ``KairanError``: `asset.replaced` where the place names other content, otherwise as
    ///   ``content(of:from:count:waitMilliseconds:)``; `CancellationError`.
    package func bytes(
        of asset: String,
        size: UInt64,
        at place: Asset.Place,
        from offset: UInt64,
        count: UInt64,
        waitMilliseconds: Int = AssetClient.waitMilliseconds
    ) async throws -> AssetBytes {
        let span = ByteSpan(from: offset, count: count)
        let request = AssetRequests.content(at: place, span, waitMilliseconds: waitMilliseconds)
        let answer: SocketAnswer
        do {
            answer = try await client.openWhole(request, accept: "*/*")
        } catch let error as KairanError where error.code == "request.range_unsatisfiable" {
            // The content there is too short to be this one.
            throw KairanError.replaced(place)
        }
        guard let tag = answer.headers.first(name: "etag") else {
            throw KairanError.unexpectedAnswer("it does not name its content")
        }
        guard tag == "\"\(asset)\"" else { throw KairanError.replaced(place) }
        guard ContentSpan.of(answer) == ContentSpan(first: offset, count: count, total: size) else {
            throw KairanError.unexpectedAnswer("it has another part of the content, or the content has another size")
        }
        return AssetBytes(answer.body, count: count)
    }
}
