import HTTPTypes
import Hummingbird
import KairanInterface
import Node
import Wire

extension LocalRouter {
    /// The routes for the rights in a zone.
    static var sharingRoutes: [Route] {
        let path = "/v1/zones/{zone}"
        return [
            Route(.get, path + "/shares", needs: .read) { _, context, access in
                let share = try await access.node.sharing.share(of: try context.segment("zone"))
                return try await access.named(access.isBare ? share.bare : share)
            },
            Route(.post, path + "/shares", needs: .admin) { request, context, access in
                let body = try await RequestObject(
                    JSONBody.read(request, limit: RequestBodyLimit.small),
                    allowing: ["account", "rights", "depth", "types", "prefix", "expires_s"]
                )
                let (participant, isNew) = try await access.node.sharing.share(
                    zone: try context.segment("zone"),
                    with: body.requiredText("account"),
                    terms: body.shareTerms(expires: "expires_s")
                )
                return try await access.named(participant, status: isNew ? .created : .ok)
            },
            Route(.delete, path + "/shares/{account}", needs: .admin, query: ["reason", "keep_below"]) {
                request,
                context,
                access in
                let status = try await access.node.sharing.revokeShare(
                    zone: try context.segment("zone"),
                    account: try context.segment("account"),
                    reason: try request.parameter("reason") ?? "",
                    keepsBelow: try request.flag("keep_below")
                )
                return try .json(status)
            },
            Route(.post, path + "/shares/{account}/raise-cut", needs: .admin) { _, context, access in
                let status = try await access.node.sharing.raiseCut(
                    zone: try context.segment("zone"),
                    account: try context.segment("account")
                )
                return try .json(status)
            },
            Route(.post, path + "/epochs", needs: .admin) { _, context, access in
                try .json(
                    try await access.node.sharing.rotateEpoch(zone: try context.segment("zone")),
                    status: .created
                )
            },
            Route(.post, path + "/leave", needs: .admin) { _, context, access in
                let zone = try await access.node.sharing.leave(zone: try context.segment("zone"))
                return try .json(resource: Membership(zone: zone.text, rights: .none, state: "left"))
            },
            Route(.post, path + "/transfer", needs: .admin) { request, context, access in
                let body = try await RequestObject(
                    JSONBody.read(request, limit: RequestBodyLimit.small),
                    allowing: ["account", "keep"]
                )
                let status = try await access.node.transfers.offerTransfer(
                    of: try context.segment("zone"),
                    to: body.requiredText("account"),
                    keeping: body.level("keep")
                )
                return try .json(status)
            },
            Route(.delete, path + "/transfer", needs: .admin) { _, context, access in
                try .json(try await access.node.transfers.withdrawTransfer(of: try context.segment("zone")))
            },
            Route(.post, path + "/transfer/accept", needs: .admin) { _, context, access in
                try .json(
                    try await access.node.transfers.answerTransfer(of: try context.segment("zone"), accepting: true)
                )
            },
            Route(.post, path + "/transfer/decline", needs: .admin) { _, context, access in
                try .json(
                    try await access.node.transfers.answerTransfer(of: try context.segment("zone"), accepting: false)
                )
            },
            Route(.put, path + "/public", needs: .admin) { request, context, access in
                let body = try await RequestObject(
                    JSONBody.read(request, limit: RequestBodyLimit.small),
                    allowing: ["world", "authenticated", "creator"]
                )
                let change = try body.publicAccess()
                return try .json(
                    try await access.node.sharing.setPublicAccess(zone: try context.segment("zone"), change)
                )
            },
        ]
    }
}
