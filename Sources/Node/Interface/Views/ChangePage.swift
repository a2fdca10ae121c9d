/// A page of changes.
package struct ChangePage: Sendable {
    /// The changes, oldest first.
    package var changes: [ChangeView]
    /// Zones that came, changed, or went: to be taken in before the changes.
    package var zones: [ZoneChangeView]
    /// Continue from here; durable.
    package var token: String
    /// Whether there may be more already.
    package var more: Bool

    /// Makes a page.
    package init(changes: [ChangeView], zones: [ZoneChangeView] = [], token: String, more: Bool) {
        self.changes = changes
        self.zones = zones
        self.token = token
        self.more = more
    }
}
