import HTTPTypes
import Hummingbird
import Node
import Queries
import Wire

/// Changes since a token, and events as they happen.
struct FeedRoutes: Sendable {
    let node: any NodeAPI

    /// A page of changes.
    func changes(_ request: Request, zone: String?) async throws -> Response {
        let keys = try request.desiredKeys()
        let page = try await node.feed.changes(
            try selection(request, zone: zone),
            since: try request.parameter("since"),
            limit: try request.number("limit", in: 1...1000, default: 200)
        )
        // Most pages have no zones.
        let names = page.zones.isEmpty ? nil : try await node.naming.accountNames()
        return .json(try page.showing(only: keys).json { names?.named($0) ?? $0 })
    }

    /// Returns a stream of events; a reader that was connected before gives its last position with `Last-Event-ID`.
    func events(_ request: Request, _ context: LocalRequestContext, zone: String?) async throws -> Response {
        // The header is the younger one: a reader that connects again by itself repeats the address it first used.
        let token = try request.headers[.lastEventID] ?? request.parameter("since")
        let events = try await node.feed.events(try selection(request, zone: zone), since: token)
        let closing = context.channel.closeFuture
        let stream = EventStreamWriter(events: events) { action in closing.whenComplete { _ in action() } }
        return .stream("text/event-stream", for: context) { writer in
            try await stream.write(to: &writer)
            try await writer.finish(nil)
        }
    }

    private func selection(_ request: Request, zone: String?) throws -> FeedSelection {
        let query = try query(request)
        let showsInternal = try request.flag("internal")
        if let zone { return FeedSelection(zone: zone, query: query, showsInternal: showsInternal) }
        let container = try request.parameter("container")
        if let container, !(1...Limits.nameByteCountMax).contains(container.utf8.count) {
            throw NodeError.invalid("container", "1 to \(Limits.nameByteCountMax) bytes are expected")
        }
        return FeedSelection(
            container: container,
            database: try request.database(),
            query: query,
            showsInternal: showsInternal
        )
    }

    /// The requested records, in the form of a query.
    private func query(_ request: Request) throws -> Query? {
        let condition = try request.parameter("where")
        guard let type = try request.parameter("type") else {
            guard condition == nil else {
                throw NodeError.invalid("where", "a condition is on records of one type: name it with `type`")
            }
            return nil
        }
        return Query(
            type: try Query.checkedType(type),
            predicate: try condition.map { try Predicate(interfaceText: $0) }
        )
    }
}

extension HTTPField.Name {
    /// The place at which a reader of events stopped (WHATWG HTML §9.2.4).
    fileprivate static var lastEventID: HTTPField.Name {
        HTTPField.Name(parsed: "last-event-id") ?? .ifNoneMatch
    }
}
