import HTTPTypes
import Hummingbird
import KairanInterface
import Node
import Wire

extension LocalRouter {
    /// The routes for the names of accounts and devices.
    static var nameRoutes: [Route] {
        [
            Route(.get, "/v1/accounts", needs: .admin) { _, _, access in
                try .json(try await access.node.naming.accountNames().accounts)
            },
            Route(.put, "/v1/account/name", needs: .admin) { request, _, access in
                try await access.node.naming.nameAccount(try await text("name", of: request))
                return try await access.named(try await access.node.devices.account())
            },
            Route(.put, "/v1/devices/{device}/name", needs: .admin) { request, context, access in
                let name = try await text("name", of: request)
                let device = try context.device()
                try await access.node.naming.renameDevice(device, to: name)
                return try .json(DeviceName(device: device, name: name))
            },
            Route(.put, "/v1/accounts/{account}/petname", needs: .admin) { request, context, access in
                let account = try context.segment("account")
                let petname = try await text("petname", of: request)
                return try .json(try await access.node.naming.setPetname(of: account, petname))
            },
            Route(.delete, "/v1/accounts/{account}/petname", needs: .admin) { _, context, access in
                _ = try await access.node.naming.setPetname(of: try context.segment("account"), nil)
                return .noContent
            },
        ]
    }

    /// The one text of a request.
    private static func text(_ member: String, of request: Request) async throws -> String {
        let body = try await RequestObject(JSONBody.read(request, limit: RequestBodyLimit.small), allowing: [member])
        return try body.requiredText(member)
    }
}
