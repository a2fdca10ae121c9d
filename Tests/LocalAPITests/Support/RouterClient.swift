import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import Synchronization

@testable import LocalAPI

/// Asks the routes without a socket, one request at a time: from the request's head to the last byte of the answer.
struct RouterClient: Sendable {
    /// An answer.
    struct Answer: Sendable {
        var head: HTTPResponse
        var body: ByteBuffer

        var status: HTTPResponse.Status { head.status }
        var headers: HTTPFields { head.headerFields }
    }

    /// Collects the body of an answer.
    private final class Collector: ResponseBodyWriter, Sendable {
        private let bytes = Mutex(ByteBuffer())

        var body: ByteBuffer { bytes.withLock { $0 } }

        func write(_ buffer: ByteBuffer) {
            bytes.withLock { _ = $0.writeImmutableBuffer(buffer) }
        }

        func finish(_ trailingHeaders: HTTPFields?) {}
    }

    private static let pieceByteCountMax = 32 * 1_024

    private let answer: @Sendable (Request, LocalRequestContext) async throws -> Response

    /// Makes a client of a responder.
    init(_ responder: some HTTPResponder<LocalRequestContext>) {
        answer = { request, context in try await responder.respond(to: request, context: context) }
    }

    /// Sends a request.
    /// - Parameters:
    ///   - uri: Path and query, as they are to arrive.
    ///   - method: The method.
    ///   - headers: The header fields.
    ///   - body: The body; it arrives in pieces, with its length in the head.
    /// - Returns: The whole answer.
    /// - Throws: An error of a route, also while it writes the body.
    func executeRequest(
        uri: String,
        method: HTTPRequest.Method,
        headers: HTTPFields,
        body: ByteBuffer?
    ) async throws -> Answer {
        var head = HTTPRequest(
            method: method,
            scheme: "http",
            authority: "localhost",
            path: uri,
            headerFields: headers
        )
        var pieces: [ByteBuffer] = []
        if var rest = body {
            head.headerFields[.contentLength] = "\(rest.readableBytes)"
            while let piece = rest.readSlice(length: min(rest.readableBytes, Self.pieceByteCountMax)),
                piece.readableBytes > 0
            {
                pieces.append(piece)
            }
        }
        let stream = AsyncStream { continuation in
            for piece in pieces { continuation.yield(piece) }
            continuation.finish()
        }
        let request = Request(head: head, body: RequestBody(asyncSequence: stream))
        let source = ApplicationRequestContextSource(
            channel: NIOAsyncTestingChannel(),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        )
        let response = try await answer(request, LocalRequestContext(source: source))
        let collector = Collector()
        try await response.body.write(collector)
        return Answer(head: response.head, body: collector.body)
    }
}
