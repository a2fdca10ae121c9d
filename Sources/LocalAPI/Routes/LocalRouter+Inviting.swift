import HTTPTypes
import Hummingbird
import KairanInterface
import Node
import Wire

extension LocalRouter {
    /// The routes for invitations to a zone.
    static var invitingRoutes: [Route] {
        let path = "/v1/zones/{zone}"
        return [
            Route(.post, path + "/invites", needs: .admin) { request, context, access in
                let body = try await RequestObject(
                    JSONBody.read(request, limit: RequestBodyLimit.small),
                    allowing: [
                        "rights", "depth", "types", "prefix", "uses", "expires_s", "approval", "addresses",
                        "countersigner",
                    ]
                )
                let (invite, isNew) = try await access.node.inviting.invite(
                    zone: try context.segment("zone"),
                    terms: body.shareTerms(expires: nil),
                    limits: body.inviteLimits()
                )
                return try .json(invite, status: isNew ? .created : .ok)
            },
            Route(.delete, path + "/invites/{invite}", needs: .admin) { _, context, access in
                try await access.node.inviting.withdrawInvite(
                    try context.segment("invite"),
                    zone: try context.segment("zone")
                )
                return .noContent
            },
            Route(.post, path + "/requests/{request}/approve", needs: .admin) { _, context, access in
                let isIn = try await access.node.inviting.approveRequest(
                    try context.segment("request"),
                    zone: try context.segment("zone")
                )
                return .json(["state": isIn ? "joined" : "waiting_inviter"])
            },
            Route(.post, path + "/requests/{request}/deny", needs: .admin) { _, context, access in
                try await access.node.inviting.denyRequest(
                    try context.segment("request"),
                    zone: try context.segment("zone")
                )
                return .json(["state": "denied"])
            },
        ]
    }

    /// The routes for blocked accounts.
    static var blockRoutes: [Route] {
        [
            Route(.get, "/v1/blocks", needs: .admin) { _, _, access in
                try await access.named(try await access.node.inviting.blocks())
            },
            Route(.put, "/v1/blocks/{account}", needs: .admin) { _, context, access in
                try await access.named(try await access.node.inviting.block(account: try context.segment("account")))
            },
            Route(.delete, "/v1/blocks/{account}", needs: .admin) { _, context, access in
                try await access.node.inviting.unblock(account: try context.segment("account"))
                return .noContent
            },
        ]
    }
}
