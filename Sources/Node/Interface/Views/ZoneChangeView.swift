/// News of a zone itself.
package struct ZoneChangeView: Sendable {
    /// The zone as it is now.
    package var status: ZoneStatus
    /// The reason why it no longer matches the selection: `deleted`, `left` or `moved`; `nil` when it does.
    package var departure: String?

    /// Makes news.
    package init(status: ZoneStatus, departure: String?) {
        self.status = status
        self.departure = departure
    }
}
