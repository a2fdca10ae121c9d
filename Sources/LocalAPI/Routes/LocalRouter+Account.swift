import HTTPTypes
import Hummingbird
import KairanInterface
import Node

extension LocalRouter {
    /// The account, its devices, and how they come in and go.
    static var accountRoutes: [Route] {
        [
            Route(.get, "/v1/account", needs: .admin) { _, _, access in
                try await access.named(try await access.node.devices.account())
            },
            Route(.get, "/v1/account/recovery-key", needs: .admin) { _, _, access in
                .json(["words": .array(try await access.node.devices.recoveryPhrase().map { .string($0) })])
            },
            Route(.post, "/v1/account/recovery-key", needs: .admin) { request, _, access in
                let replaced = try await access.node.devices.replaceRecoveryWords(words: try await words(of: request))
                return .json(["words": .array(replaced.map { .string($0) })], status: .created)
            },
            Route(.post, "/v1/account/recover", needs: .admin) { request, context, access in
                let body = try await RequestObject(
                    JSONBody.read(request, limit: RequestBodyLimit.small),
                    allowing: ["words", "account"]
                )
                let words = try body.texts("words").joined(separator: " ")
                let account = try body.text("account")
                let outcome = try await context.whileWanted {
                    try await access.node.devices.recoverAccount(words: words, account: account)
                }
                return try .json(outcome)
            },
            Route(.post, "/v1/account/enrolment-tokens", needs: .admin) { request, _, access in
                let body = try await RequestObject(
                    JSONBody.read(request, limit: RequestBodyLimit.small),
                    allowing: ["uses", "expires_s", "role"]
                )
                let token = try await access.node.pairing.makeEnrolmentToken(
                    uses: Int(body.number("uses", in: 1...256, default: 1)),
                    lifetimeMilliseconds: UInt64(body.number("expires_s", in: 60...2_592_000, default: 86_400)) * 1_000,
                    role: body.role()
                )
                return try .json(token, status: .created)
            },
            Route(.delete, "/v1/account/enrolment-tokens", needs: .admin) { _, _, access in
                try await access.node.pairing.withdrawEnrolmentTokens()
                return .noContent
            },
            Route(.delete, "/v1/devices/{device}", needs: .admin) { _, context, access in
                try await access.node.devices.removeDevice(try context.device(), words: nil)
                return .noContent
            },
            Route(.post, "/v1/devices/{device}/removal", needs: .admin) { request, context, access in
                let words = try await words(of: request)
                try await access.node.devices.removeDevice(try context.device(), words: words)
                return .noContent
            },
        ]
    }

    /// The recovery words in a request that has nothing else.
    private static func words(of request: Request) async throws -> String {
        let body = try await RequestObject(JSONBody.read(request, limit: RequestBodyLimit.small), allowing: ["words"])
        return try body.texts("words").joined(separator: " ")
    }
}
