/// A page of changes.
package struct ChangePage: Sendable {
    /// The changes, oldest first.
    package var changes: [ChangeView]
    /// Continue from here; durable.
    package var token: String
    /// Whether more is there already.
    package var more: Bool

    /// Makes a page.
    package init(changes: [ChangeView], token: String, more: Bool) {
        self.changes = changes
        self.token = token
        self.more = more
    }
}
