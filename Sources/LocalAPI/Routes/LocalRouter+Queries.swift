import Hummingbird
import KairanInterface
import Node
import Queries

extension LocalRouter {
    /// Queries, and the indexes that make them fast.
    static var queryRoutes: [Route] {
        let indexes = "/v1/containers/{container}/indexes"
        return [
            Route(.post, "/v1/zones/{zone}/query", needs: .read) { request, context, access in
                let zone = try context.segment("zone")
                let body = try await JSONBody.read(request, limit: RequestBodyLimit.small)
                let query = try QueryRequest(interfaceJSON: body)
                return .json(
                    try await context.whileWanted { try await access.node.records.query(zone: zone, query) }.json
                )
            },
            Route(.get, indexes, needs: .read) { _, context, access in
                let container = try context.segment("container")
                try access.require(container: container)
                return try .json(try await access.node.indexes.fieldIndexes(container: container))
            },
            Route(.put, indexes, needs: .write) { request, context, access in
                let container = try context.segment("container")
                try access.require(container: container)
                let body = try await JSONBody.read(request, limit: RequestBodyLimit.small)
                let indexes = try FieldIndex.list(interfaceJSON: body)
                let statuses = try await access.node.indexes.setFieldIndexes(indexes, container: container)
                return try .json(statuses)
            },
        ]
    }
}
