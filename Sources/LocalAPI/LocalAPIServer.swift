import HTTPTypes
import Hummingbird
import HummingbirdCore
package import Listening
package import Logging
package import NIOCore
import NIOPosix
package import Node
import ServiceLifecycle

/// Serves the interface on a Unix socket until it is stopped.
///
/// On graceful shutdown it takes no new connections, ends event streams with an `end` event, lets requests finish
/// that are being answered, and gives up on them after a grace, ``defaultShutdownGrace`` where nothing else is stated.
package struct LocalAPIServer: Service {
    /// The address or socket to listen on.
    package enum Endpoint: Sendable, Hashable {
        /// A path to bind, and the group that the socket shall belong to (`nil` = the process's own).
        case path(String, group: UInt32?)
        /// A listening socket passed on by a service manager.
        case inherited(descriptor: Int32)
    }

    /// The time that requests may take to finish once the daemon stops.
    package static let defaultShutdownGrace = Duration.seconds(5)

    private let node: any NodeAPI
    private let endpoint: Endpoint
    private let policy: PolicyInForce
    private let metrics: RequestMetrics
    private let logger: Logger
    private let shortage: DescriptorShortage
    private let eventLoopGroup: any EventLoopGroup
    private let shutdownGrace: Duration
    private let onListening: @Sendable () async -> Void
    private let limiter: RequestLimiter

    /// Makes a server; nothing is opened before ``run()``.
    /// - Parameters:
    ///   - node: Answers.
    ///   - endpoint: The address or socket to listen on.
    ///   - policy: The policy for the rights of callers.
    ///   - metrics: The counters of requests.
    ///   - shortage: Notified when no descriptor is free for a connection; `nil` = one of its own.
    ///   - limiter: Bounds how fast applications and other users may ask.
    ///   - logger: The logger for failures.
    ///   - eventLoopGroup: Carries the connections.
    ///   - shutdownGrace: The time that requests may take to finish once the daemon stops.
    ///   - onListening: Called once connections are accepted.
    package init(
        node: any NodeAPI,
        endpoint: Endpoint,
        policy: PolicyInForce,
        metrics: RequestMetrics = RequestMetrics(),
        shortage: DescriptorShortage? = nil,
        limiter: RequestLimiter = RequestLimiter(),
        logger: Logger,
        eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        shutdownGrace: Duration = Self.defaultShutdownGrace,
        onListening: @escaping @Sendable () async -> Void = {}
    ) {
        self.node = node
        self.endpoint = endpoint
        self.policy = policy
        self.metrics = metrics
        self.limiter = limiter
        self.logger = logger
        self.shortage = shortage ?? DescriptorShortage(logger: logger)
        self.eventLoopGroup = eventLoopGroup
        self.shutdownGrace = shutdownGrace
        self.onListening = onListening
    }

    /// Listens and answers.
    /// - Throws: ``SocketError`` when the socket cannot be opened.
    package func run() async throws {
        let socket = try openSocket()
        defer { socket.removePath() }
        let responder = LocalRouter(node: node, limiter: limiter, metrics: metrics).makeResponder()
        let connections = OpenConnections()
        policy.onChange { connections.review() }
        let channel = try await listen(socket, responder: responder)
        logger.info("local interface listens")
        await onListening()
        try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await accept(from: channel, connections: connections) }
                group.addTask {
                    // Ends the wait for the connections when they take too long after the shutdown has begun.
                    try await gracefulShutdown()
                    try await Task.sleep(for: shutdownGrace)
                    logger.warning("requests were still being answered when the local interface stopped")
                }
                try await group.next()
                group.cancelAll()
            }
        } onGracefulShutdown: {
            channel.channel.close(promise: nil)
            connections.quiesce()
        }
    }

    private func openSocket() throws(SocketError) -> ListeningSocket {
        switch endpoint {
        case .path(let path, let group):
            try ListeningSocket.bind(path: path, group: group, isForOthers: policy.current.isForOthers)
        case .inherited(let descriptor): try ListeningSocket.inherit(descriptor: descriptor)
        }
    }

    private func listen(
        _ socket: ListeningSocket,
        responder: some HTTPResponder<LocalRequestContext>
    ) async throws -> NIOAsyncChannel<AcceptedConnection, Never> {
        try await ServerBootstrap(group: eventLoopGroup)
            .serverChannelInitializer { [shortage] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptPause(shortage))
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .bind(socket.descriptor) { channel in
                PeerCredentials.of(channel).flatMap { peer in
                    let caller = policy.current.caller(peer)
                    let http = HTTP1Channel(
                        responder: respond(with: responder, caller: caller, peer),
                        // A caller that is neither an administrator nor an application must not hold a descriptor for
                        // long.
                        configuration: HTTP1Channel.Configuration(idleTimeout: caller.isOther ? .seconds(5) : nil)
                    )
                    return http.setup(channel: channel, logger: logger).map {
                        AcceptedConnection($0, http: http, caller: caller, peer: peer, logger: logger)
                    }
                }
            }
    }

    private func accept(
        from channel: NIOAsyncChannel<AcceptedConnection, Never>,
        connections: OpenConnections
    ) async throws {
        let (places, executors) = (ConnectionPlaces(), EventLoopExecutors())
        try await channel.executeThenClose { inbound in
            try await withThrowingDiscardingTaskGroup { group in
                for try await connection in inbound {
                    let channel = connection.channel
                    let hasPlace = places.take(connection.caller, user: connection.user)
                    if !hasPlace {
                        logger.debug("closed a connection beyond a user's limit", metadata: connection.metadata)
                        channel.close(promise: nil)
                    }
                    connections.add(channel) { [policy, peer = connection.peer, caller = connection.caller] in
                        policy.current.caller(peer) == caller
                    }
                    group.addTask(executorPreference: executors.executor(of: channel.eventLoop)) {
                        await connection.serve()
                        connections.remove(channel)
                        if hasPlace { places.release(connection.caller, user: connection.user) }
                    }
                }
            }
        }
    }

    /// Returns the responder for one connection; the server identified the peer process once, when the connection was
    /// made.
    private func respond(
        with responder: some HTTPResponder<LocalRequestContext>,
        caller: Caller,
        _ peer: PeerCredentials?
    ) -> HTTPChannelHandler.Responder {
        { request, writer, channel in
            let response: Response
            if caller.isAdmitted {
                // Some programs wait for this before they send a long body.
                if !caller.isOther, request.headers[.expect]?.lowercased() == "100-continue" {
                    try await writer.writeInformationalHead(HTTPResponse(status: .continue))
                }
                let source = ApplicationRequestContextSource(channel: channel, logger: logger)
                do {
                    var context = LocalRequestContext(source: source)
                    context.caller = caller
                    response = try await responder.respond(to: request, context: context)
                } catch {
                    // The routes answer every error themselves; an error that arrives here is a mistake of ours.
                    logger.error("request failed", metadata: ["error": "\(LibraryError.words(for: error))"])
                    response = ProblemDocument.internalError.response
                }
            } else {
                // The limit also keeps callers from filling the log.
                if limiter.wait(for: .other(seesStatus: false)) == nil {
                    logger.notice("refused a caller", metadata: ["uid": "\(peer?.user.description ?? "unknown")"])
                }
                response = Self.refusal(peer)
            }
            try await writer.write(response: response.head, body: response.body)
        }
    }

    private static func refusal(_ peer: PeerCredentials?) -> Response {
        let user = peer.map { "User \($0.user)" } ?? "This process"
        return ProblemDocument(
            NodeError(
                .forbidden,
                "\(user) may not use this socket.",
                fix: "Ask as root, as the daemon's user or group, or have an application bound to this user."
            )
        ).response
    }
}
