import HTTPTypes
import Hummingbird
import KairanInterface
import Node
import Wire

extension LocalRouter {
    /// The routes for the schema of a container.
    static var schemaRoutes: [Route] {
        let path = "/v1/containers/{container}/schema"
        return [
            Route(.get, path, needs: .read) { _, context, access in
                let container = try context.segment("container")
                try access.require(container: container)
                return .json(try await access.node.schemas.schema(container: container).json)
            },
            Route(.put, path, needs: .write) { request, context, access in
                let container = try context.segment("container")
                try access.require(container: container)
                let body = try await JSONBody.read(request, limit: RequestBodyLimit.record)
                let schema = try Schema(interfaceJSON: body)
                return .json(try await access.node.schemas.declareSchema(schema, container: container).json)
            },
            Route(.post, path + "/check", needs: .read) { request, context, access in
                let container = try context.segment("container")
                try access.require(container: container)
                let body = try await JSONBody.readIfAny(request, limit: RequestBodyLimit.record)
                let schema = try body.map { json throws(NodeError) in try Schema(interfaceJSON: json) }
                let differences = try await access.node.schemas.checkSchema(schema, container: container)
                return .json([
                    "promotable": .bool(!differences.contains { $0.refusal != nil }),
                    "differences": .array(differences.map(\.json)),
                ])
            },
            Route(.post, path + "/promote", needs: .admin) { _, context, access in
                .json(try await access.node.schemas.promoteSchema(container: try context.segment("container")).json)
            },
        ]
    }
}
