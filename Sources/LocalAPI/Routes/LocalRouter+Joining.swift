import HTTPTypes
import Hummingbird
import KairanClient
import Node
import Wire

extension LocalRouter {
    /// Zones of other accounts, by invitation.
    static var joiningRoutes: [Route] {
        [
            Route(.get, "/v1/joins", needs: .admin) { _, _, access in
                try await access.named(.array(try await access.node.joins().map(\.json)))
            },
            Route(.post, "/v1/joins", needs: .admin) { request, context, access in
                let body = try await RequestObject(
                    JSONBody.read(request, limit: RequestBodyLimit.small),
                    allowing: ["link"]
                )
                let link = try body.requiredText("link")
                return .json(try await context.whileWanted { try await access.node.join(link: link) }.json)
            },
            Route(.delete, "/v1/joins/{invite}", needs: .admin) { _, context, access in
                try await access.node.forgetJoin(try context.segment("invite"))
                return .noContent
            },
        ]
    }
}

extension JoinStatus {
    fileprivate var json: JSONValue {
        ["zone": JSONValue(zone?.text), "rights": JSONValue(rights?.name), "state": .string(state.rawValue)]
    }
}

extension OpenJoinStatus {
    fileprivate var json: JSONValue {
        [
            "invite": .string(invite), "account": .string(account.text), "state": .string(state.rawValue),
            "zone_name": JSONValue(zoneName), "opened_at": JSONValue(milliseconds: openedMilliseconds),
        ]
    }
}
