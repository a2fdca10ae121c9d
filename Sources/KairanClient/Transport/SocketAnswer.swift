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
}

/// The body of an answer, piece by piece as it arrives; iterate once.
///
/// Throws when the connection ends before the body does, so that half an answer never passes for a whole one. While nobody asks for more,
/// at most ``pieceCountMax`` pieces are kept and the socket is not read. A body that is dropped before its end closes its connection.
package struct AnswerBody: AsyncSequence, Sendable {
    /// A piece.
    package typealias Element = ByteBuffer

    typealias Producer = NIOThrowingAsyncSequenceProducer<
        ByteBuffer, any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, Reader
    >

    /// With so many pieces unread, each as long as one reading of the socket, no more is read.
    static let pieceCountMax = 4

    private let producer: Producer

    /// Makes a body.
    /// - Parameter reader: Learns when more is asked for, or nothing any more.
    /// - Returns: The body, and its other end.
    static func make(_ reader: Reader) -> (body: AnswerBody, source: Producer.Source) {
        let made = Producer.makeSequence(
            backPressureStrategy: .init(lowWatermark: pieceCountMax / 2, highWatermark: pieceCountMax),
            finishOnDeinit: false,
            delegate: reader
        )
        return (AnswerBody(producer: made.sequence), made.source)
    }

    /// Begins to read.
    package func makeAsyncIterator() -> Iterator {
        Iterator(pieces: producer.makeAsyncIterator())
    }

    /// Reads piece by piece.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate var pieces: Producer.AsyncIterator

        /// The next piece; `nil` after the last.
        /// - Throws: ``TransportFailure``, `CancellationError`.
        package mutating func next() async throws -> ByteBuffer? {
            let piece = try await pieces.next(isolation: #isolation)
            // A reading that was cancelled has no end.
            if piece == nil { try Task.checkCancellation() }
            return piece
        }
    }

    /// Tells the connection what the reader of its answer does.
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
