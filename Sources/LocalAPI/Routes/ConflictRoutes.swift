import Hummingbird
import KairanInterface
import Node

/// The routes for records with concurrent versions.
enum ConflictRoutes {
    /// All of them.
    static var all: [Route] {
        [
            Route(.get, "/v1/conflicts", needs: .read, query: ["zone", "name", "after", "limit"]) {
                request,
                _,
                access in
                let page = try await access.node.conflicts.open(
                    zone: try request.parameter("zone"),
                    name: try request.parameter("name"),
                    after: try request.parameter("after"),
                    limit: try request.number("limit", in: 1...1000, default: 200)
                )
                return .json(page.json)
            },
            Route(.post, "/v1/zones/{zone}/records/{name}/resolve", needs: .write) { request, context, access in
                let body = try await JSONBody.read(request, limit: RequestBodyLimit.record)
                let record = try await access.node.conflicts.resolve(
                    zone: try context.segment("zone"),
                    name: try context.segment("name"),
                    with: try ConflictResolution(interfaceJSON: body)
                )
                return .json(record.json)
            },
        ]
    }
}
