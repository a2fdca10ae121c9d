package import Hummingbird
import HTTPTypes
import KairanClient
import NIOCore
package import Node
import Wire

/// The routes of the interface over a node.
///
/// Knows nothing of sockets and of who asks: ``LocalAPIServer`` lets in only whom the policy admits.
package struct LocalRouter: Sendable {
    typealias Handler = @Sendable (Request, LocalRequestContext) async throws -> Response

    let node: any NodeAPI

    /// Makes the routes over a node.
    package init(node: any NodeAPI) {
        self.node = node
    }

    /// Builds what answers requests.
    package func makeResponder() -> some HTTPResponder<LocalRequestContext> {
        let routes = statusRoutes + accountRoutes + pairingRoutes + zoneRoutes + recordRoutes + bulkRoutes + feedRoutes
        var paths = RoutePaths()
        for route in routes { paths.add(route.method.rawValue, route.path) }
        let router = Router(context: LocalRequestContext.self)
        router.add(middleware: ErrorMiddleware(routes: paths))
        router.add(middleware: BrowserMiddleware())
        for route in routes {
            router.on(RouterPath(route.path), method: route.method, use: route.handler)
        }
        return router.buildResponder()
    }

    /// All paths with their methods, like `GET /v1/status`.
    package var paths: [String] {
        var paths = RoutePaths()
        for route in statusRoutes + accountRoutes + pairingRoutes + zoneRoutes + recordRoutes + bulkRoutes + feedRoutes
        {
            paths.add(route.method.rawValue, route.path)
        }
        return paths.all
    }
}

extension LocalRouter {
    /// `status`, `peers` and the interface's own description.
    private var statusRoutes: [Route] {
        let node = node
        return [
            Route(.get, "/v1/status") { _, _ in .json(try await node.status().json) },
            Route(.get, "/v1/peers") { _, _ in .json(.array(try await node.peers().map(\.json))) },
            Route(.get, "/v1/openapi.yaml") { _, _ in
                Response(
                    status: .ok,
                    headers: [.contentType: "application/yaml"],
                    body: ResponseBody(byteBuffer: ByteBuffer(string: OpenAPIDocument.text))
                )
            },
        ]
    }

    /// Pairing.
    private var pairingRoutes: [Route] {
        let node = node
        return [
            Route(.post, "/v1/pairing/offers") { request, _ in
                let body = try await JSONBody.readIfAny(request, limit: RequestBodyLimit.small)
                let role = try body.map { try RequestObject($0, allowing: ["role"]).role() } ?? .full
                return .json(try await node.offerPairing(role: role).json, status: .created)
            },
            Route(.get, "/v1/pairing/offers/{ticket}") { request, context in
                let ticket = try context.segment("ticket")
                let wait = try request.number("wait_ms", in: 0...60_000, default: 0)
                let outcome = try await context.whileWanted {
                    try await node.awaitPairing(ticket: ticket, waitMilliseconds: wait)
                }
                return outcome.map { .json($0.json) } ?? .noContent
            },
            Route(.post, "/v1/pairing/accept") { request, context in
                let body = try await RequestObject(
                    JSONBody.read(request, limit: RequestBodyLimit.small),
                    allowing: ["ticket"]
                )
                let ticket = try body.requiredText("ticket")
                return .json(try await context.whileWanted { try await node.acceptPairing(ticket: ticket) }.json)
            },
        ]
    }

    /// Zones.
    private var zoneRoutes: [Route] {
        let node = node
        return [
            Route(.get, "/v1/zones") { _, _ in .json(.array(try await node.zones().map(\.json))) },
            Route(.post, "/v1/zones") { request, _ in
                let body = try await RequestObject(
                    JSONBody.read(request, limit: RequestBodyLimit.small),
                    allowing: ["name", "container", "history"]
                )
                let zone = try await node.createZone(
                    name: body.requiredText("name"),
                    container: body.requiredText("container"),
                    history: body.history()
                )
                return .json(zone.json, status: .created)
            },
            Route(.get, "/v1/zones/{zone}") { _, context in
                .json(try await node.zone(try context.segment("zone")).json)
            },
            Route(.delete, "/v1/zones/{zone}") { _, context in
                try await node.deleteZone(try context.segment("zone"))
                return .noContent
            },
        ]
    }

    /// Single records.
    private var recordRoutes: [Route] {
        let node = node
        let path = "/v1/zones/{zone}/records"
        return [
            Route(.get, path) { request, context in
                let page = try await node.records(
                    zone: try context.segment("zone"),
                    after: try request.parameter("after"),
                    limit: try request.number("limit", in: 1...1000, default: 200)
                )
                return .json(page.json)
            },
            Route(.get, path + "/{name}") { _, context in
                .json(try await node.record(zone: try context.segment("zone"), name: try context.segment("name")).json)
            },
            Route(.put, path + "/{name}") { request, context in
                let zone = try context.segment("zone")
                let name = try context.segment("name")
                let body = try await JSONBody.read(request, limit: RequestBodyLimit.record)
                return .json(try await node.writeOne(RecordChange(interfaceJSON: body, name: name), zone: zone).json)
            },
            Route(.delete, path + "/{name}") { request, context in
                let deletion = RecordChange(
                    name: try context.segment("name"),
                    isDeletion: true,
                    ifVersion: try request.parameter("if_version")
                )
                return .json(try await node.writeOne(deletion, zone: try context.segment("zone")).json)
            },
            Route(.post, path + "/{name}/resolve") { request, context in
                let body = try await JSONBody.read(request, limit: RequestBodyLimit.record)
                let record = try await node.resolve(
                    zone: try context.segment("zone"),
                    name: try context.segment("name"),
                    with: try ConflictResolution(interfaceJSON: body)
                )
                return .json(record.json)
            },
            Route(.get, "/v1/conflicts") { request, _ in
                .json(.array(try await node.conflicts(zone: try request.parameter("zone")).map(\.json)))
            },
        ]
    }

    /// Many records at once.
    private var bulkRoutes: [Route] {
        let node = node
        return [
            Route(.post, "/v1/zones/{zone}/batch") { request, context in
                try await BatchRoute(node: node, zone: try context.segment("zone")).respond(to: request)
            },
            Route(.post, "/v1/zones/{zone}/import") { request, context in
                let zone = try context.segment("zone")
                // Before the answer has begun, an unknown zone is still an answer with a status of its own.
                _ = try await node.zone(zone)
                let session = ImportSession(node: node, zone: zone, body: request.body)
                return .stream("application/x-ndjson", logger: context.logger) { writer in
                    try await session.run(writer: &writer)
                }
            },
            Route(.get, "/v1/zones/{zone}/export") { _, context in
                try await ExportRoute(node: node, zone: try context.segment("zone")).response(logger: context.logger)
            },
        ]
    }

    /// What changed and what happens.
    private var feedRoutes: [Route] {
        let feed = FeedRoutes(node: node)
        return [
            Route(.get, "/v1/changes") { request, _ in try await feed.changes(request, zone: nil) },
            Route(.get, "/v1/zones/{zone}/changes") { request, context in
                try await feed.changes(request, zone: try context.segment("zone"))
            },
            Route(.get, "/v1/events") { request, context in try await feed.events(request, context, zone: nil) },
            Route(.get, "/v1/zones/{zone}/events") { request, context in
                try await feed.events(request, context, zone: try context.segment("zone"))
            },
        ]
    }
}
