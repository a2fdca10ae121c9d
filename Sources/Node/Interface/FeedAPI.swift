/// The node's interface for the feed of changes.
package protocol FeedAPI: Sendable {
    /// Returns changes after a token, each record once at its newest position, and the zones that came, went or
    /// changed.
    /// - Parameters:
    ///   - selection: The part of the feed; all zones if it names nothing.
    ///   - token: From an earlier answer for the same selection, or for a wider one; `nil` from the beginning.
    ///   - limit: 1...1,000.
    /// - Returns: A page with the token to continue from.
    /// - Throws: `tokenExpired`.
    func changes(_ selection: FeedSelection, since token: String?, limit: Int) async throws(NodeError) -> ChangePage
    /// A snapshot of the position, then consecutively numbered events.
    /// - Parameters:
    ///   - selection: The part of the feed; all zones if it names nothing.
    ///   - token: Resume behind this change token; `nil` from now.
    /// - Returns: The events; an `end` event with the reason comes last, unless the reader itself ends it.
    /// - Throws: `tokenExpired`.
    func events(_ selection: FeedSelection, since token: String?) async throws(NodeError) -> NodeEventStream
}

extension FeedAPI {
    /// Changes of one zone or all.
    package func changes(zone: String?, since token: String?, limit: Int) async throws(NodeError) -> ChangePage {
        try await changes(FeedSelection(zone: zone), since: token, limit: limit)
    }

    /// Events of one zone or all.
    package func events(zone: String?, since token: String?) async throws(NodeError) -> NodeEventStream {
        try await events(FeedSelection(zone: zone), since: token)
    }
}
