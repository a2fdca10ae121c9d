/// News of a zone itself.
package struct ZoneChangeView: Sendable {
    /// The zone as it is now.
    package var status: ZoneStatus
    /// Why it is not among those any more that were asked for: `deleted`, `left` or `moved`; `nil` when it is.
    package var departure: String?

    /// Makes news.
    package init(status: ZoneStatus, departure: String?) {
        self.status = status
        self.departure = departure
    }
}
