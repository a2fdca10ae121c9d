import HTTPTypes
import Hummingbird
import KairanInterface
import Node

extension LocalRouter {
    /// The routes for the relays of the account, and for the accounts for which this machine keeps parcels.
    static var relayRoutes: [Route] {
        [
            Route(.get, "/v1/relays", needs: .admin) { _, _, access in
                try .json(try await access.node.relaying.relays())
            },
            Route(.post, "/v1/relays", needs: .admin) { request, _, access in
                let body = try await RequestObject(
                    JSONBody.read(request, limit: RequestBodyLimit.small),
                    allowing: ["link"]
                )
                let (relay, isNew) = try await access.node.relaying.useRelay(link: try body.requiredText("link"))
                return try .json(relay, status: isNew ? .created : .ok)
            },
            Route(.delete, "/v1/relays/{relay}", needs: .admin) { _, context, access in
                try await access.node.relaying.forgetRelay(try context.segment("relay"))
                return .noContent
            },
            Route(.get, "/v1/relay/admissions", needs: .admin) { _, _, access in
                try .json(try await access.node.admitting.admissions())
            },
            Route(.post, "/v1/relay/admissions", needs: .admin) { request, _, access in
                let body = try await RequestObject(
                    JSONBody.read(request, limit: RequestBodyLimit.small),
                    allowing: ["name", "quota_bytes", "addresses"]
                )
                let (admission, link) = try await access.node.admitting.admit(
                    name: try body.requiredText("name"),
                    quotaByteCount: try body.quota("quota_bytes"),
                    addresses: try body.texts("addresses")
                )
                return try .json(resource: admission.resource(with: link), status: .created)
            },
            Route(.delete, "/v1/relay/admissions/{admission}", needs: .admin) { _, context, access in
                try await access.node.admitting.dismiss(try context.segment("admission"))
                return .noContent
            },
        ]
    }
}
