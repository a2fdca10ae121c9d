import HTTPTypes
import Hummingbird
import KairanInterface
import Node

extension LocalRouter {
    /// The routes for sending messages, including large ones, for the inbox, and for the state of sent messages.
    static var messageRoutes: [Route] {
        [
            Route(.post, "/v1/zones/{zone}/messages", needs: .write) { request, context, access in
                let zone = try context.segment("zone")
                let body = try await JSONBody.read(request, limit: RequestBodyLimit.message)
                let message = try await access.node.messages.send(try MessageDraft(interfaceJSON: body), zone: zone)
                return try await access.named(message, status: .created)
            },
            Route(.post, "/v1/zones/{zone}/messages/batch", needs: .write) { request, context, access in
                let zone = try context.segment("zone")
                let body = try await RequestObject(
                    JSONBody.read(request, limit: RequestBodyLimit.batch),
                    allowing: ["messages"]
                )
                var drafts: [MessageDraft] = []
                for (index, message) in try body.elements("messages", atMost: MessageBatch.sentCountMax).enumerated() {
                    drafts.append(try MessageDraft(interfaceJSON: message, at: "messages[\(index)]"))
                }
                let sent = try await access.node.messages.send(drafts, zone: zone)
                return try await access.named(["messages": try sent.json], status: .created)
            },
            Route(.get, "/v1/zones/{zone}/messages", needs: .read, query: ["after", "limit"]) {
                request,
                context,
                access in
                let page = try await access.node.messages.list(
                    zone: try context.segment("zone"),
                    after: try request.messageNumber("after"),
                    limit: try request.number("limit", in: 1...1000, default: 200)
                )
                return try await access.named(page)
            },
            Route(.post, "/v1/zones/{zone}/payloads", needs: .write) { request, context, access in
                try await HandInRoute(payloads: access.node.payloads, zone: try context.segment("zone"))
                    .respond(to: request)
            },
            Route(.get, "/v1/messages/{message}/content", needs: .read) { request, context, access in
                let message = try context.segment("message")
                return try await ContentRoute(MessageContentSource(payloads: access.node.payloads, message: message))
                    .response(to: request, context)
            },
            Route(.get, "/v1/messages/{message}", needs: .read) { _, context, access in
                try await access.named(try await access.node.messages.message(try context.segment("message")))
            },
            Route(.get, "/v1/inbox", needs: .read, query: ["after", "limit", "wait_ms"]) {
                request,
                context,
                access in
                let after = try request.messageNumber("after")
                let limit = try request.number("limit", in: 1...1000, default: 200)
                let wait = try request.number("wait_ms", in: 0...60_000, default: 0)
                let messages = try await context.whileWanted {
                    try await access.node.messages.inbox(after: after, limit: limit, waitMilliseconds: wait)
                }
                return try await access.named(["messages": try messages.json])
            },
            // It writes a receipt, which the sender sees.
            Route(.post, "/v1/messages/{message}/finish", needs: .write) { _, context, access in
                try await access.node.messages.finishMessage(try context.segment("message"))
                return .noContent
            },
            Route(.post, "/v1/inbox/finish", needs: .write) { request, _, access in
                try await FinishRoute(messages: access.node.messages).respond(to: request)
            },
        ]
    }
}

extension Request {
    /// Returns the parameter with a message's position among all; `nil` if it is missing.
    fileprivate func messageNumber(_ name: String) throws(NodeError) -> UInt64? {
        guard try parameter(name) != nil else { return nil }
        return UInt64(try number(name, in: 0...Int.max, default: 0))
    }
}
