package import NIOCore
package import NIOHTTP1

/// The answer to a request: its head, and its body as it arrives.
package struct SocketAnswer: Sendable {
    /// The status.
    package var status: Int
    /// The header fields.
    package var headers: HTTPHeaders
    /// The body.
    package var body: AnswerBody

    /// Makes an answer.
    package init(status: Int, headers: HTTPHeaders, body: AnswerBody) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// The body of an answer, piece by piece as it arrives; iterate once.
///
/// Throws when the connection ends before the body does, so that an incomplete answer never passes for a complete
/// one. While the reader does not ask for more, at most ``pieceCountMax`` pieces are kept and the socket is not read.
/// A body that is dropped before its end closes its connection.
package struct AnswerBody: AsyncSequence, Sendable {
    /// A piece.
    package typealias Element = ByteBuffer

    typealias Producer = NIOThrowingAsyncSequenceProducer<
        ByteBuffer, any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, Reader
    >

    /// With so many pieces unread, each as long as one reading of the socket, no more is read.
    static let pieceCountMax = 4

    private enum Source: Sendable {
        case socket(Producer)
        case memory(AsyncThrowingStream<ByteBuffer, any Error>)
    }

    private let source: Source

    /// Makes a body from pieces of this process; their source limits how many are buffered.
    package init(_ pieces: AsyncThrowingStream<ByteBuffer, any Error>) { source = .memory(pieces) }

    private init(_ producer: Producer) { source = .socket(producer) }

    /// Makes a body.
    /// - Parameter reader: Learns when more is asked for, or nothing any more.
    /// - Returns: The body, and its other end.
    static func make(_ reader: Reader) -> (body: AnswerBody, source: Producer.Source) {
        let made = Producer.makeSequence(
            backPressureStrategy: .init(lowWatermark: pieceCountMax / 2, highWatermark: pieceCountMax),
            finishOnDeinit: false,
            delegate: reader
        )
        return (AnswerBody(made.sequence), made.source)
    }

    /// Begins to read.
    package func makeAsyncIterator() -> Iterator {
        switch source {
        case .socket(let producer): Iterator(pieces: .socket(producer.makeAsyncIterator()))
        case .memory(let pieces): Iterator(pieces: .memory(pieces.makeAsyncIterator()))
        }
    }

    /// Reads piece by piece.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate enum Pieces {
            case socket(Producer.AsyncIterator)
            case memory(AsyncThrowingStream<ByteBuffer, any Error>.Iterator)
        }

        fileprivate var pieces: Pieces

        /// The next piece; `nil` after the last.
        /// - Throws: ``TransportFailure``, `CancellationError`.
        package mutating func next() async throws -> ByteBuffer? {
            let piece: ByteBuffer?
            switch pieces {
            case .socket(var socket):
                piece = try await socket.next(isolation: #isolation)
                pieces = .socket(socket)
            case .memory(var memory):
                piece = try await memory.next(isolation: #isolation)
                pieces = .memory(memory)
            }
            // A reading that was cancelled has no end.
            if piece == nil { try Task.checkCancellation() }
            return piece
        }
    }

    /// Notifies the connection of the actions of the answer's reader.
    struct Reader: NIOAsyncSequenceProducerDelegate {
        let exchange: Exchange
        let handler: NIOLoopBound<ExchangeHandler>
        let eventLoop: any EventLoop

        func produceMore() {
            eventLoop.execute { handler.value.readMore(of: exchange) }
        }

        func didTerminate() {
            eventLoop.execute { handler.value.abandon(exchange) }
        }
    }
}
