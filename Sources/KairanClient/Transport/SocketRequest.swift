package import NIOCore
package import NIOHTTP1

/// One request as it goes over the socket.
package struct SocketRequest: Sendable {
    /// The method.
    package var method: HTTPMethod
    /// Path and query, sent byte for byte.
    package var target: String
    /// The header fields, without those for the length of the body.
    package var headers: HTTPHeaders
    /// The body, if there is one.
    package var body: RequestBody?

    /// Makes a request.
    /// - Parameters:
    ///   - method: The method.
    ///   - target: Path and query.
    ///   - headers: The header fields.
    ///   - body: The body.
    package init(_ method: HTTPMethod, _ target: String, headers: HTTPHeaders = [:], body: RequestBody? = nil) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// The head that is written, with the length of the body.
    var head: HTTPRequestHead {
        var head = HTTPRequestHead(version: .http1_1, method: method, uri: target, headers: headers)
        if let body {
            if let length = body.length {
                head.headers.replaceOrAdd(name: "content-length", value: "\(length)")
            } else {
                head.headers.replaceOrAdd(name: "transfer-encoding", value: "chunked")
            }
        } else if method != .GET {
            head.headers.replaceOrAdd(name: "content-length", value: "0")
        }
        return head
    }
}

/// The body of a request: bytes in memory, or pieces that are sent as they come.
package struct RequestBody: Sendable {
    enum Content: Sendable {
        case bytes(ByteBuffer)
        case pieces(@Sendable (inout BodyWriter) async throws -> Void)
    }

    let content: Content
    /// The number of bytes; `nil` where it is not known, so that they are sent in chunks.
    let length: Int?

    /// All of the body; `nil` where it comes in pieces.
    package var bytes: ByteBuffer? {
        guard case .bytes(let bytes) = content else { return nil }
        return bytes
    }

    /// This body, with a closure that is called for each piece that was taken.
    func noting(_ note: @escaping @Sendable () -> Void) -> RequestBody {
        guard case .pieces(let send) = content else { return self }
        let noting = Content.pieces { writer in
            writer.note = note
            try await send(&writer)
        }
        return RequestBody(content: noting, length: length)
    }

    /// A body that is there already.
    package static func bytes(_ bytes: ByteBuffer) -> RequestBody {
        RequestBody(content: .bytes(bytes), length: bytes.readableBytes)
    }

    /// All of the body, also where it comes in pieces: for a transport without a socket.
    /// - Returns: The bytes.
    /// - Throws: As the sending of the body.
    package func collected() async throws -> ByteBuffer {
        switch content {
        case .bytes(let bytes): return bytes
        case .pieces(let send):
            var writer = BodyWriter(keeping: length)
            try await send(&writer)
            try writer.finish()
            return writer.kept
        }
    }

    /// A body that is sent piece by piece; the next one is asked for when the socket has taken the last one.
    /// - Parameters:
    ///   - pieces: The pieces.
    ///   - length: The number of bytes; `nil` where it is not known. Any other number of bytes fails the request.
    /// - Returns: The body.
    package static func pieces<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces,
        length: Int? = nil
    ) -> RequestBody where Pieces.Element: Sequence<UInt8> {
        let content = Content.pieces { writer in
            var iterator = pieces.makeAsyncIterator()
            while true {
                let piece: Pieces.Element?
                do {
                    piece = try await iterator.next()
                } catch is CancellationError {
                    throw CancellationError()
                } catch {
                    throw BodyFailure(cause: error)
                }
                guard let piece else { return }
                try await writer.write(ByteBuffer(bytes: piece))
            }
        }
        return RequestBody(content: content, length: length)
    }
}

/// Writes the pieces of a body, and no more bytes than the head has announced.
struct BodyWriter: Sendable {
    /// A body whose size differs from the one announced: excess bytes would be taken for another request.
    struct LengthMismatch: Error, CustomStringConvertible {
        var announced: Int
        var description: String { "the body does not have the \(announced) bytes that were announced" }
    }

    /// The place of the pieces that are written.
    private enum Target: Sendable {
        case channel(any Channel, writeEnd: @Sendable () -> Void)
        case memory(ByteBuffer)
    }

    /// Called for each piece that was taken.
    var note: @Sendable () -> Void = {}
    private var target: Target
    private let announced: Int?
    private var written = 0
    private var hasWrittenEnd = false

    /// Makes a writer.
    /// - Parameters:
    ///   - channel: The channel to write to.
    ///   - length: The announced number of bytes; `nil` where none is announced.
    ///   - writeEnd: Writes the end of the request behind everything else.
    init(_ channel: any Channel, length: Int?, writeEnd: @escaping @Sendable () -> Void) {
        target = .channel(channel, writeEnd: writeEnd)
        announced = length
    }

    /// Makes a writer that keeps the pieces.
    /// - Parameter length: The announced number of bytes; `nil` where none is announced.
    init(keeping length: Int?) {
        target = .memory(ByteBuffer())
        announced = length
    }

    /// The pieces that a writer without a channel has kept.
    var kept: ByteBuffer {
        guard case .memory(let bytes) = target else { return ByteBuffer() }
        return bytes
    }

    /// Writes a piece.
    /// - Throws: ``LengthMismatch``, the channel's errors.
    mutating func write(_ piece: ByteBuffer) async throws {
        // An empty chunk would end the body.
        guard piece.readableBytes > 0 else { return }
        written += piece.readableBytes
        if let announced, written > announced { throw LengthMismatch(announced: announced) }
        defer { note() }
        switch target {
        case .memory(var bytes):
            // The enumeration holds no second reference, so that the bytes before are not copied each time.
            target = .memory(ByteBuffer())
            bytes.writeImmutableBuffer(piece)
            target = .memory(bytes)
        case .channel(let channel, let writeEnd):
            let part = HTTPClientRequestPart.body(.byteBuffer(piece))
            guard written == announced else {
                try await channel.writeAndFlush(part)
                return
            }
            // The daemon may answer at once when it has the last byte, and by then the request has its end, or the connection would be closed.
            channel.write(part, promise: nil)
            writeEnd()
            hasWrittenEnd = true
        }
    }

    /// Ends the request, if all that was announced is written.
    /// - Throws: ``LengthMismatch``.
    func finish() throws {
        if let announced, written != announced { throw LengthMismatch(announced: announced) }
        if case .channel(_, let writeEnd) = target, !hasWrittenEnd { writeEnd() }
    }
}
