/// One change of the feed.
package struct ChangeView: Sendable {
    /// The record as it is now; deleted ones say so.
    package var record: RecordView
    /// Whether the newest change came from a peer.
    package var bySync: Bool

    /// Makes a change.
    package init(record: RecordView, bySync: Bool) {
        self.record = record
        self.bySync = bySync
    }
}
