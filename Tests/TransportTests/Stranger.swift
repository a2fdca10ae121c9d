import NIOCore
import NIOPosix
import Node
import Testing

/// A program on the network that is no peer: plain sockets.
enum Stranger {
    /// Collects bytes until the connection ends.
    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private var bytes: [UInt8] = []
        private let promise: EventLoopPromise<[UInt8]>

        init(_ promise: EventLoopPromise<[UInt8]>) {
            self.promise = promise
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            bytes += Array(unwrapInboundIn(data).readableBytesView)
        }

        func channelInactive(context: ChannelHandlerContext) {
            promise.succeed(bytes)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            // A reset is an end like any other.
            context.close(promise: nil)
        }
    }

    /// Connects and sends nothing.
    static func connect(to address: PeerAddress) async throws -> any Channel {
        try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: address.host, port: Int(address.port)).get()
    }

    /// Returns the answer of the other side to some bytes before it hangs up.
    ///
    /// With `hangsUp`, this side hangs up after the bytes.
    static func answer(to bytes: [UInt8], at address: PeerAddress, hangsUp: Bool = false) async throws -> [UInt8] {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: [UInt8].self)
        let channel = try await ClientBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Collector(promise))
                }
            }
            .connect(host: address.host, port: Int(address.port)).get()
        // The other side may have hung up already, which some tests are about.
        try? await channel.writeAndFlush(ByteBuffer(bytes: bytes))
        if hangsUp { channel.close(promise: nil) }
        return try await promise.futureResult.get()
    }

    /// A port that takes connections and sends nothing.
    static func listen() async throws -> (channel: any Channel, port: UInt16) {
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).get()
        return (channel, UInt16(channel.localAddress?.port ?? 0))
    }
}
