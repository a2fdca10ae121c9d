import HTTPTypes
import Hummingbird
import KairanInterface
import Node
import Wire

extension LocalRouter {
    /// Zones of other accounts, by invitation.
    static var joiningRoutes: [Route] {
        [
            Route(.get, "/v1/joins", needs: .admin) { _, _, access in
                try await access.named(try await access.node.joining.joins())
            },
            Route(.post, "/v1/joins", needs: .admin) { request, context, access in
                let body = try await RequestObject(
                    JSONBody.read(request, limit: RequestBodyLimit.small),
                    allowing: ["link"]
                )
                let link = try body.requiredText("link")
                return try .json(try await context.whileWanted { try await access.node.joining.join(link: link) })
            },
            Route(.delete, "/v1/joins/{invite}", needs: .admin) { _, context, access in
                try await access.node.joining.forgetJoin(try context.segment("invite"))
                return .noContent
            },
        ]
    }
}
