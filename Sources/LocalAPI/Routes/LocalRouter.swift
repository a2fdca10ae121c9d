package import Hummingbird
import HTTPTypes
import KairanInterface
import NIOCore
package import Node
import Wire

/// The routes of the interface over a node.
///
/// It does not depend on sockets: the context of each request holds the caller. Without a caller, all requests are
/// refused.
package struct LocalRouter: Sendable {
    private let node: any NodeAPI
    private let limiter: RequestLimiter
    private let metrics: RequestMetrics

    /// Makes the routes over a node.
    /// - Parameters:
    ///   - node: The node that answers the requests.
    ///   - limiter: Limits the request rates of callers that are not administrators.
    ///   - metrics: The counters of the interface.
    package init(
        node: any NodeAPI,
        limiter: RequestLimiter = RequestLimiter(),
        metrics: RequestMetrics = RequestMetrics()
    ) {
        self.node = node
        self.limiter = limiter
        self.metrics = metrics
    }

    /// All routes.
    static var routes: [Route] {
        statusRoutes + accountRoutes + nameRoutes + containerRoutes + pairingRoutes + zoneRoutes + sharingRoutes
            + invitingRoutes + joiningRoutes + blockRoutes + relayRoutes + recordRoutes + pendingRoutes
            + quarantineRoutes
            + schemaRoutes
            + bulkRoutes
            + messageRoutes
            + feedRoutes
            + queryRoutes
            + AssetRoutes.all + ConflictRoutes.all + LinkRoutes.all
    }

    /// Builds the responder to requests.
    package func makeResponder() -> some HTTPResponder<LocalRequestContext> {
        let routes = Self.routes
        let node = node
        var paths = RoutePaths()
        for route in routes { paths.add(route.method.rawValue, route.path) }
        let router = Router(context: LocalRequestContext.self)
        router.add(middleware: MetricsMiddleware(metrics: metrics))
        router.add(middleware: ErrorMiddleware(routes: paths))
        router.add(middleware: BrowserMiddleware())
        router.add(middleware: AccessMiddleware(limiter: limiter))
        router.add(middleware: ExactPathMiddleware())
        for route in routes {
            router.on(RouterPath(route.path), method: route.method) { request, context in
                try await route.respond(to: request, context, node: node)
            }
        }
        return router.buildResponder()
    }

    /// All paths with their methods, like `GET /v1/status`.
    package static var paths: [String] {
        var paths = RoutePaths()
        for route in routes {
            paths.add(route.method.rawValue, route.path)
        }
        return paths.all
    }
}

extension LocalRouter {
    /// `status`, `peers`, `metrics` and the interface's own description.
    private static var statusRoutes: [Route] {
        [
            Route(.get, "/v1/status", needs: .anyone) { _, _, access in
                let status = try await access.node.health.status()
                return try access.isBare ? .json(resource: status.bare) : .json(status)
            },
            Route(.get, "/v1/peers", needs: .admin, query: ["ping"]) { request, _, access in
                let peers = try await access.node.peers.list(pinging: try request.flag("ping"))
                return try await access.named(peers)
            },
            Route(.get, "/v1/doctor", needs: .admin) { _, context, access in
                let checks = try await context.whileWanted { try await access.node.health.examine() }
                return try .json(checks)
            },
            Route(.get, "/v1/doctor/progress", needs: .admin) { _, context, access in
                ExaminationRoute(health: access.node.health).response(context)
            },
            Route(.put, "/v1/health/{code}/acknowledgement", needs: .admin) { _, context, access in
                try await access.node.health.acknowledge(warning: try context.segment("code"))
                return .noContent
            },
            Route(.delete, "/v1/health/{code}/acknowledgement", needs: .admin) { _, context, access in
                try await access.node.health.withdrawAcknowledgement(of: try context.segment("code"))
                return .noContent
            },
            Route(.get, "/v1/metrics", needs: .admin) { _, _, access in
                Response(
                    status: .ok,
                    headers: [.contentType: MediaType.metrics, .cacheControl: "no-store"],
                    body: ResponseBody(byteBuffer: ByteBuffer(string: try await access.node.metrics.text()))
                )
            },
            Route(.get, "/v1/openapi.yaml", needs: .application) { _, _, _ in
                Response(
                    status: .ok,
                    headers: [.contentType: "application/yaml"],
                    body: ResponseBody(byteBuffer: ByteBuffer(string: OpenAPIDocument.text))
                )
            },
        ]
    }

    /// Pairing.
    private static var pairingRoutes: [Route] {
        [
            Route(.post, "/v1/pairing/offers", needs: .admin) { request, _, access in
                let body = try await JSONBody.readIfAny(request, limit: RequestBodyLimit.small)
                let role = try body.map { try RequestObject($0, allowing: ["role"]).role() } ?? .full
                return try .json(try await access.node.pairing.offerPairing(role: role), status: .created)
            },
            Route(.get, "/v1/pairing/offers/{ticket}", needs: .admin, query: ["wait_ms"]) { request, context, access in
                let ticket = try context.segment("ticket")
                let wait = try request.number("wait_ms", in: 0...60_000, default: 0)
                let outcome = try await context.whileWanted {
                    try await access.node.pairing.awaitPairing(ticket: ticket, waitMilliseconds: wait)
                }
                return try outcome.map { try .json($0) } ?? .noContent
            },
            Route(.post, "/v1/pairing/accept", needs: .admin) { request, context, access in
                let body = try await RequestObject(
                    JSONBody.read(request, limit: RequestBodyLimit.small),
                    allowing: ["ticket"]
                )
                let ticket = try body.requiredText("ticket")
                return try .json(
                    try await context.whileWanted { try await access.node.pairing.acceptPairing(ticket: ticket) }
                )
            },
        ]
    }

    /// The routes for writes in quarantine.
    private static var quarantineRoutes: [Route] {
        let path = "/v1/zones/{zone}/quarantine"
        return [
            Route(.get, "/v1/quarantine", needs: .read) { _, _, access in
                try .json(try await access.node.quarantine.list(zone: nil))
            },
            Route(.get, path, needs: .read) { _, context, access in
                try .json(try await access.node.quarantine.list(zone: try context.segment("zone")))
            },
            Route(.post, path + "/{id}/adopt", needs: .write) { _, context, access in
                let isWritten = try await access.node.quarantine.adoptQuarantined(
                    try context.segment("id"),
                    zone: try context.segment("zone")
                )
                return .json(["adopted": .bool(isWritten)])
            },
            Route(.delete, path + "/{id}", needs: .admin) { _, context, access in
                try await access.node.quarantine.purgeQuarantined(
                    try context.segment("id"),
                    zone: try context.segment("zone")
                )
                return .noContent
            },
        ]
    }

    /// The reasons why zones are not synchronised.
    private static var pendingRoutes: [Route] {
        [
            Route(.get, "/v1/pending", needs: .read) { _, _, access in
                try .json(try await access.node.peers.pending(zone: nil))
            },
            Route(.get, "/v1/zones/{zone}/pending", needs: .read) { _, context, access in
                try .json(try await access.node.peers.pending(zone: try context.segment("zone")))
            },
        ]
    }

    /// Many records at once.
    private static var bulkRoutes: [Route] {
        [
            Route(.post, "/v1/zones/{zone}/batch", needs: .write) { request, context, access in
                try await BatchRoute(records: access.node.records, zone: try context.segment("zone"))
                    .respond(to: request)
            },
            Route(.post, "/v1/zones/{zone}/import", needs: .write) { request, context, access in
                let zone = try context.segment("zone")
                // Before the answer has begun, an unknown zone is still an answer with a status of its own.
                _ = try await access.node.zones.zone(zone)
                let session = ImportSession(records: access.node.records, zone: zone, body: request.body)
                return .stream("application/x-ndjson", for: context) { writer in
                    try await session.run(writer: &writer)
                }
            },
            Route(.get, "/v1/zones/{zone}/export", needs: .read, query: ["internal"]) { request, context, access in
                let export = ExportRoute(
                    records: access.node.records,
                    zone: try context.segment("zone"),
                    showsInternal: try request.flag("internal")
                )
                return try await export.response(context)
            },
        ]
    }

    /// The routes for changes and events.
    private static var feedRoutes: [Route] {
        [
            Route(
                .get,
                "/v1/changes",
                needs: .read,
                query: ["container", "database", "type", "where", "since", "limit", "desired_keys", "internal"]
            ) {
                request,
                _,
                access in
                try await FeedRoutes(node: access.node).changes(request, zone: nil)
            },
            Route(
                .get,
                "/v1/zones/{zone}/changes",
                needs: .read,
                query: ["type", "where", "since", "limit", "desired_keys", "internal"]
            ) {
                request,
                context,
                access in
                try await FeedRoutes(node: access.node).changes(request, zone: try context.segment("zone"))
            },
            Route(
                .get,
                "/v1/events",
                needs: .read,
                query: ["container", "database", "type", "where", "since", "internal"]
            ) {
                request,
                context,
                access in
                try await FeedRoutes(node: access.node).events(request, context, zone: nil)
            },
            Route(.get, "/v1/zones/{zone}/events", needs: .read, query: ["type", "where", "since", "internal"]) {
                request,
                context,
                access in
                try await FeedRoutes(node: access.node).events(request, context, zone: try context.segment("zone"))
            },
        ]
    }
}
