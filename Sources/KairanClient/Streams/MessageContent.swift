public import FoundationEssentials
import NIOCore
import NIOHTTP1

/// The content of a message, in pieces as they arrive; throws if it ends early.
public struct MessageContent: AsyncSequence, Sendable {
    /// A piece, never empty.
    public typealias Element = Data

    /// Its media type; `application/octet-stream` too where the sender named none that is one.
    public let contentType: String
    /// The size of the whole content in bytes.
    public let size: Int
    /// The position of the first byte to read.
    public let offset: Int
    private let body: AnswerBody

    /// Looks at the head of an answer; `nil` when that is not one from this byte on.
    init?(_ response: SocketAnswer, from offset: Int) {
        guard let length = response.headers.first(name: "content-length").flatMap({ Int($0) }),
            response.status == (offset == 0 ? 200 : 206), length >= 0, length <= Int.max - offset
        else { return nil }
        contentType = response.headers.first(name: "content-type") ?? "application/octet-stream"
        // The answer contains everything from the offset to the end.
        size = offset + length
        self.offset = offset
        body = response.body
    }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(parts: body.makeAsyncIterator())
    }

    /// Reads piece by piece.
    public struct Iterator: AsyncIteratorProtocol {
        private var parts: AnswerBody.Iterator

        init(parts: AnswerBody.Iterator) {
            self.parts = parts
        }

        /// The next piece; `nil` after the last.
        /// - Throws: ``KairanError``, `CancellationError`.
        public mutating func next() async throws -> Data? {
            while true {
                let part: ByteBuffer?
                do {
                    part = try await parts.next()
                } catch {
                    throw DaemonClient.interruption(error)
                }
                guard let part else { return nil }
                if part.readableBytes > 0 { return Data(part.readableBytesView) }
            }
        }
    }
}
