import KairanClient
import NIOCore
import NIOPosix

@testable import LocalAPI

/// A server on a Unix socket whose every byte the test writes.
enum ScriptedServer {
    /// One connection as its script sees it; it ends with the script.
    struct Connection {
        /// Counted from 1, in the order of coming.
        let number: Int
        private let channel: any Channel
        private var pieces: AsyncStream<ByteBuffer>.Iterator
        private var received = ByteBuffer()

        fileprivate init(_ number: Int, _ accepted: Accepted) {
            self.number = number
            channel = accepted.channel
            pieces = accepted.pieces.makeAsyncIterator()
        }

        /// The head of the next request, or any text before an empty line; `nil` when the connection ended before that.
        mutating func head() async -> String? {
            while true {
                let text = String(buffer: received)
                if let end = text.firstRange(of: "\r\n\r\n") {
                    let head = text[..<end.upperBound]
                    received.moveReaderIndex(forwardBy: head.utf8.count)
                    return String(head)
                }
                guard await receive() else { return nil }
            }
        }

        /// So many bytes; `nil` when the connection ended before.
        mutating func text(_ byteCount: Int) async -> String? {
            while received.readableBytes < byteCount {
                guard await receive() else { return nil }
            }
            return received.readString(length: byteCount)
        }

        /// Returns when the client has closed the connection.
        mutating func untilClosed() async {
            while await receive() {}
        }

        func write(_ text: String) async throws {
            try await write(ByteBuffer(string: text))
        }

        /// Returns when the socket has taken the bytes.
        func write(_ bytes: ByteBuffer) async throws {
            try await channel.writeAndFlush(bytes)
        }

        /// An answer with a length, after which the connection goes on.
        func answer(_ text: String, status: String = "200 OK") async throws {
            try await write("HTTP/1.1 \(status)\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
        }

        private mutating func receive() async -> Bool {
            channel.read()
            guard let piece = await pieces.next(isolation: #isolation) else { return false }
            received.writeImmutableBuffer(piece)
            return true
        }
    }

    /// A connection before its script begins.
    fileprivate struct Accepted: Sendable {
        let channel: any Channel
        let pieces: AsyncStream<ByteBuffer>
    }

    /// Delivers the bytes that arrive when the script asks for them: the socket is read for each piece that a script
    /// wants.
    private final class PieceHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let pieces: AsyncStream<ByteBuffer>.Continuation

        init(_ pieces: AsyncStream<ByteBuffer>.Continuation) {
            self.pieces = pieces
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            pieces.yield(Self.unwrapInboundIn(data))
        }

        func channelInactive(context: ChannelHandlerContext) {
            pieces.finish()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            // A reset is an end as well: the client closes with bytes unread.
            context.close(promise: nil)
        }
    }

    /// Runs a server, and a client's connections to it.
    /// - Parameters:
    ///   - script: Handles a connection; an error that it throws ends that connection only.
    ///   - body: Uses the connections.
    /// - Returns: The result of the body.
    /// - Throws: An error of the body, or a failure to listen.
    @discardableResult
    static func run<Value: Sendable>(
        _ script: @escaping @Sendable (inout Connection) async throws -> Void,
        _ body: (ConnectionPool) async throws -> Value
    ) async throws -> Value {
        try await LiveServer.withDirectory { directory in
            let path = directory + "/s"
            let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelOption(.autoRead, value: false)
                .bind(unixDomainSocketPath: path) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let (pieces, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
                        try channel.pipeline.syncOperations.addHandler(PieceHandler(continuation))
                        return Accepted(channel: channel, pieces: pieces)
                    }
                }
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await server.executeThenClose { inbound in
                        await withTaskGroup(of: Void.self) { connections in
                            var number = 0
                            var channels = inbound.makeAsyncIterator()
                            // Ends with the test.
                            while let accepted = try? await channels.next(isolation: #isolation) {
                                number += 1
                                connections.addTask { [number] in
                                    var connection = Connection(number, accepted)
                                    // The client may have gone, which its own side reports.
                                    try? await script(&connection)
                                    try? await accepted.channel.close()
                                }
                            }
                            connections.cancelAll()
                        }
                    }
                }
                defer { group.cancelAll() }
                return try await ConnectionPool.withPool(socketPath: path, body)
            }
        }
    }
}

extension SocketAnswer {
    /// The whole body as text.
    func text() async throws -> String {
        var text = ""
        for try await piece in body { text += String(buffer: piece) }
        return text
    }
}
