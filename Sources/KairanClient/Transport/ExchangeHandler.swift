import Glibc
import NIOCore
import NIOHTTP1

/// Carries one exchange after the other over a connection.
///
/// It is used on the connection's event loop only. The socket is read while an answer is waited for, while its reader takes it, and between two exchanges, where the end of the connection
/// is all that may come.
final class ExchangeHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    /// After this time without an exchange, the connection is closed: the daemon has a place for each.
    static let idleTime = TimeAmount.seconds(60)

    private struct Running {
        let exchange: Exchange
        /// The task that waits for the answer's head.
        var waiting: CheckedContinuation<SocketAnswer, any Error>?
        /// The other end of the answer's body, once its head has come.
        var source: AnswerBody.Producer.Source?
        var hasSentHead = false
        var hasSentAll = false
        /// Whether the daemon has refused the request before all of its body was sent.
        var isUploadStopped = false
        /// Whether the connection carries nothing after this exchange.
        var isLast = false
    }

    private var context: ChannelHandlerContext?
    private var running: Running?
    /// The part of the body that came in one reading of the socket.
    private var arrived: ByteBuffer?
    private var isReaderBehind = false
    private var idleEnd: Scheduled<Void>?

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    /// Sends a request.
    /// - Parameters:
    ///   - exchange: The exchange; one at a time.
    ///   - waiting: Gets the answer as soon as its head is there, or the failure.
    func begin(_ exchange: Exchange, _ waiting: CheckedContinuation<SocketAnswer, any Error>) {
        guard let context, context.channel.isActive, running == nil else {
            waiting.resume(throwing: TransportFailure.unsent(reason: "the daemon has closed the connection"))
            return
        }
        guard !exchange.isAbandoned else {
            waiting.resume(throwing: CancellationError())
            exchange.releaseConnection()
            return
        }
        idleEnd?.cancel()
        running = Running(exchange: exchange, waiting: waiting)
        let headSent = context.eventLoop.makePromise(of: Void.self)
        headSent.futureResult.assumeIsolated().whenComplete { self.headSent(exchange, $0) }
        context.write(Self.wrapOutboundOut(.head(exchange.request.head)), promise: headSent)
        // An invalid head is refused before `write` returns.
        guard running?.exchange === exchange else { return }
        switch exchange.request.body?.content {
        case nil: sendEnd(of: exchange)
        case .bytes(let bytes):
            if bytes.readableBytes > 0 {
                context.write(Self.wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil)
            }
            sendEnd(of: exchange)
        case .pieces: context.flush()
        }
    }

    private func headSent(_ exchange: Exchange, _ result: Result<Void, any Error>) {
        guard let context, running?.exchange === exchange else { return }
        switch result {
        case .success:
            running?.hasSentHead = true
            guard case .pieces(let send) = exchange.request.body?.content else { return }
            let job = UploadJob(
                exchange: exchange,
                channel: context.channel,
                handler: NIOLoopBound(self, eventLoop: context.eventLoop),
                length: exchange.request.body?.length,
                send: send
            )
            if !exchange.startUpload(job) { end(with: CancellationError()) }
        case .failure(let error as HTTPParserError): end(with: error)
        case .failure: end(with: TransportFailure.unsent(reason: "the daemon has closed the connection"))
        }
    }

    /// Ends the body whose last piece was written.
    func finishUpload(of exchange: Exchange) {
        guard running?.exchange === exchange, running?.isUploadStopped == false else { return }
        sendEnd(of: exchange)
    }

    /// Ends an exchange whose body cannot be sent.
    func failUpload(of exchange: Exchange, _ error: any Error) {
        guard running?.exchange === exchange, running?.isUploadStopped == false else { return }
        end(with: error)
    }

    private func sendEnd(of exchange: Exchange) {
        guard let context else { return }
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenSuccess {
            if self.running?.exchange === exchange { self.running?.hasSentAll = true }
        }
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: sent)
    }

    /// Reads on, because the reader of the answer has room.
    func readMore(of exchange: Exchange) {
        guard running?.exchange === exchange, isReaderBehind else { return }
        isReaderBehind = false
        context?.read()
    }

    /// Ends an exchange whose caller has abandoned it, and its connection with it; does nothing if it has ended
    /// already.
    func abandon(_ exchange: Exchange) {
        guard running?.exchange === exchange else { return }
        end(with: CancellationError())
    }

    // MARK: - Input

    func channelActive(context: ChannelHandlerContext) {
        context.read()
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .head(let head): take(head, context)
        case .body(let piece):
            if arrived?.writeImmutableBuffer(piece) == nil { arrived = piece }
        case .end: finishAnswer()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        deliver()
        if !isReaderBehind { context.read() }
        context.fireChannelReadComplete()
    }

    private func take(_ head: HTTPResponseHead, _ context: ChannelHandlerContext) {
        guard let exchange = running?.exchange, let waiting = running?.waiting else {
            context.close(promise: nil)
            return
        }
        guard Self.hasKnownLength(head) else {
            end(with: TransportFailure.unexpected(reason: "it does not mark its end"))
            return
        }
        running?.isLast = !head.isKeepAlive
        if head.status.code >= 300, running?.hasSentAll == false {
            running?.isUploadStopped = true
            exchange.stopUpload()
        }
        let (body, source) = AnswerBody.make(
            AnswerBody.Reader(
                exchange: exchange,
                handler: NIOLoopBound(self, eventLoop: context.eventLoop),
                eventLoop: context.eventLoop
            )
        )
        running?.source = source
        running?.waiting = nil
        waiting.resume(
            returning: SocketAnswer(status: Int(head.status.code), headers: head.headers, body: body)
        )
    }

    /// Returns whether the end of an answer is distinguishable from the end of its connection.
    private static func hasKnownLength(_ head: HTTPResponseHead) -> Bool {
        switch head.status {
        case .switchingProtocols: false
        case .noContent, .notModified: true
        default:
            head.headers.contains(name: "content-length")
                || head.headers[canonicalForm: "transfer-encoding"].last?.lowercased() == "chunked"
        }
    }

    private func deliver() {
        guard let piece = arrived, let source = running?.source else { return }
        arrived = nil
        switch source.yield(piece) {
        case .produceMore: break
        case .stopProducing: isReaderBehind = true
        case .dropped: end(with: CancellationError())
        }
    }

    private func finishAnswer() {
        deliver()
        guard let ended = running, let source = ended.source else { return }
        running = nil
        isReaderBehind = false
        ended.exchange.stopUpload()
        // When the reader learns of the end, its next request finds the connection free, or does not find it.
        defer { source.finish() }
        guard let context, ended.hasSentAll, !ended.isUploadStopped, !ended.isLast else {
            context?.close(promise: nil)
            return
        }
        idleEnd = context.eventLoop.assumeIsolated().scheduleTask(in: Self.idleTime) {
            self.context?.close(promise: nil)
        }
        ended.exchange.releaseConnection()
    }

    // MARK: - The end

    func channelInactive(context: ChannelHandlerContext) {
        idleEnd?.cancel()
        lose(reason: "the daemon has closed the connection")
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case HTTPParserError.invalidEOFState: lose(reason: "the daemon has closed the connection")
        case let error as HTTPParserError:
            end(with: TransportFailure.unexpected(reason: error.debugDescription))
        case let error as NIOHTTPDecoderError:
            end(with: TransportFailure.unexpected(reason: error.debugDescription))
        case let error as IOError: lose(reason: String(cString: strerror(error.errnoCode)).lowercased())
        default: lose(reason: "\(error)")
        }
        context.close(promise: nil)
    }

    private func lose(reason: String) {
        guard let lost = running else { return }
        if !lost.hasSentHead {
            end(with: TransportFailure.unsent(reason: reason))
        } else if lost.waiting != nil {
            end(with: TransportFailure.unanswered(reason: reason))
        } else {
            end(with: TransportFailure.broken(reason: reason))
        }
    }

    /// Ends the running exchange and the connection.
    private func end(with error: any Error) {
        guard let ended = running else { return }
        running = nil
        ended.exchange.stopUpload()
        ended.waiting?.resume(throwing: error)
        if let source = ended.source {
            if let piece = arrived { _ = source.yield(piece) }
            source.finish(error)
        }
        arrived = nil
        context?.close(promise: nil)
    }
}
