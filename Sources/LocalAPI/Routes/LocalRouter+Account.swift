import HTTPTypes
import KairanClient
import Node

extension LocalRouter {
    /// The account, its devices, and how they come in and go.
    static var accountRoutes: [Route] {
        [
            Route(.get, "/v1/account", needs: .admin) { _, _, access in .json(try await access.node.account().json) },
            Route(.get, "/v1/account/recovery-key", needs: .admin) { _, _, access in
                .json(["words": .array(try await access.node.recoveryPhrase().map { .string($0) })])
            },
            Route(.post, "/v1/account/recover", needs: .admin) { request, context, access in
                let body = try await RequestObject(
                    JSONBody.read(request, limit: RequestBodyLimit.small),
                    allowing: ["words", "account"]
                )
                let words = try body.texts("words").joined(separator: " ")
                let account = try body.text("account")
                let outcome = try await context.whileWanted {
                    try await access.node.recoverAccount(words: words, account: account)
                }
                return .json(outcome.json)
            },
            Route(.post, "/v1/account/enrolment-tokens", needs: .admin) { request, _, access in
                let body = try await RequestObject(
                    JSONBody.read(request, limit: RequestBodyLimit.small),
                    allowing: ["uses", "expires_s", "role"]
                )
                let token = try await access.node.makeEnrolmentToken(
                    uses: Int(body.number("uses", in: 1...256, default: 1)),
                    lifetimeMilliseconds: UInt64(body.number("expires_s", in: 60...2_592_000, default: 86_400)) * 1_000,
                    role: body.role()
                )
                return .json(token.json, status: .created)
            },
            Route(.delete, "/v1/account/enrolment-tokens", needs: .admin) { _, _, access in
                try await access.node.withdrawEnrolmentTokens()
                return .noContent
            },
            Route(.delete, "/v1/devices/{device}", needs: .admin) { _, context, access in
                try await access.node.removeDevice(try context.device())
                return .noContent
            },
        ]
    }
}
