import HTTPTypes
import Hummingbird
import KairanInterface
import Node

extension LocalRouter {
    /// Containers, and whether a program can work with the account.
    static var containerRoutes: [Route] {
        [
            Route(.get, "/v1/account/status", needs: .read) { _, _, access in
                let readiness = try await access.node.containers.accountReadiness()
                if readiness.obstacle == nil, let refusal = access.writeRefusal {
                    return try .json(resource: readiness.resource(refusedWith: refusal))
                }
                return try .json(readiness)
            },
            Route(.get, "/v1/containers", needs: .read) { _, _, access in
                try .json(try await access.node.containers.list())
            },
            Route(.get, "/v1/containers/{container}", needs: .read) { _, context, access in
                let container = try context.segment("container")
                try access.require(container: container)
                return try .json(try await access.node.containers.container(container))
            },
        ]
    }

    /// Zones.
    static var zoneRoutes: [Route] {
        [
            Route(.get, "/v1/zones", needs: .read, query: ["database"]) { request, _, access in
                try await access.named(try await access.node.zones.list(in: try request.database()))
            },
            Route(.post, "/v1/zones", needs: .write) { request, _, access in
                let body = try await RequestObject(
                    JSONBody.read(request, limit: RequestBodyLimit.small),
                    allowing: ["name", "container", "history", "default", "pair_with"]
                )
                return try await createZone(body, access)
            },
            Route(.get, "/v1/zones/{zone}", needs: .read) { _, context, access in
                try await access.named(try await access.node.zones.zone(try context.segment("zone")))
            },
            Route(.get, "/v1/gone-zones", needs: .read) { _, _, access in
                try .json(try await access.node.zones.goneZones())
            },
            Route(.delete, "/v1/zones/{zone}", needs: .write, query: ["reason"]) { request, context, access in
                try await access.node.zones.deleteZone(
                    try context.segment("zone"),
                    reason: try request.parameter("reason") ?? ""
                )
                return .noContent
            },
        ]
    }

    private static func createZone(_ body: RequestObject, _ access: RouteAccess) async throws -> Response {
        let container = try body.requiredText("container")
        try access.require(container: container)
        if try body.flag("default") {
            for name in ["name", "history", "pair_with"] where body[name] != nil {
                throw NodeError.invalid(body.place(name), "a default zone has its own")
            }
            let (zone, isNew) = try await access.node.zones.defaultZone(of: container)
            return try await access.named(zone, status: isNew ? .created : .ok)
        }
        if let account = try body.text("pair_with") {
            if body["history"] != nil { throw NodeError.invalid(body.place("history"), "a pair zone has its own") }
            let name = try body.requiredText("name")
            let (zone, isNew) = try await access.node.zones.pairZone(name: name, container: container, with: account)
            return try await access.named(zone, status: isNew ? .created : .ok)
        }
        let zone = try await access.node.zones.createZone(
            name: body.requiredText("name"),
            container: container,
            history: body.history()
        )
        return try await access.named(zone, status: .created)
    }
}
