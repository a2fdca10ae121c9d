import HTTPTypes
import KairanClient
import Node

extension LocalRouter {
    /// The account, its devices, and how they come in and go.
    var accountRoutes: [Route] {
        let node = node
        return [
            Route(.get, "/v1/account") { _, _ in .json(try await node.account().json) },
            Route(.get, "/v1/account/recovery-key") { _, _ in
                .json(["words": .array(try await node.recoveryPhrase().map { .string($0) })])
            },
            Route(.post, "/v1/account/recover") { request, context in
                let body = try await RequestObject(
                    JSONBody.read(request, limit: RequestBodyLimit.small),
                    allowing: ["words", "account"]
                )
                let words = try body.texts("words").joined(separator: " ")
                let account = try body.text("account")
                let outcome = try await context.whileWanted {
                    try await node.recoverAccount(words: words, account: account)
                }
                return .json(outcome.json)
            },
            Route(.post, "/v1/account/enrolment-tokens") { request, _ in
                let body = try await RequestObject(
                    JSONBody.read(request, limit: RequestBodyLimit.small),
                    allowing: ["uses", "expires_s", "role"]
                )
                let token = try await node.makeEnrolmentToken(
                    uses: Int(body.number("uses", in: 1...256, default: 1)),
                    lifetimeMilliseconds: UInt64(body.number("expires_s", in: 60...2_592_000, default: 86_400)) * 1_000,
                    role: body.role()
                )
                return .json(token.json, status: .created)
            },
            Route(.delete, "/v1/account/enrolment-tokens") { _, _ in
                try await node.withdrawEnrolmentTokens()
                return .noContent
            },
            Route(.delete, "/v1/devices/{device}") { _, context in
                try await node.removeDevice(try context.device())
                return .noContent
            },
        ]
    }
}
