import HTTPTypes
import Hummingbird
import Node

/// Changes since a token, and events as they happen.
struct FeedRoutes: Sendable {
    let node: any NodeAPI

    /// A page of changes.
    func changes(_ request: Request, zone: String?) async throws -> Response {
        let keys = try request.desiredKeys()
        let page = try await node.changes(
            zone: zone,
            since: try request.parameter("since"),
            limit: try request.number("limit", in: 1...1000, default: 200)
        )
        return .json(page.showing(only: keys).json)
    }

    /// A stream of events; a reader that was connected before says with `Last-Event-ID` where it stopped.
    func events(_ request: Request, _ context: LocalRequestContext, zone: String?) async throws -> Response {
        let token = try request.parameter("since") ?? request.headers[.lastEventID]
        let events = try await node.events(zone: zone, since: token)
        let closing = context.channel.closeFuture
        let stream = EventStreamWriter(events: events) { action in closing.whenComplete { _ in action() } }
        return .stream("text/event-stream", logger: context.logger) { writer in
            try await stream.write(to: &writer)
            try await writer.finish(nil)
        }
    }
}

extension HTTPField.Name {
    /// Where a reader of events stopped (WHATWG HTML §9.2.4).
    fileprivate static var lastEventID: HTTPField.Name {
        HTTPField.Name(parsed: "last-event-id") ?? .ifNoneMatch
    }
}
